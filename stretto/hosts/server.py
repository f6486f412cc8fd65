"""A server's entry in a host's file, with the proxy before it and without."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

from stretto.canonical import Json

PROXY = "stretto-proxy"

Entry: TypeAlias = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Command:
    """A server that the host starts."""

    words: tuple[str, ...]

    def located(self) -> "Command":
        """With its program's full path, where PATH has the program."""
        program, *arguments = self.words
        found = shutil.which(program)
        path = program if found is None else str(Path(found).absolute())
        return Command((path, *arguments))


@dataclass(frozen=True, slots=True)
class Address:
    """A server that is there already, over HTTP."""

    url: str
    headers: tuple[str, ...] = ()
    """`NAME=VARIABLE`: what is sent with each request, from the environment."""


Server: TypeAlias = Command | Address


class Wrapped(NamedTuple):
    """What an entry starts: a server, and the proxy's options before it."""

    server: Server
    proxy: tuple[str, ...] | None
    """The proxy and its options; None where the host starts the server itself."""


def wrapped(entry: Entry) -> Wrapped | None:
    """What an entry starts; None where it is no server's entry, or not a plain one."""
    match entry:
        case {"command": str(program)}:
            arguments = entry.get("args", [])
            if not isinstance(arguments, list):
                return None
            words = (program, *(word for word in arguments if isinstance(word, str)))
            if len(words) <= len(arguments):
                return None
            return _split(words) if is_proxy(program) else Wrapped(Command(words), None)
        case {"url": str(url)} if "headers" not in entry:
            return Wrapped(Address(url), None)
        case _:
            return None


def is_proxy(program: str) -> bool:
    """Whether a program is the proxy, by its name."""
    return Path(program).stem == PROXY


def behind(proxy: Sequence[str], server: Server) -> tuple[str, ...]:
    """The command line that starts a server through the proxy and its options."""
    if isinstance(server, Command):
        return (*proxy, "--", *server.words)
    headers = (word for header in server.headers for word in (_HEADER, header))
    return (*proxy, _UPSTREAM, server.url, *headers)


_UPSTREAM, _HEADER = "--upstream", "--upstream-header"


def _split(words: tuple[str, ...]) -> Wrapped | None:
    """A proxy's command line, apart."""
    if "--" in words:
        at = words.index("--")
        command = words[at + 1 :]
        return Wrapped(Command(command), words[:at]) if command else None
    if _UPSTREAM not in words[:-1]:
        return None
    at = words.index(_UPSTREAM)
    headers = tuple(value for word, value in pairwise(words) if word == _HEADER)
    return Wrapped(Address(words[at + 1], headers), words[:at])
