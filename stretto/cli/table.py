"""A table on standard output: drawn on a terminal, Markdown everywhere else."""

import importlib
import sys
from collections.abc import Sequence

import click

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
    if sys.stdout.isatty():
        importlib.import_module("stretto.cli.drawn").draw(heads, cells, right)
    else:
        click.echo(markdown_table(heads, cells, right=right))
