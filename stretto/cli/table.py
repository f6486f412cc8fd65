"""A table on standard output: drawn on a terminal, Markdown everywhere else."""

from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stretto.markdown import printable
from stretto.markdown import table as markdown_table


def show_table(heads: Sequence[str], rows: Sequence[Sequence[str | int]]) -> None:
    """
    Prints the rows under their heads. Numbers are aligned at their last digit.

    A column is one of numbers when the first row has a number there.
    """
    first = rows[0] if rows else ()
    right = {at for at, cell in enumerate(first) if isinstance(cell, int)}
    cells = [
        [f"{cell:,}" if isinstance(cell, int) else printable(cell) for cell in row]
        for row in rows
    ]
    console = Console()
    if not console.is_terminal:
        click.echo(markdown_table(heads, cells, right=right))
        return
    table = Table(box=None, pad_edge=False, collapse_padding=True)
    for at, head in enumerate(heads):
        if at in right:
            table.add_column(Text(head), justify="right", no_wrap=True)
        else:
            table.add_column(Text(head), overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table)
