"""
A session that a flow is served in, of those that hosts have over HTTP.

What a request is taken to belong to is what it says itself: a session's id, or a name
that its host gave it. Requests that say neither may be of anybody's conversation, so
that nothing one of them told may reach the answer to another: each call is then an
episode by itself. What the server lists is the same for all of them.
"""

import asyncio
from collections import Counter
from typing import Protocol

from stretto.canonical import Json
from stretto.errors import CannotWrite
from stretto.oracle.oracle import Oracle
from stretto.proxy.actions import Beside
from stretto.proxy.context import Context
from stretto.proxy.engine import Engine
from stretto.proxy.http.acting import Acting
from stretto.proxy.http.asgi import Request
from stretto.proxy.http.lanes import Lane, is_named
from stretto.proxy.http.lookups import Asks, listed
from stretto.proxy.http.message import Message
from stretto.proxy.linelog import LineLog
from stretto.proxy.notes import note
from stretto.proxy.record import Recorder
from stretto.proxy.session import Session
from stretto.proxy.tooltable import ToolTable

_MOST_NOTES = 100
"""How many notes one session may make."""


class Serves(Protocol):
    """What sessions are served with."""

    def engine(
        self, session: Session, *, nth: int = 0, tools: ToolTable | None = None
    ) -> Engine:
        """
        An engine for a session, or for one call in it.

        Args:
            nth: Which of the calls that say of no session that they are in it; from 1.
            tools: What the server has listed to them.
        """

    @property
    def oracle(self) -> Oracle | None:
        """Whom to ask, where the flow's decider asks."""

    def log(self, session: Session, which: Beside) -> LineLog | None:
        """
        A log beside a session's own; None where there is to be none.

        Raises:
            CannotWrite: it cannot be opened.
        """

    def context(self, session: Session) -> Context | None:
        """The conversation beside a session."""

    def count(self, counts: Counter[str]) -> None:
        """Add what came of the flow in an engine that is not used any more."""


class ServedLane(Lane):
    """
    One session's log, and the engines that are at work in it.

    Args:
        asks: Asks the server what the engines want to know.
    """

    def __init__(
        self, recorder: Recorder | None, session: Session, serves: Serves, asks: Asks
    ) -> None:
        super().__init__(recorder)
        self._session, self._serves, self._asks = session, serves, asks
        self._schemas: dict[str, Json] = {}
        self._of_session: Acting | None = None
        self._of_none: Acting | None = None
        self._of_calls: set[Acting] = set()
        self._n_calls = 0
        self._tools = ToolTable()
        self._logs: dict[Beside, LineLog | None] = {}
        self._noted: set[str] = set()

    def acting(self, request: Request, message: Message) -> Acting:
        """Whoever acts on a request; to be given back."""
        if is_named(request) or message.method == "initialize":
            if self._of_session is None:
                context = self._serves.context(self._session)
                engine = self._serves.engine(self._session)
                self._of_session = self._made(engine, context)
            return self._of_session
        if message.method != "tools/call":
            self._of_none = self._of_none or self._made(self._for_anybody(0))
            return self._of_none
        self._n_calls += 1
        acting = self._made(self._for_anybody(self._n_calls))
        self._of_calls.add(acting)
        return acting

    def give_back(self, acting: Acting) -> None:
        """Nothing more is to be done for the request that needed it."""
        if acting in self._of_calls:
            self._of_calls.remove(acting)
            self._end(acting)

    def learn(self, answer: bytes) -> None:
        """Take in what the server lists."""
        self._schemas |= listed(answer)

    def stop(self) -> None:
        """Look nothing up any more, and give hosts what is held."""
        for acting in self._all:
            acting.stop()

    async def close(self) -> None:
        """End the session, and its logs."""
        for acting in self._all:
            self._end(acting)
        await super().close()
        for log in self._logs.values():
            if log is not None:
                await asyncio.to_thread(log.close)

    @property
    def _all(self) -> list[Acting]:
        lasting = [a for a in (self._of_session, self._of_none) if a is not None]
        return [*lasting, *self._of_calls]

    def _for_anybody(self, nth: int) -> Engine:
        return self._serves.engine(self._session, nth=nth, tools=self._tools)

    def _made(self, engine: Engine, context: Context | None = None) -> Acting:
        return Acting(
            engine,
            self._asks,
            self._schemas,
            keeps=self.keep,
            logs=self._log,
            notes=self._note,
            context=context,
            oracle=self._serves.oracle,
        )

    def _end(self, acting: Acting) -> None:
        acting.close()
        self._serves.count(acting.engine.counts)

    def _note(self, text: str) -> None:
        """Tell it once: what one call's engine has to say, the next one's will too."""
        if text not in self._noted and len(self._noted) < _MOST_NOTES:
            self._noted.add(text)
            note(text)

    def _log(self, to: Beside, line: bytes) -> None:
        if to not in self._logs:
            self._logs[to] = self._opened(to)
        if (log := self._logs[to]) is not None:
            log.put(line)

    def _opened(self, to: Beside) -> LineLog | None:
        try:
            return self._serves.log(self._session, to)
        except CannotWrite as cause:
            note(f"{cause}; what would be in it is not logged")
            return None
