"""Where each line of a session goes: by what it is, and by whom it is for."""

from collections.abc import Callable

from stretto.canonical import Json, compact
from stretto.episodes.episode import ToolResult
from stretto.errors import OracleError
from stretto.flow.deciders.protocol import Decider
from stretto.flow.flow import Flow
from stretto.flow.run import Runner
from stretto.oracle.answer import Response
from stretto.proxy.actions import Outbox, Record, Send, Side
from stretto.proxy.batch import taken_apart
from stretto.proxy.commit import Commits, is_commit
from stretto.proxy.consents import Consents
from stretto.proxy.entry import Sender
from stretto.proxy.gate import Gate
from stretto.proxy.guarding import Guarding, Refused
from stretto.proxy.observe import observed, spelled
from stretto.proxy.offers import HANDSHAKES, Offers
from stretto.proxy.pilot import Pilot, pilot
from stretto.proxy.requests import Asked, OwnCalls, Place, answer
from stretto.proxy.serving import Serving
from stretto.proxy.tooltable import ToolTable
from stretto.traces.messages import Message, params, parts, request_key, response_key
from stretto.traces.turns import Change


class Router:
    """One session's requests under way, and who is told of the answers."""

    def __init__(
        self,
        flow: Flow | None,
        decider: Decider | None,
        serving: Serving,
        tools: ToolTable,
        out: Outbox,
        runner: Runner | None,
    ) -> None:
        self._out, self._tools = out, tools
        self._asked: dict[Place, Asked] = {}
        own = self._calls = OwnCalls(serving.token, self._is_taken, self._follow, out)
        self._guarding = Guarding(serving, out)
        self._gate = Gate(out, self._refuse, self._hear)
        self._consents = Consents(serving, self._guarding, self._gate, out)
        self._commits = Commits(self._calls, self._consents.check, self._follow, out)
        self._offers = Offers(tools, out, has_commits=serving.commit)
        self._pilot: Pilot | None = None
        if flow is not None and decider is not None:
            self._pilot = pilot(flow, decider, serving, tools, own, out, runner)

    def from_host(self, line: bytes, now: float, stream: str) -> None:
        """A line of the host's."""
        if not self._gate.is_shut(stream):
            self._hear(line, now, stream)
        elif (place := self._gate.cancelled(observed(line), stream)) is None:
            self._gate.wait_behind(line, stream)
        else:
            self._asked.pop(place, None)
            self.note(Sender.CLIENT, line, now, stream)
            self._gate.withdraw(stream, now)

    def _hear(self, line: bytes, now: float, stream: str) -> None:
        self._out.put(Record(Sender.CLIENT, line))
        checked = self._guarding.heard(line, said := observed(line))
        refused = checked.refused.values()
        try:
            for message in parts(said):
                self._follow(now, Sender.CLIENT, message, stream)
            if isinstance(said, dict):
                self._heed(said, now, stream, is_refused=bool(refused))
        finally:  # whatever becomes of the flow, the host is told
            told = [self._tell(call, stream) for call in refused]
        for message in filter(None, told):
            self._follow(now, Sender.PROXY, message, stream)
        self._consents.hear(line, said, checked, now, stream)
        self._out.pass_on()

    def from_server(self, line: bytes, now: float, stream: str) -> None:
        """A line of the server's."""
        self._out.put(Record(Sender.SERVER, line))
        match observed(line):
            case dict() as message if (key := response_key(message)) is not None:
                self._answered(message, Place(stream, key), line, now)
            case dict() as message:
                self._told(message, now)
            case list() as batch:
                self._from_batch(batch, line, now, stream)
        self._out.pass_on()

    def from_context(self, line: bytes, now: float) -> None:
        """A line of the conversation."""
        self._out.put(Record(Sender.CONTEXT, line))
        if isinstance(said := observed(line), dict):
            self._follow(now, Sender.CONTEXT, said)

    def note(self, sender: Sender, line: bytes, now: float, stream: str) -> None:
        """A line that needs nothing to be done about it."""
        self._out.put(Record(sender, line))
        for message in parts(observed(line)):
            self._follow(now, sender, message, stream)
            if (key := response_key(message)) is not None:
                self._asked.pop(Place(stream, key), None)

    def give_up_on(self, request: bytes, now: float) -> None:
        """A request of the proxy's own that will not be answered."""
        for message in parts(observed(request)):
            if (key := request_key(message)) is not None:
                self._calls.give_up(key, now)

    def tick(self, now: float) -> None:
        """Time has passed."""
        self._consents.judge.tick(now)
        if self._pilot is not None:
            self._pilot.holding.tick(now)

    def from_oracle(self, id_: str, answer: Response | OracleError, now: float) -> None:
        """The oracle was asked."""
        self._consents.judge.consulted(id_, answer, now)
        if self._pilot is not None:
            self._pilot.holding.consulted(id_, answer, now)

    def withdraw_stream(self, stream: str, now: float) -> None:
        """The host no longer waits for anything on a stream."""
        self._gate.close_stream(stream)
        for place in [place for place in self._asked if place.stream == stream]:
            del self._asked[place]
        self._withdraw(lambda place: place.stream == stream, now)

    def end(self, now: float) -> None:
        """A side has ended."""
        self._commits.close(now)
        self._consents.judge.close(now)
        self._commits.close(now)  # those that waited behind a write
        if self._pilot is not None:
            self._pilot.end()

    def give_up(self, now: float) -> None:
        """Only pass lines on from now on, and swallow what the proxy asked for."""
        if self._pilot is not None:
            self._pilot.give_up()
        self._offers.give_up()
        self._commits.close(now)
        self._gate.let_go()
        self._consents.judge.close(now)

    def _refuse(self, call: Refused, now: float, stream: str) -> None:
        """Answer a call in the server's place."""
        if (told := self._tell(call, stream)) is not None:
            self._follow(now, Sender.PROXY, told, stream)

    def _tell(self, call: Refused, stream: str) -> Message | None:
        """Tell the host of a refused call; one without an id is only dropped."""
        if (key := request_key(call.message)) is None:
            return None
        asked = self._asked.get(Place(stream, key))
        if asked is not None and asked.message is call.message:
            del self._asked[asked.place]
        line = spelled(told := answer(call.message, call.text, has_failed=True))
        self._out.put(Record(Sender.PROXY, line), Send(Side.HOST, line, stream))
        return told

    def _heed(
        self, message: Message, now: float, stream: str, *, is_refused: bool = False
    ) -> None:
        """Note what the host asks for, or no longer asks for."""
        if (key := request_key(message)) is not None:
            self._calls.give_up(key, now)
            asked = Asked(Place(stream, key), message)
            if self._pilot is not None:
                self._pilot.holding.overtake(asked.place, now)
            if is_refused:
                return
            if is_commit(message) and self._offers.has_commits:
                self._out.keep()
                self._commits.begin(asked, now)
            else:
                self._asked[asked.place] = asked
        elif message.get("method") == "notifications/cancelled":
            withdrawn = Place(stream, compact(params(message).get("requestId")))
            if withdrawn in self._asked:
                self._asked[withdrawn].is_withdrawn = True
            else:
                self._withdraw(lambda place: place == withdrawn, now)

    def _withdraw(self, is_gone: Callable[[Place], bool], now: float) -> None:
        self._commits.withdraw(is_gone, now)
        if self._pilot is not None:
            self._pilot.holding.withdraw(is_gone, now)

    def _answered(
        self, message: Message, place: Place, line: bytes, now: float
    ) -> None:
        if place.key in self._calls:
            self._out.keep()
            self._follow(now, Sender.SERVER, message)
            self._calls.answer(place.key, message, now)
            return
        change = self._follow(now, Sender.SERVER, message, place.stream)
        asked = self._asked.pop(place, None)
        if asked is None or asked.is_withdrawn:
            return
        if asked.method == "tools/list":
            self._offers.listed(asked, message, line, self._pilot)
        elif asked.method in HANDSHAKES:
            self._offers.greeted(line)
        elif (
            self._pilot is not None
            and asked.method == "tools/call"
            and isinstance(change, ToolResult)
            and self._pilot.hold(asked, message, line, now)
        ):
            self._out.keep()

    def _told(self, message: Message, now: float) -> None:
        """The server speaks of its own accord."""
        if message.get("method") == "notifications/tools/list_changed":
            self._tools.changed()
        elif self._pilot is not None:
            self._pilot.told(message, now)

    def _from_batch(
        self, batch: list[Json], line: bytes, now: float, stream: str
    ) -> None:
        """Take the answers that are the proxy's own out of a batch."""
        parts, rest = taken_apart(line, batch, self._calls)
        if rest is None:
            self._out.keep()
        else:
            self._offers.replace(line, rest)
        for message, key, is_own in parts:
            self._follow(now, Sender.SERVER, message, "" if is_own else stream)
            if key is not None and not is_own:
                self._asked.pop(Place(stream, key), None)
        for message, key, is_own in parts:
            if is_own and key is not None and key in self._calls:
                self._calls.answer(key, message, now)

    def _follow(
        self, now: float, sender: Sender, message: Message, stream: str = ""
    ) -> Change | None:
        self._guarding.follow(now, sender, message, stream)
        if self._pilot is None:
            return None
        return self._pilot.follow(now, sender, message, stream)

    def _is_taken(self, key: str) -> bool:
        """Whether a request under way has that id."""
        return key in self._calls or any(place.key == key for place in self._asked)
