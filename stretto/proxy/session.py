"""What a session is called, and what its log says about it first."""

import os
import re
import time
from typing import NamedTuple

from stretto.canonical import Json
from stretto.proxy.redact import redacted

_STATED = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class Session(NamedTuple):
    """One run of the proxy, from its start to the server's end."""

    command: tuple[str, ...]
    """The server's, nothing redacted."""
    started_unix_ms: int
    process: int
    host_session: str | None = None
    domain: str | None = None
    agent_model: str | None = None
    server_name: str | None = None

    @classmethod
    def beginning(cls, command: tuple[str, ...], **known: str | None) -> "Session":
        """The session that begins now, in this process."""
        return cls(command, time.time_ns() // 10**6, os.getpid(), **known)

    def id(self, nth: int = 1) -> str:
        """
        Its id, `20300102T030405.678Z-4321`: when it began, and in which process.

        Args:
            nth: Behind another dash from 2 on, for when the name is taken.
        """
        seconds, ms = divmod(self.started_unix_ms, 1_000)
        start = time.strftime("%Y%m%dT%H%M%S", time.gmtime(seconds))
        number = "" if nth == 1 else f"-{nth}"
        return f"{start}.{ms:03}Z-{self.process}{number}"

    def about(self, id: str) -> dict[str, Json]:
        """The header of its log."""
        known = {"host_session": self.host_session, "server_name": self.server_name}
        return {
            "session": id,
            "started_unix_ms": self.started_unix_ms,
            "server_command": [*map(_text, redacted(self.command))],
            "domain": self.domain,
            "agent_model": self.agent_model,
            **{key: value for key, value in known.items() if value is not None},
        }


def host_session(stated: str | None) -> str:
    """
    What ties the logs of one host's servers together.

    What the host stated, where that is a name; otherwise the host's process.
    """
    return named(stated) or f"host-{os.getppid()}"


def named(stated: str | None) -> str | None:
    """
    A session's name as its host stated it; None where it is none.

    It is 1 to 128 letters, digits and `. _ : -`, and not dots alone, since files may be
    called by it.
    """
    if stated is None or not _STATED.fullmatch(stated) or not stated.strip("."):
        return None
    return stated


def _text(argument: str) -> str:
    """An argument as text; bytes that are none become U+FFFD."""
    return os.fsencode(argument).decode("utf-8", "replace")
