"""
The host's lines that wait for the confirmation judge, and those that wait behind them.

A line that holds a write under judgement goes no further until the verdict is in, and
the lines behind it on its stream come after it. Then it goes on byte for byte, or
without the writes that are refused.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from stretto.canonical import Json, compact
from stretto.proxy.actions import Drop, Forward, Hold, Outbox, Record, Side
from stretto.proxy.entry import Sender
from stretto.proxy.guarding import Refused
from stretto.proxy.requests import Place
from stretto.proxy.splice import edited, whole, without_items
from stretto.traces.messages import params, request_key

CANCELLED = "notifications/cancelled"


@dataclass(slots=True, eq=False)
class Held:
    """A line of the host's that waits."""

    stream: str
    line: bytes
    said: Json
    gone: frozenset[int]
    """Where in the line the calls stand that guards have refused already."""
    waiting: set[int]
    """Where those stand that have no verdict yet."""
    refused: dict[int, Refused] = field(default_factory=dict)
    behind: list[bytes] = field(default_factory=list)
    """The lines that came after it on its stream."""

    def is_call_at(self, place: Place) -> bool:
        """Whether it is a call alone, asked for at that place."""
        return (
            isinstance(self.said, dict)
            and self.stream == place.stream
            and request_key(self.said) == place.key
        )


class Gate:
    """
    One session's waiting lines.

    Args:
        refuses: Answers a call in the server's place, at a time, on a stream.
        hears: Takes in a line of the host's, as if it came now.
    """

    def __init__(
        self,
        out: Outbox,
        refuses: Callable[[Refused, float, str], None],
        hears: Callable[[bytes, float, str], None],
    ) -> None:
        self._out, self._refuses, self._hears = out, refuses, hears
        self._held: dict[str, Held] = {}
        """By stream."""
        self._draining: list[Held] = []
        """Those that wait no more, while what came behind them is heard."""

    def is_shut(self, stream: str) -> bool:
        """Whether a line waits there."""
        return stream in self._held

    def hold(self, held: Held) -> None:
        """Hold back the line that is being heard."""
        self._out.keep()
        self._held[held.stream] = held
        self._out.put(Hold(held.stream, Side.SERVER))

    def wait_behind(self, line: bytes, stream: str) -> None:
        """Have the line that is being heard wait behind the one held there."""
        self._out.keep()
        self._held[stream].behind.append(line)

    def judged(self, held: Held, place: int, why: Refused | None, now: float) -> None:
        """The verdict on one of a line's calls: it is refused, or it may pass."""
        if self._held.get(held.stream) is not held:
            return
        held.waiting.discard(place)
        if why is not None:
            held.refused[place] = why
        if not held.waiting:
            self._release(held, now)

    def cancelled(self, said: Json, stream: str) -> Place | None:
        """
        Where the call was made that waits on a stream, if a message cancels it.

        The server does not know of that call, and is not told.
        """
        if not isinstance(said, dict) or said.get("method") != CANCELLED:
            return None
        place = Place(stream, compact(params(said).get("requestId")))
        return place if self._held[stream].is_call_at(place) else None

    def withdraw(self, stream: str, now: float) -> None:
        """The line held on a stream goes nowhere; those behind it are heard."""
        held = self._held[stream]
        self._out.keep()
        self._out.put(Drop(stream))
        self._drain(held, now)

    def close_stream(self, stream: str) -> None:
        """The host no longer waits for anything on a stream."""
        if self._held.pop(stream, None) is not None:
            self._out.put(Drop(stream))

    def let_go(self) -> None:
        """Pass on all that waits, but for what guards have refused."""
        if self._draining:
            self._out.pass_on()
        for held in self._held.values():
            held.refused.clear()  # nobody has been told of it
            if (rest := _without(held)) is not None:
                self._out.put(Forward(Side.SERVER, rest, held.stream))
        for held in (*self._draining, *self._held.values()):
            for line in held.behind:
                passed = Forward(Side.SERVER, line, held.stream)
                self._out.put(Record(Sender.CLIENT, line), passed)
        self._draining.clear()
        self._held.clear()

    def _release(self, held: Held, now: float) -> None:
        if (rest := _without(held)) is not None:
            self._out.put(Forward(Side.SERVER, rest, held.stream))
        for call in held.refused.values():
            self._refuses(call, now, held.stream)
        self._drain(held, now)

    def _drain(self, held: Held, now: float) -> None:
        """Hear the lines behind a line that waits no more."""
        stream = held.stream
        del self._held[stream]
        self._draining.append(held)
        while held.behind and not self.is_shut(stream):
            line = held.behind.pop(0)
            self._out.begin(Forward(Side.SERVER, line, stream))
            self._hears(line, now, stream)
        self._draining.remove(held)
        if held.behind:
            self._held[stream].behind += held.behind


def _without(held: Held) -> bytes | None:
    """The line without what is refused of it; None where nothing is left."""
    gone = held.gone.union(held.refused)
    if not gone:
        return held.line
    if not isinstance(held.said, list) or len(gone) == len(held.said):
        return None
    text = held.line.decode()
    return edited(text, without_items(text, whole(text), gone)).encode()
