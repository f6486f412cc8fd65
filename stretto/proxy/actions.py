"""
What an engine wants done, in this order, by whoever has the streams and the clock.

An engine reads nothing, writes nothing and never waits: it is told what was said and
what time it is, and answers with these.
"""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from stretto.proxy.entry import Sender


class Side(Enum):
    """Who reads."""

    HOST = "host"
    SERVER = "server"


@dataclass(frozen=True, slots=True)
class Forward:
    """Give a side a line that the other one said, as it came."""

    to: Side
    line: bytes
    stream: str = ""


@dataclass(frozen=True, slots=True)
class Send:
    """Give a side a line of the proxy's own, with its line feed."""

    to: Side
    line: bytes
    stream: str = ""
    """For the host, the stream that waits for it; for the server, a new one."""


@dataclass(frozen=True, slots=True)
class Record:
    """Keep a line in the session log."""

    sender: Sender
    line: bytes


@dataclass(frozen=True, slots=True)
class Log:
    """Add a line to the log of the flow's decisions."""

    line: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """Tell whoever runs the proxy."""

    text: str


@dataclass(frozen=True, slots=True)
class WakeAt:
    """Call `tick` at this time, if nothing else has happened until then."""

    time: float


Action: TypeAlias = Forward | Send | Record | Log | Note | WakeAt


class Outbox:
    """The actions of one input, in the order in which they are to be done."""

    def __init__(self) -> None:
        self._actions: list[Action] = []
        self._noted: set[str] = set()

    def put(self, *actions: Action) -> None:
        """Add actions."""
        self._actions += actions

    def note(self, text: str) -> None:
        """Add a note, unless it was made before."""
        if text not in self._noted:
            self._noted.add(text)
            self.put(Note(text))

    def take(self) -> list[Action]:
        """The actions so far; the box is empty afterwards."""
        taken, self._actions = self._actions, []
        return taken
