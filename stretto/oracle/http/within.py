"""Work that is given up on after a while, whatever it is stuck in."""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


class TooLate(Exception):
    """There was nothing yet when the time was over."""


def within(budget_s: float, work: Callable[[], T]) -> T:
    """
    What `work` gives, or raises, within so many seconds.

    It is done in a thread of its own, for no timeout reaches into the look-up of a name
    or into a server that sends a byte at a time. What comes later is dropped.

    Raises:
        TooLate: it took longer.
    """
    done: SimpleQueue[tuple[T] | BaseException] = SimpleQueue()

    def run() -> None:
        try:
            done.put((work(),))
        except BaseException as cause:  # whatever it is, it is the caller's to see
            done.put(cause)

    Thread(target=run, daemon=True).start()
    try:
        outcome = done.get(timeout=budget_s)
    except Empty:
        raise TooLate from None
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome[0]
