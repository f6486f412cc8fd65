"""Which fields of the tools' outputs could be features, and how values get numbers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from stretto.episodes.content import Output
from stretto.habit.features import FeatureMap, Field, combination

MAX_VALUES = 8
"""The most distinct values of a field worth reading; it takes two to tell apart."""

MAX_SHARE = 0.98
"""The largest share of a tool's outputs that may have the commonest value."""

MAX_ID = 63
"""The most combinations of values that are numbered, per tool."""

Outputs: TypeAlias = Mapping[str, Sequence[Output]]
"""The training outputs that are JSON, by tool."""


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


def discover(outputs: Outputs) -> list[Candidate]:
    """
    The fields with two to eight distinct values, of which none has nearly all outputs.

    An output without the field has the value `∅` there. By tool; scalars before
    lengths, then by path.
    """
    suggested = (
        Candidate(tool, field)
        for tool, seen in outputs.items()
        for field in _suggested(seen)
        if _tells_apart([field.read(output) for output in seen])
    )
    return sorted(suggested, key=rank)


def number(chosen: Iterable[Candidate], outputs: Outputs) -> FeatureMap:
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
            for i, values in enumerate(_combinations(read, outputs[tool]), start=1)
        },
    )


def _combinations(
    fields: Sequence[Field], outputs: Iterable[Output]
) -> list[tuple[str, ...]]:
    return sorted({combination(fields, output) for output in outputs})[:MAX_ID]


def _suggested(outputs: Iterable[Output]) -> set[Field]:
    return {field for output in outputs for field in candidates(output)}


def rank(candidate: Candidate) -> tuple[str, bool, str]:
    """The order fields stand in: by tool, scalars before lengths, then by path."""
    tool, field = candidate
    return tool, field.kind == "Len", field.path


def _tells_apart(values: Sequence[str]) -> bool:
    counts = Counter(values)
    return (
        2 <= len(counts) <= MAX_VALUES
        and max(counts.values()) / len(values) <= MAX_SHARE
    )
