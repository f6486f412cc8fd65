"""
An engine's hands where hosts speak HTTP: for one session, on its event loop.

A line that the engine holds back holds its stream back: whoever passed it on waits
here until there is something to pass on in its place. Lines behind it on the same
stream come after it, those of other streams do not wait.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TypeAlias

from stretto.canonical import Json
from stretto.errors import OracleError
from stretto.oracle.answer import Response
from stretto.oracle.oracle import Oracle
from stretto.proxy.actions import Action, Beside, Drop, Forward, Hold, Send, Side
from stretto.proxy.consult import Consulting
from stretto.proxy.context import Context
from stretto.proxy.engine import Engine
from stretto.proxy.entry import Sender
from stretto.proxy.http.headers import Headers
from stretto.proxy.http.heeded import Heeded, Waiting
from stretto.proxy.http.lookups import Asks, Lookups
from stretto.proxy.turns import Ask, Given, Turns

_Tell: TypeAlias = Callable[[bytes, float, str], list[Action]]


_OWN = "stretto"
"""The stream of what is said to the proxy itself; those of clients are JSON."""


class Acting:
    """
    Does what an engine wants done. To be made on the event loop.

    Args:
        asks: Asks the server.
        schemas: The input schemas of its tools, as far as they are known.
        keeps: Keeps a line in the session's log.
        logs: Adds a line to a log beside the session's.
        notes: Tells whoever runs the proxy.
        context: The conversation beside the session, if the host writes one.
        oracle: Whom to ask, where the flow's decider asks.
    """

    def __init__(
        self,
        engine: Engine,
        asks: Asks,
        schemas: Mapping[str, Json],
        *,
        keeps: Callable[[Sender, bytes], None],
        logs: Callable[[Beside, bytes], None],
        notes: Callable[[str], None],
        context: Context | None = None,
        oracle: Oracle | None = None,
    ) -> None:
        self._engine, self._notes = engine, notes
        self._loop = asyncio.get_running_loop()
        self._turns = Turns(
            engine,
            gives=self._give,
            wakes_at=self._wake_at,
            keeps=keeps,
            logs=logs,
            consults=None if oracle is None else Consulting(oracle, self._answer).ask,
            notes=notes,
            context=context,
            clock=self._loop.time,
        )
        self._lookups = Lookups(asks, self._hear_own, self._fail, schemas)
        self._headers: dict[str, Headers] = {}
        self._waiting: dict[str, Waiting] = {}
        self._verdicts: dict[str, asyncio.Future[bytes | None]] = {}
        """By stream, what goes on to the server of a line held back; None: nothing."""
        self._line = b""
        self._passed: bytes | None = None
        self._is_held = False
        self._answered: str | None = None
        self._answers: list[bytes] = []
        """What goes at once to the stream `_answered`, whose request is being heard."""
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def engine(self) -> Engine:
        """The session's."""
        return self._engine

    async def from_host(self, line: bytes, stream: str) -> Heeded:
        """What becomes of a line of the host's, which ends in a line feed."""
        self._answers.clear()
        self._answered = None if stream in self._waiting else stream
        told = self._told(self._engine.host_line, line, stream, fallback=None)
        self._answered = None
        answers = tuple(self._answers)
        verdict = self._verdicts.get(stream)
        if isinstance(told, bytes):
            return Heeded(told, answers)
        if verdict is not None and (passed := await verdict) is not None:
            return Heeded(passed, answers)
        return Heeded(None, answers, None if answers else told)

    async def from_server(self, line: bytes, stream: str) -> bytes | None:
        """
        What the host gets for a line of the server's, which ends in a line feed.

        The very same object where that is unchanged; None for nothing.
        """
        told = self._told(self._engine.server_line, line, stream, fallback=line)
        return told if isinstance(told, bytes) else await told

    def take_down(self, sender: Sender, line: bytes, stream: str) -> None:
        """Take note of a line that has been passed on already, or goes to nobody."""
        self._do(lambda now: self._engine.passed(sender, line, now, stream))

    def begin(self, stream: str, headers: Headers) -> None:
        """
        A request that a stream answers.

        Args:
            headers: As the server gets them.
        """
        self._headers[stream] = headers

    def end(self, stream: str) -> None:
        """The stream's end."""
        self._headers.pop(stream, None)
        self._waiting.pop(stream, None)

    def leave(self, stream: str) -> None:
        """The host no longer waits for what a stream would bring."""
        self._do(partial(self._engine.closed_stream, stream))

    def stop(self) -> None:
        """Look nothing up any more, and give the host what is held."""
        self._do(self._engine.closed)

    def close(self) -> None:
        """End the session."""
        self.stop()
        self._lookups.close()
        if self._alarm is not None:
            self._alarm.cancel()

    def _told(
        self, tell: _Tell, line: bytes, stream: str, *, fallback: bytes | None
    ) -> "bytes | asyncio.Future[bytes | None]":
        """What is passed on of a line, or else what comes in its place, later."""
        waiting = Waiting(fallback, self._loop.create_future())
        is_free = self._waiting.setdefault(stream, waiting) is waiting
        self._line, self._passed, self._is_held = line, None, False
        is_well = self._do(lambda now: tell(line, now, stream))
        passed = self._passed
        if not (is_well or self._answers or self._is_held or fallback):
            passed = passed or line
        if passed is not None:
            self._decide(stream, passed)
        if is_free and (passed is not None or not self._is_held):
            self._release(stream, None)
        elif not is_free:
            waiting.give(None)
        return waiting.outcome if passed is None else passed

    def _do(self, ask: Ask) -> bool:
        """Take a turn with the engine; whether that went well."""
        try:
            self._turns.take(ask)
        except Exception as bug:  # whatever it is, it may not cost the agent its answer
            self._notes(f"a turn of the flow's failed: {type(bug).__name__}: {bug}")
            for stream, waiting in [*self._waiting.items()]:
                if waiting.fallback is not None:
                    self._release(stream, waiting.fallback)
            return False
        finally:
            self._line = b""
        return True

    def _give(self, given: Given) -> None:
        match given:
            case Forward(Side.SERVER, line, stream) if stream in self._verdicts:
                self._decide(stream, line)
                self._waiting.pop(stream, None)
            case Forward(to, line) if to is Side.SERVER or line is self._line:
                self._passed = line
            case Send(Side.SERVER, line, stream):
                self._lookups.say(line, self._headers.get(stream, []))
            case Send(Side.HOST, line, stream) if stream == self._answered:
                self._answers.append(line)
            case Forward(Side.HOST, line, stream) | Send(Side.HOST, line, stream):
                self._release(stream, line)
            case Hold(stream, to):
                self._is_held = True
                if to is Side.SERVER:
                    self._verdicts[stream] = self._loop.create_future()
            case Drop(stream):
                self._release(stream, None)

    def _decide(self, stream: str, line: bytes | None) -> None:
        """Tell whoever waits with a line of the host's what goes on of it."""
        verdict = self._verdicts.pop(stream, None)
        if verdict is not None and not verdict.done():
            verdict.set_result(line)

    def _release(self, stream: str, line: bytes | None) -> None:
        self._decide(stream, None)
        if (waiting := self._waiting.pop(stream, None)) is not None:
            waiting.give(line)

    def _hear_own(self, line: bytes) -> None:
        self._do(lambda now: self._engine.server_line(line, now, _OWN))

    def _fail(self, request: bytes) -> None:
        self._do(partial(self._engine.unanswered, request))

    def _answer(self, id_: str, answer: Response | OracleError) -> None:
        def told() -> None:
            self._do(lambda now: self._engine.consulted(id_, answer, now))

        with suppress(RuntimeError):  # the loop has closed: nobody waits any more
            self._loop.call_soon_threadsafe(told)

    def _wake_at(self, moment: float) -> None:
        if self._alarm is not None:
            if self._alarm.when() <= moment and not self._alarm.cancelled():
                return
            self._alarm.cancel()
        self._alarm = self._loop.call_at(moment, self._wake)

    def _wake(self) -> None:
        self._alarm = None
        self._do(self._engine.tick)
