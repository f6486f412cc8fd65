"""
What an engine wants done, in this order, by whoever has the streams and the clock.

An engine reads nothing, writes nothing and never waits: it is told what was said and
what time it is, and answers with these.
"""

from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from stretto.oracle.question import Request
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
    """For the host, the stream that waits; for the server, that of the call behind."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Have a stream wait: what it is to be given comes with a later input."""

    stream: str = ""
    to: Side = Side.HOST
    """Who waits; what the server waits for is the host's line, or the answer to it."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Have a stream wait no longer: what was held for it is not given any more."""

    stream: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """Keep a line in the session log."""

    sender: Sender
    line: bytes


class Beside(Enum):
    """A log beside the session's own, by how its name ends."""

    FLOW = "flow"
    """What the flow decided."""
    GUARDS = "guards"
    """What guards said."""
    CONFIRM = "confirm"
    """What the confirmation judge said."""


@dataclass(frozen=True, slots=True)
class Log:
    """Add a line to a log beside the session's own."""

    line: bytes
    to: Beside = Beside.FLOW


@dataclass(frozen=True, slots=True)
class Note:
    """Tell whoever runs the proxy."""

    text: str


@dataclass(frozen=True, slots=True)
class WakeAt:
    """Call `tick` at this time, if nothing else has happened until then."""

    time: float


@dataclass(frozen=True, slots=True)
class Consult:
    """Ask the oracle without waiting, and tell `Engine.consulted` what it answers."""

    id: str
    request: Request
    budget_s: float
    """How many seconds it may take."""


Action: TypeAlias = (
    Forward | Send | Hold | Drop | Record | Log | Note | WakeAt | Consult
)


_MOST_NOTES = 100
"""How many notes one session may make."""


class Outbox:
    """The actions of one input, in the order in which they are to be done."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """Over all inputs; `Engine.counts` says of what."""
        self._actions: list[Action] = []
        self._noted: set[str] = set()
        self._line: Forward | None = None

    def begin(self, line: Forward) -> None:
        """Begin with a line that is to be passed on, unless something else is said."""
        self._line = line

    def put(self, *actions: Action) -> None:
        """Add actions."""
        self._actions += actions

    def note(self, text: str) -> None:
        """Add a note, unless it was made before, or a hundred others were."""
        if text not in self._noted and len(self._noted) < _MOST_NOTES:
            self._noted.add(text)
            self.put(Note(text))

    def pass_on(self) -> None:
        """Pass the line on, if nothing else has become of it."""
        if self._line is not None:
            self.put(self._line)
            self._line = None

    def amend(self, line: bytes) -> None:
        """Pass the line on without a part of it; it is still its sender's own."""
        if self._line is not None:
            self._line = replace(self._line, line=line)

    def keep(self) -> None:
        """Do not pass the line on, at least not now."""
        self._line = None

    def replace(self, line: bytes) -> None:
        """Pass another line on in its place, and record that."""
        if self._line is not None:
            to, stream = self._line.to, self._line.stream
            self.put(Record(Sender.PROXY, line), Send(to, line, stream))
            self._line = None

    def take(self) -> list[Action]:
        """The actions so far; the box is empty afterwards."""
        taken, self._actions = self._actions, []
        return taken
