"""A report's parts, and its first form: Markdown. `page` has the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stretto.markdown import table as markdown_table


@dataclass(frozen=True, slots=True)
class Heading:
    """A section's title."""

    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headers; a column whose cells are all numbers stands to the right."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    """The columns of numbers, by place."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture, drawn as SVG, which Markdown leaves out for its caption."""

    svg: str
    caption: str


@dataclass(frozen=True, slots=True)
class Key:
    """The few numbers a reader came for, each with what it is."""

    values: tuple[tuple[str, str], ...]
    """Number and label."""


Part: TypeAlias = Heading | Prose | Table | Figure | Key


@dataclass(frozen=True, slots=True)
class Document:
    """A report: what it is about, and its parts in order."""

    title: str
    parts: tuple[Part, ...]


def table(
    headers: Sequence[str], rows: Sequence[Sequence[object]], *, text: int = 1
) -> Table:
    """A table whose first `text` columns are words and whose others are numbers."""
    cells = tuple(tuple(map(_cell, row)) for row in rows)
    return Table(tuple(headers), cells, frozenset(range(text, len(headers))))


def _cell(value: object) -> str:
    return f"{value:,}" if type(value) is int else str(value)


def markdown(document: Document) -> str:
    """The report as Markdown, its figures left out."""
    return "\n\n".join([f"# {document.title}", *filter(None, map(_md, document.parts))])


def _md(part: Part) -> str:
    match part:
        case Heading(text):
            return f"## {text}"
        case Prose(text):
            return text
        case Key(values):
            return "\n".join(f"- **{value}** {label}" for value, label in values)
        case Table():
            return markdown_table(part.headers, part.rows, right=part.numeric)
        case Figure():
            return ""
