"""The requests under way: the host's, and the proxy's own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from stretto.canonical import Json, compact
from stretto.proxy.actions import Outbox, Record, Send, Side
from stretto.proxy.entry import Sender
from stretto.proxy.observe import era, spelled
from stretto.traces.messages import Message


class Place(NamedTuple):
    """What tells a request apart: its stream, and its id as JSON text."""

    stream: str
    key: str


@dataclass(slots=True)
class Asked:
    """A request of the host's that has not been answered."""

    place: Place
    message: Message
    is_withdrawn: bool = False
    """Whether the host has cancelled it."""

    @property
    def id(self) -> Json:
        """Its id, as the host gave it."""
        return self.message.get("id")

    @property
    def method(self) -> Json:
        """What it asks for."""
        return self.message.get("method")


Answered: TypeAlias = Callable[[Message | None, float], None]
"""Is told the answer to a call, and the time; None where there will be none."""

Follows: TypeAlias = Callable[[float, Sender, Message, str], object]
"""Is told when who said what, and on which stream."""

Verdict: TypeAlias = Callable[[str | None, float], None]
"""Is told why a call is not to be made, or None where it may be, and the time."""

Checks: TypeAlias = Callable[[str, Json, Json, Verdict, float], None]
"""
Has a tool's call with such arguments checked: tells the verdict, at once or later.

Its third argument is the id of the host's request, its last the time.
"""


def answer(request: Message, text: str, *, has_failed: bool) -> Message:
    """The proxy's own answer to a call of the host's: one text."""
    content: list[Json] = [{"type": "text", "text": text}]
    told: dict[str, Json] = {"content": content, "isError": has_failed}
    if era(request):
        told["resultType"] = "complete"
    return {"jsonrpc": "2.0", "id": request.get("id"), "result": told}


class OwnCalls:
    """
    The calls that the proxy makes itself, whose answers are for nobody else.

    Their ids are `stretto-TOKEN-1` and so on, passing over those that the host uses.
    """

    def __init__(
        self, token: str, is_taken: Callable[[str], bool], follows: Follows, out: Outbox
    ) -> None:
        self._token, self._n = token, 0
        self._is_taken, self._follows, self._out = is_taken, follows, out
        self._waiting: dict[str, Answered | None] = {}
        """Who is to be told, by key; None where nobody wants to know any more."""

    def __contains__(self, key: object) -> bool:
        return key in self._waiting

    def call(
        self,
        behind: Asked,
        tool: str,
        arguments: Mapping[str, Json],
        answered: Answered,
        now: float,
    ) -> str:
        """
        Call a tool in the era of the host's own call; the id of the request.

        Args:
            tool: As its server calls it.
        """
        id_ = self._new_id()
        self._waiting[compact(id_)] = answered
        params: dict[str, Json] = {"name": tool, "arguments": dict(arguments)}
        if meta := era(behind.message):
            params["_meta"] = meta
        call: Message = {"id": id_, "method": "tools/call", "params": params}
        self._say(now, call, behind.place.stream)
        return id_

    def answer(self, key: str, response: Message, now: float) -> None:
        """Tell whoever made a call that it was answered."""
        if (answered := self._waiting.pop(key)) is not None:
            answered(response, now)

    def abandon(self, id_: str, why: str, now: float) -> None:
        """Cancel a call; should it be answered all the same, nobody is told."""
        self.ignore(id_)
        about: dict[str, Json] = {"requestId": id_, "reason": why}
        self._say(now, {"method": "notifications/cancelled", "params": about})

    def ignore(self, id_: str) -> None:
        """As `abandon`, without a word to the server."""
        if (key := compact(id_)) in self._waiting:
            self._waiting[key] = None

    def give_up(self, key: str, now: float) -> None:
        """Leave an id, and what is answered to it, to the host, who uses it too."""
        if (answered := self._waiting.pop(key, None)) is not None:
            answered(None, now)

    def _new_id(self) -> str:
        while True:
            self._n += 1
            new = f"stretto-{self._token}-{self._n}"
            if not self._is_taken(compact(new)):
                return new

    def _say(self, now: float, message: Message, behind: str = "") -> None:
        said: Message = {"jsonrpc": "2.0", **message}
        line = spelled(said)
        self._follows(now, Sender.PROXY, said, "")
        self._out.put(Record(Sender.PROXY, line), Send(Side.SERVER, line, behind))
