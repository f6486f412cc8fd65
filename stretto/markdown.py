"""Markdown that reads well unrendered: tables with their columns aligned."""

from collections.abc import Collection, Iterable, Sequence

from stretto.canonical import number


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, right: Collection[int] = ()
) -> str:
    """
    A table, every column as wide as its widest cell.

    Args:
        right: The columns whose cells stand to the right, as numbers do.
    """
    cells = [[_cell(text) for text in row] for row in (header, *rows)]
    widths = [max(3, *map(len, column)) for column in zip(*cells, strict=True)]
    rule = [
        "-" * (width - 1) + ":" if column in right else "-" * width
        for column, width in enumerate(widths)
    ]
    lines = [
        [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in cells
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in (lines[0], rule, *lines[1:]))


def bullets(items: Iterable[str]) -> str:
    """A list, one item a line."""
    return "\n".join(f"- {item}" for item in items)


def code(text: str) -> str:
    """Text from a file as inline code."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def codes(names: Iterable[str]) -> str:
    """Names as inline code, with commas between; `none` for none."""
    return ", ".join(map(code, names)) or "none"


def fenced(text: str, language: str = "") -> str:
    """Text as a block of code."""
    fence = "````" if "```" in text else "```"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def printable(text: str, *, lines: bool = False) -> str:
    """
    Text with everything that a terminal would obey spelled out.

    Args:
        lines: Leaves line breaks as they are.
    """
    kept = "\n" if lines else ""
    return "".join(c if c.isprintable() or c in kept else ascii(c)[1:-1] for c in text)


def quantity(n: float) -> str:
    """A count, as `1,200`; with one decimal where sessions were weighted."""
    return f"{n:,.0f}" if n == int(n) else f"{n:,.1f}"


def count(n: int, noun: str) -> str:
    """A number of things, as `1 call` and `1,200 calls`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def shortest(value: float) -> str:
    """A number with as few digits as say it, as `0.3` and `1`."""
    return number(value).removesuffix(".0")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
