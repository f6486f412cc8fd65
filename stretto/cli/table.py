"""A table on standard output: drawn on a terminal, Markdown everywhere else."""

from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text


def show_table(heads: Sequence[str], rows: Sequence[Sequence[str | int]]) -> None:
    """
    Prints the rows under their heads. Numbers are aligned at their last digit.

    A column is one of numbers when the first row has a number there.
    """
    right = (
        [isinstance(cell, int) for cell in rows[0]] if rows else [False] * len(heads)
    )
    cells = [
        [f"{cell:,}" if isinstance(cell, int) else printable(cell) for cell in row]
        for row in rows
    ]
    console = Console()
    if not console.is_terminal:
        click.echo(markdown(heads, cells, right))
        return
    table = Table(box=None, pad_edge=False, collapse_padding=True)
    for head, is_number in zip(heads, right, strict=True):
        if is_number:
            table.add_column(Text(head), justify="right", no_wrap=True)
        else:
            table.add_column(Text(head), overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table)


def markdown(
    heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]
) -> str:
    """The table as Markdown, its columns padded to one width."""
    lines = [[cell.replace("|", "\\|") for cell in row] for row in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rules = [
        f"{'-' * (width - 1)}:" if is_number else "-" * width
        for width, is_number in zip(widths, right, strict=True)
    ]
    padded = [
        [
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(line, widths, right, strict=True)
        ]
        for line in lines
    ]
    return "\n".join(
        f"| {' | '.join(row)} |" for row in (padded[0], rules, *padded[1:])
    )


def printable(text: str) -> str:
    """The text with nothing in it that a terminal would act on."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
