"""
An engine asked, and what it answers done: all of it that is the same on every wire.

What is for a side, and when the engine is to be woken, is for whoever has the wires and
the clock.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from stretto.proxy.actions import (
    Action,
    Beside,
    Consult,
    Drop,
    Forward,
    Hold,
    Log,
    Note,
    Record,
    Send,
    WakeAt,
)
from stretto.proxy.context import Context
from stretto.proxy.engine import Engine
from stretto.proxy.entry import Sender
from stretto.proxy.notes import note

Ask: TypeAlias = Callable[[float], list[Action]]
"""Tells the engine something, and the time; gives what it wants done."""

Given: TypeAlias = Forward | Send | Hold | Drop
"""What is about the lines that a side gets."""


class Turns:
    """
    One turn with the engine after the other, for one thread at a time.

    Args:
        gives: Does what is about the lines that a side gets.
        wakes_at: Has `engine.tick` taken as a turn at a time of the clock's.
        keeps: Keeps a line in the session's log, if there is one.
        logs: Adds a line to a log beside the session's, if there is one.
        consults: Asks the oracle, if there is one; does not wait.
        notes: Tells whoever runs the proxy.
        context: The conversation beside the session, if the host writes one.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        gives: Callable[[Given], None],
        wakes_at: Callable[[float], None],
        keeps: Callable[[Sender, bytes], None] | None = None,
        logs: Callable[[Beside, bytes], None] | None = None,
        consults: Callable[[Consult], None] | None = None,
        notes: Callable[[str], None] = note,
        context: Context | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine, self._context, self._clock = engine, context, clock
        self._gives, self._wakes_at = gives, wakes_at
        self._keeps, self._logs, self._notes = keeps, logs, notes
        self._consults = consults

    def take(self, ask: Ask) -> None:
        """
        Ask the engine, what was said beside the session first, and do the rest.

        What cannot be done keeps nothing else from being done; it is raised at the end.
        """
        failed: Exception | None = None
        for told in (*self._beside(), ask):
            for action in told(self._clock()):
                try:
                    self._perform([action])
                except Exception as bug:  # the engine counts on all the others
                    failed = failed or bug
        if failed is not None:
            raise failed

    def _beside(self) -> list[Ask]:
        """Tells what was said beside the session since."""
        if self._context is None:
            return []
        return [
            partial(self._engine.context_line, line) for line in self._context.lines()
        ]

    def _perform(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case Forward() | Send() | Hold() | Drop():
                    self._gives(action)
                case Record(sender, line) if self._keeps is not None:
                    self._keeps(sender, line)
                case Log(line, to) if self._logs is not None:
                    self._logs(to, line)
                case Consult() if self._consults is not None:
                    self._consults(action)
                case Note(text):
                    self._notes(text)
                case WakeAt(moment):
                    self._wakes_at(moment)
