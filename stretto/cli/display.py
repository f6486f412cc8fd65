"""What shows on a terminal how far some work is; `progress` says when that is."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

PATIENCE_S = 1.0
"""How long work may take before it is shown, in seconds."""


@contextmanager
def shown(
    title: str, total: int | None, console: Console | None = None
) -> Iterator[Callable[[], None]]:
    """
    Shows the work of the block; calling what it gives counts one more piece as done.

    Args:
        title: What is being done, as `reading sessions`.
        total: How many pieces there are, where that is known.
        console: Where to show it; standard error if left out.
    """
    display = _Patient(
        *_columns(total),
        console=console or Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with display:
        task = display.add_task(title, total=total)
        yield lambda: display.advance(task)


class _Patient(Progress):
    """A display that stays blank at first."""

    def get_renderables(self) -> Iterable[RenderableType]:
        if any((task.elapsed or 0) >= PATIENCE_S for task in self.tasks):
            yield from super().get_renderables()


def _columns(total: int | None) -> list[ProgressColumn]:
    title = TextColumn("{task.description}", markup=False)
    if total is None:
        count = TextColumn("{task.completed:,.0f}")
        return [SpinnerColumn(), title, count, TimeElapsedColumn()]
    return [title, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
