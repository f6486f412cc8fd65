"""Which fields of the tools' outputs could be features, and how values get numbers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from stretto.episodes.content import Output, parse
from stretto.habit.features import FeatureMap, Field

MAX_VALUES = 8
"""The most distinct values of a field worth reading; it takes two to tell apart."""

MAX_SHARE = 0.98
"""The largest share of a tool's outputs that may have the commonest value."""

MAX_ID = 63
"""The most combinations of values that are numbered, per tool."""


class Outputs:
    """One tool's training outputs that are JSON."""

    def __init__(self) -> None:
        self.distinct: list[Output] = []
        """Those of different text, in the order they came up."""
        self.which: list[int] = []
        """Of each output, which of them it is."""
        self._places: dict[str, int] = {}
        self._columns: dict[Field, list[str]] = {}

    def add(self, content: str) -> bool:
        """Take in one more result; False where it is text."""
        place = self._places.get(content)
        if place is None:
            output = parse(content)
            if output is None:
                return False
            place = self._places[content] = len(self.distinct)
            self.distinct.append(output)
        self.which.append(place)
        return True

    def column(self, field: Field) -> Sequence[str]:
        """A field's value in each distinct output; asked for once all are in."""
        column = self._columns.get(field)
        if column is None:
            column = self._columns[field] = [*map(field.read, self.distinct)]
        return column

    def combinations(self, fields: Iterable[Field]) -> list[tuple[str, ...]]:
        """The values of several fields, at least one, in each distinct output."""
        return list(zip(*map(self.column, fields), strict=True))


class Candidate(NamedTuple):
    """A field of one tool's output."""

    tool: str
    field: Field


def candidates(output: Output) -> Iterator[Field]:
    """
    The fields an output suggests: the length of a list, or of a list one key down, and
    the scalars one or two keys down.
    """
    match output.value:
        case list():
            yield Field("Len", "")
        case dict() as fields:
            for key, value in fields.items():
                match value:
                    case list():
                        yield Field("Len", key)
                    case dict():
                        for below, leaf in value.items():
                            if not isinstance(leaf, dict | list):
                                yield Field("Scalar", f"{key}.{below}")
                    case _:
                        yield Field("Scalar", key)


def discover(outputs: Mapping[str, Outputs]) -> list[Candidate]:
    """
    The fields with two to eight distinct values, of which none has nearly all outputs.

    An output without the field has the value `∅` there. By tool; scalars before
    lengths, then by path.
    """
    suggested = (
        Candidate(tool, field)
        for tool, seen in outputs.items()
        for field in {field for output in seen.distinct for field in candidates(output)}
        if _tells_apart(field, seen)
    )
    return sorted(suggested, key=rank)


def number(chosen: Iterable[Candidate], outputs: Mapping[str, Outputs]) -> FeatureMap:
    """
    The map that reads the `chosen` fields and numbers the combinations in `outputs`.

    Combinations are numbered from 1 in sorted order, tool by tool; those past 63 have
    no number.
    """
    fields: dict[str, tuple[Field, ...]] = {}
    for tool, field in sorted(chosen, key=rank):
        fields[tool] = (*fields.get(tool, ()), field)
    return FeatureMap(
        fields,
        {
            (tool, values): i
            for tool, read in fields.items()
            for i, values in enumerate(
                numbered(outputs[tool].combinations(read)), start=1
            )
        },
    )


def numbered(combinations: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The distinct combinations that have a number, sorted."""
    return sorted(set(combinations))[:MAX_ID]


def rank(candidate: Candidate) -> tuple[str, bool, str]:
    """The order fields stand in: by tool, scalars before lengths, then by path."""
    tool, field = candidate
    return tool, field.kind == "Len", field.path


def _tells_apart(field: Field, outputs: Outputs) -> bool:
    column = outputs.column(field)
    if not 2 <= len(set(column)) <= MAX_VALUES:
        return False
    counts = Counter(map(column.__getitem__, outputs.which))
    return max(counts.values()) / len(outputs.which) <= MAX_SHARE
