"""Modules whose import an interrupt must not break."""

import importlib
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


def import_whole(name: str) -> ModuleType:
    """
    A module that imports JAX, whose native parts a Ctrl-C halfway brings down.

    Raises:
        KeyboardInterrupt: there was one, now that the import is over.
    """
    with _interrupt_after():
        return importlib.import_module(name)


@contextmanager
def _interrupt_after() -> Iterator[None]:
    """Puts off Ctrl-C to the end; in other threads, where none arrives, nothing."""
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or before is not signal.default_int_handler:
        yield
        return
    interrupts: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupts:
        raise KeyboardInterrupt
