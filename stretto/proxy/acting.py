"""
What stands between the sides of a session that a flow is served in: its engine's hands.

The engine says what to do with each line; here it is done. Each side has one thread
that writes to it, so that no thread that reads a side ever waits for that same side. A
thread that has read waits until the other side has what it read, which is all the flow
control there is, as without an engine.
"""

import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from stretto.errors import OracleError
from stretto.oracle.answer import Response
from stretto.oracle.oracle import Oracle
from stretto.proxy.actions import Action, Beside, Forward, Send, Side
from stretto.proxy.consult import Consulting
from stretto.proxy.context import Context
from stretto.proxy.engine import Engine
from stretto.proxy.linelog import LineLog
from stretto.proxy.lines import Lines
from stretto.proxy.pump import Hears
from stretto.proxy.record import Recorder
from stretto.proxy.serve import Ears, Sides
from stretto.proxy.turns import Ask, Given, Turns
from stretto.proxy.writer import Writer

_ANY_LENGTH = 2**63
"""Lines are put together whole: a line that is held back has to be had again."""


class Acting:
    """
    Does what an engine wants done, line by line.

    Args:
        recorder: Keeps the session's log, if there is to be one.
        logs: Those beside the session's, as far as there are to be any.
        context: The conversation beside the session, if the host writes one.
        oracle: Whom to ask, where the flow's decider asks.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        recorder: Recorder | None = None,
        logs: Mapping[Beside, LineLog] = MappingProxyType({}),
        context: Context | None = None,
        oracle: Oracle | None = None,
    ) -> None:
        self._engine = engine
        self._logs = logs
        self._turns = Turns(
            engine,
            gives=self._give,
            wakes_at=self._wake_at,
            keeps=None if recorder is None else recorder.take,
            logs=self._log,
            consults=None if oracle is None else Consulting(oracle, self._told).ask,
            context=context,
        )
        self._turn = threading.Lock()
        """Whose turn it is with the engine."""
        self._due: float | None = None
        self._alarm = threading.Condition()
        self._writers: dict[Side, Writer] = {}

    def between(self, sides: Sides) -> Ears:
        """Stand between the sides; once a session."""
        self._writers = {
            Side.HOST: Writer(sides.host),
            Side.SERVER: Writer(sides.server),
        }
        threading.Thread(target=self._wake, daemon=True).start()
        return Ears(
            host=self._hears(self._engine.host_line, Side.SERVER),
            server=self._hears(self._engine.server_line, Side.HOST),
        )

    def finish(self) -> None:
        """Wait until all that is to be in the logs beside the session's is there."""
        for log in self._logs.values():
            log.wait()

    def _hears(self, tell: Callable[[bytes, float], list[Action]], to: Side) -> Hears:
        lines = Lines(_ANY_LENGTH)

        def hears(chunk: bytes) -> None:
            for line in lines.feed(chunk):
                data = line.data if chunk == b"" else line.data + b"\n"
                self._do(partial(tell, data))
            if not chunk:
                self._do(self._engine.closed)
            self._writers[to].wait()

        return hears

    def _do(self, ask: Ask) -> None:
        """Ask the engine, and do what it answers before anybody else asks."""
        with self._turn:
            self._turns.take(ask)

    def _told(self, id_: str, answer: Response | OracleError) -> None:
        self._do(lambda now: self._engine.consulted(id_, answer, now))

    def _log(self, to: Beside, line: bytes) -> None:
        if (log := self._logs.get(to)) is not None:
            log.put(line)

    def _give(self, given: Given) -> None:
        if isinstance(given, Forward | Send):
            self._writers[given.to].put(given.line)

    def _wake_at(self, moment: float) -> None:
        with self._alarm:
            if self._due is None or moment < self._due:
                self._due = moment
                self._alarm.notify()

    def _wake(self) -> None:
        while True:
            with self._alarm:
                while (due := self._due) is None or due > time.monotonic():
                    left = None if due is None else due - time.monotonic()
                    self._alarm.wait(left)
                self._due = None
            self._do(self._engine.tick)
