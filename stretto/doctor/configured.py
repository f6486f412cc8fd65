"""Whether what hosts start through the proxy is there, for them to find."""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from stretto import __version__
from stretto.doctor.data import is_writable
from stretto.doctor.finding import Finding, note, ok, problem
from stretto.doctor.installation import version_of
from stretto.errors import StrettoError
from stretto.flow.wire import read_flow
from stretto.hosts.config import Config
from stretto.hosts.host import HOSTS, Host
from stretto.hosts.server import PROXY, Address, Command, Entry, Wrapped, wrapped

_HOLDS_PLACE = "${"
"""What hosts replace by something of their own, before they start a program."""


def configured(hosts: Mapping[str, Host] = HOSTS) -> Iterator[Finding]:
    """For each server behind the proxy, in each host's file: what is missing."""
    n_servers = 0
    for host in hosts.values():
        try:
            entries = Config.read(host).entries()
        except StrettoError as cause:
            yield problem(f"{host.title}: {cause}")
            continue
        for name, entry in entries.items():
            started = wrapped(entry)
            if started is not None and started.proxy is not None:
                n_servers += 1
                yield from _server(f"{host.title}: {name}", host, entry, started)
    if not n_servers:
        yield note("no host starts a server through the proxy; see `stretto init`")


def _server(
    place: str, host: Host, entry: Entry, started: Wrapped
) -> Iterator[Finding]:
    env = _environment(entry)
    missing = [*_programs(started, env), *_files(started.proxy or ())]
    yield from (problem(f"{place}: {why}") for why in missing)
    if not missing:
        yield ok(f"{place} goes through the proxy")
    yield from (note(f"{place}: {why}") for why in _doubts(host, started, env))


class _Program(NamedTuple):
    """A program as an entry names it."""

    name: str
    path: str | None
    """Where it is, for whoever starts it; None where it is not there."""


def _named(started: Wrapped, env: Mapping[str, str]) -> Iterator[_Program]:
    """The proxy, and the server's program, found by the entry's own PATH if any."""
    words = [*(started.proxy or ())[:1]]
    if isinstance(started.server, Command):
        words += started.server.words[:1]
    folders = env.get("PATH")
    for word in words:
        if _HOLDS_PLACE not in f"{word}{folders}":
            yield _Program(word, shutil.which(word, path=folders))


def _programs(started: Wrapped, env: Mapping[str, str]) -> Iterator[str]:
    for name, path in _named(started, env):
        if path is None:
            where = " on the PATH of its entry" if _is_sought(name, env) else ""
            yield f"{name} is not there{where}, or cannot be run"
        elif name == (started.proxy or ("",))[0]:
            said = version_of(Path(path))
            if said is None:
                yield f"{path} does not start"
            elif said != f"{PROXY} {__version__}":
                yield f"{path} is {said or 'something else'}, not {__version__}"


def _files(proxy: tuple[str, ...]) -> Iterator[str]:
    if (folder := _option(proxy, "--record")) is not None:
        path = Path(folder).expanduser().absolute()
        there = next(p for p in (path, *path.parents) if p.exists())
        if not (there.is_dir() and is_writable(there)):
            yield f"{folder} cannot be written to"
    if (flow := _option(proxy, "--flow")) is not None:
        try:
            read_flow(flow)
        except StrettoError as cause:
            yield str(cause)


def _doubts(host: Host, started: Wrapped, env: Mapping[str, str]) -> Iterator[str]:
    """What is there for a shell, and may not be for the host."""
    if not host.has_shells_path and "PATH" not in env:
        for name, path in _named(started, env):
            is_everywhere = shutil.which(name, path=os.defpath) is not None
            if path is not None and not (os.sep in name or is_everywhere):
                yield f"it has no shell's PATH, so give it the full path of {name}"
    if isinstance(started.server, Address):
        for header in started.server.headers:
            variable = header.partition("=")[2]
            if variable not in env and variable not in os.environ:
                yield f"{variable} is not in its entry, so the host has to have it"


def _environment(entry: Entry) -> Mapping[str, str]:
    env = entry.get("env")
    given = env.items() if isinstance(env, dict) else ()
    return {name: value for name, value in given if isinstance(value, str)}


def _is_sought(name: str, env: Mapping[str, str]) -> bool:
    return os.sep not in name and "PATH" in env


def _option(proxy: tuple[str, ...], name: str) -> str | None:
    """An option's value, as `--name VALUE` or `--name=VALUE`."""
    for word, following in zip(proxy, (*proxy[1:], None), strict=True):
        if word == name:
            return following
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None
