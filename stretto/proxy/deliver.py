"""Results given to the host: with what was looked up behind them, or as they came."""

from collections.abc import Sequence

from stretto.proxy.actions import Forward, Outbox, Record, Send, Side
from stretto.proxy.appendix import appendix
from stretto.proxy.augment import augmented, is_in_text_alone
from stretto.proxy.entry import Sender
from stretto.proxy.requests import Asked
from stretto.proxy.serving import Serving
from stretto.proxy.tooltable import ToolTable
from stretto.traces.appended import Made
from stretto.traces.messages import params


class Delivery:
    """Gives a session's results, and counts what became of what was looked up."""

    def __init__(self, tools: ToolTable, serving: Serving, out: Outbox) -> None:
        self._tools, self._serving, self._out = tools, serving, out

    def as_it_came(self, asked: Asked, line: bytes) -> None:
        """Give the host a result as the server wrote it."""
        self._out.put(Forward(Side.HOST, line, asked.place.stream))

    def give(self, asked: Asked, line: bytes, made: Sequence[Made]) -> None:
        """Give the host a result, with what was looked up as far as there is room."""
        if not made:
            self.as_it_came(asked, line)
            return
        room = self._serving.result_chars - len(line)
        added = appendix(made, each=self._serving.lookup_chars, room=room)
        if added is None:
            self._out.counts["without room"] += 1
            self.as_it_came(asked, line)
            return
        tool = self._tools[str(params(asked.message).get("name"))]
        longer = augmented(line, added.text, self._serving.structured, tool)
        self._out.counts["added to"] += 1
        self._out.counts["in text alone"] += is_in_text_alone(longer)
        stream = asked.place.stream
        self._out.put(Record(Sender.PROXY, longer), Send(Side.HOST, longer, stream))
