"""
The engine of a proxy that acts: what to do with each line, given what was said so far.

It is told lines and times and answers with actions; it never waits, and reads no clock.
It is for one thread at a time. Whatever goes wrong in here, each line of the host's and
of the server's reaches the other side as it came, and the flow is switched off.
"""

from collections import Counter
from collections.abc import Callable

from stretto.errors import OracleError
from stretto.flow.deciders.protocol import Decider
from stretto.flow.flow import Flow
from stretto.flow.run import Runner
from stretto.oracle.answer import Response
from stretto.proxy.actions import Action, Forward, Outbox, Side
from stretto.proxy.entry import Sender
from stretto.proxy.router import Router
from stretto.proxy.serving import Serving
from stretto.proxy.tooltable import ToolTable


class Engine:
    """
    One session's engine.

    Args:
        flow: None where nothing is to be looked up.
        decider: The flow's.
        tools: What the server has listed so far, where others were told that too.
        runner: The flow's, where many engines serve it.

    Raises:
        ProgramError: the flow's program names something that flows do not have.
    """

    def __init__(
        self,
        flow: Flow | None,
        decider: Decider | None,
        serving: Serving,
        tools: ToolTable | None = None,
        runner: Runner | None = None,
    ) -> None:
        self._out = Outbox()
        tools = ToolTable() if tools is None else tools
        self._router = Router(flow, decider, serving, tools, self._out, runner)

    @property
    def counts(self) -> Counter[str]:
        """
        What came of the flow and the guards so far.

        How many results were `held`, and `added to`, of these `in text alone` beside
        structured content; `lookups` made, and `questions` asked, of these
        `overtaken` by what happened meanwhile; results `without room` for lookups;
        runs `out of time`; calls `checked` by guards and `refused`; writes `judged`,
        of these `unconfirmed` and `judged late`; and how often something `failed` in
        here.
        """
        return self._out.counts

    def host_line(self, line: bytes, now: float, stream: str = "") -> list[Action]:
        """What to do with the host's next line, its line feed included."""
        self._out.begin(Forward(Side.SERVER, line, stream))
        return self._done(now, lambda: self._router.from_host(line, now, stream))

    def server_line(self, line: bytes, now: float, stream: str = "") -> list[Action]:
        """What to do with the server's next line, its line feed included."""
        self._out.begin(Forward(Side.HOST, line, stream))
        return self._done(now, lambda: self._router.from_server(line, now, stream))

    def passed(
        self, sender: Sender, line: bytes, now: float, stream: str = ""
    ) -> list[Action]:
        """
        What to do because of a line that was passed on already, if it had to be.

        The engine only takes note of it: it is in the log, and part of the session.
        """
        return self._done(now, lambda: self._router.note(sender, line, now, stream))

    def unanswered(self, request: bytes, now: float) -> list[Action]:
        """What to do because nobody will answer a request of the proxy's own."""
        return self._done(now, lambda: self._router.give_up_on(request, now))

    def context_line(self, line: bytes, now: float) -> list[Action]:
        """What to do with the next line of the conversation beside the session."""
        return self._done(now, lambda: self._router.from_context(line, now))

    def tick(self, now: float) -> list[Action]:
        """What to do because it is that late."""
        return self._done(now, lambda: self._router.tick(now))

    def consulted(
        self, id_: str, answer: Response | OracleError, now: float
    ) -> list[Action]:
        """What to do now that the oracle was asked: with its answer, or without."""
        return self._done(now, lambda: self._router.from_oracle(id_, answer, now))

    def closed(self, now: float) -> list[Action]:
        """What to do because one side will say nothing more, whichever it is."""
        return self._done(now, lambda: self._router.end(now))

    def closed_stream(self, stream: str, now: float) -> list[Action]:
        """What to do because the host no longer waits for what a stream would bring."""
        return self._done(now, lambda: self._router.withdraw_stream(stream, now))

    def _done(self, now: float, act: Callable[[], None]) -> list[Action]:
        try:
            act()
        except Exception as bug:  # whatever it is, it may not cost a side its line
            self.counts["failed"] += 1
            self._out.note(f"the flow is switched off: {type(bug).__name__}: {bug}")
            self._router.give_up(now)
            self._out.pass_on()
        return self._out.take()
