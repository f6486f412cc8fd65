"""
How far some work is, on standard error and only where that is a terminal.

Work that is over within a second shows nothing. One display at a time.
"""

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def progress(title: str, *, total: int | None = None) -> Iterator[Callable[[], None]]:
    """
    Shows the work of the block; calling what it gives counts one more piece as done.

    Args:
        title: What is being done, as `reading sessions`.
        total: How many pieces there are, where that is known.
    """
    if not sys.stderr.isatty():
        yield _nothing
        return
    display = importlib.import_module("stretto.cli.display")  # which rich draws
    work: AbstractContextManager[Callable[[], None]] = display.shown(title, total)
    with work as done:
        yield done


def track(things: Iterable[T], title: str, *, total: int | None = None) -> Iterator[T]:
    """The things as they are, each counted as done once the next is asked for."""
    with progress(title, total=total) as done:
        for thing in things:
            yield thing
            done()


def _nothing() -> None:
    pass
