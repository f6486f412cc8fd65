"""
Code features: what a tool's output adds to a step's symbol.

A feature map reads a few fields of each tool's output and numbers the combinations of
their values that training saw. Steps whose numbers differ are different histories.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from stretto import canonical
from stretto.canonical import Json
from stretto.episodes.content import Output, parse

MISSING = "∅"
"""The value of a field that an output lacks, or that is of another kind there."""


class Field(NamedTuple):
    """
    One thing read of an output: a scalar's text, or whether an array is empty, has one
    element, or more.

    The path's parts are joined by dots; the empty path is the whole output.
    """

    kind: Literal["Scalar", "Len"]
    path: str

    def read(self, output: Output) -> str:
        """The field's value in `output`, as text."""
        found = output.value
        for part in self.path.split(".") if self.path else ():
            found = found.get(part) if isinstance(found, dict) else None
        if self.kind == "Len":
            return _length(found) if isinstance(found, list) else MISSING
        return (
            canonical.text(found) if isinstance(found, str | int | float) else MISSING
        )


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """The fields read of each tool's output, and the numbers of their values."""

    fields: Mapping[str, tuple[Field, ...]] = field(default_factory=dict)
    ids: Mapping[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)
    """Each tool's combinations of values, numbered from 1; every tool has its own."""

    def feature(self, tool: str, content: str) -> int:
        """The number of a result's values; 0 for text, and for values never seen."""
        fields = self.fields.get(tool)
        output = parse(content) if fields else None
        if not fields or output is None:
            return 0
        return self.ids.get((tool, combination(fields, output)), 0)


NO_FEATURES = FeatureMap()
"""The map of a habit that looks at no output."""


def combination(fields: Iterable[Field], output: Output) -> tuple[str, ...]:
    """The values of `fields` in `output`, in their order."""
    return tuple([field.read(output) for field in fields])


def _length(array: list[Json]) -> str:
    return "2+" if len(array) > 1 else str(len(array))
