"""A table as a terminal shows it."""

from collections.abc import Collection, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text


def draw(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Collection[int],
    console: Console | None = None,
) -> None:
    """
    Draws the rows under their heads, as wide as the terminal is.

    Args:
        right: The columns whose cells stand to the right, as numbers do.
        console: Where to; standard output if left out.
    """
    table = Table(box=None, pad_edge=False, collapse_padding=True)
    for at, head in enumerate(heads):
        if at in right:
            table.add_column(Text(head), justify="right", no_wrap=True)
        else:
            table.add_column(Text(head), overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    (console or Console()).print(table)
