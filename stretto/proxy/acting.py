"""
What stands between the sides of a session that a flow is served in: its engine's hands.

The engine says what to do with each line; here it is done. Each side has one thread
that writes to it, so that no thread that reads a side ever waits for that same side. A
thread that has read waits until the other side has what it read, which is all the flow
control there is, as without an engine.
"""

import threading
import time
from collections.abc import Callable
from functools import partial

from stretto.proxy.actions import (
    Action,
    Checked,
    Forward,
    Log,
    Note,
    Record,
    Send,
    Side,
    WakeAt,
)
from stretto.proxy.context import Context
from stretto.proxy.engine import Engine
from stretto.proxy.lines import Lines
from stretto.proxy.notes import note
from stretto.proxy.pump import Hears, Outlet
from stretto.proxy.record import Recorder
from stretto.proxy.serve import Ears, Sides

_ANY_LENGTH = 2**63
"""Lines are put together whole: a line that is held back has to be had again."""


class Writer:
    """
    A thread that gives one side its lines, in order.

    Args:
        outlet: Where the side reads.
    """

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._waiting: list[bytes] = []
        self._is_writing = False
        self._changed = threading.Condition()
        threading.Thread(target=self._run, daemon=True).start()

    def put(self, line: bytes) -> None:
        """Have the side given a line; does not wait."""
        with self._changed:
            self._waiting.append(line)
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until the side has been given everything, or is gone."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._waiting or self._is_writing))

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                lines, self._waiting = self._waiting, []
                self._is_writing = True
            self._outlet.write(b"".join(lines))
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()


class Acting:
    """
    Does what an engine wants done, line by line.

    Args:
        recorder: Keeps the session's log, if there is to be one.
        decided: Where the lines of the flow's own log go, if there is to be one.
        checked: Where those of the guards' log go.
        context: The conversation beside the session, if the host writes one.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        recorder: Recorder | None = None,
        decided: Outlet | None = None,
        checked: Outlet | None = None,
        context: Context | None = None,
    ) -> None:
        self._engine, self._recorder, self._context = engine, recorder, context
        self._decided = None if decided is None else Writer(decided)
        self._checked = None if checked is None else Writer(checked)
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
        """Wait until all that the flow decided and guards said is in their logs."""
        for log in (self._decided, self._checked):
            if log is not None:
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

    def _do(self, ask: Callable[[float], list[Action]]) -> None:
        """Ask the engine, and do what it answers before anybody else asks."""
        with self._turn:
            if self._context is not None:
                for line in self._context.lines():
                    self._perform(self._engine.context_line(line, time.monotonic()))
            self._perform(ask(time.monotonic()))

    def _perform(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case Forward(to, line) | Send(to, line):
                    self._writers[to].put(line)
                case Record(sender, line) if self._recorder is not None:
                    self._recorder.take(sender, line)
                case Log(line) if self._decided is not None:
                    self._decided.put(line)
                case Checked(line) if self._checked is not None:
                    self._checked.put(line)
                case Note(text):
                    note(text)
                case WakeAt(moment):
                    self._wake_at(moment)

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
