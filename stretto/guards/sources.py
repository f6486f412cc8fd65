"""Which results of a domain's tools are facts, and of what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_READS = ("get_", "find_", "list_", "search_")
_NEITHER = "calculate"


@dataclass(frozen=True, slots=True)
class Keyed:
    """What a tool returns is of this kind, and these arguments say which one it is."""

    kind: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a domain's facts are found."""

    identities: frozenset[str] = frozenset()
    """The tools whose text is the id of the user that the agent authenticated."""
    by_argument: Mapping[str, Keyed] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """By tool, what its results are."""
    by_field: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """By field, the kind of record that any tool's object with that field is."""


def may_write(tool: str) -> bool:
    """Whether a tool's name does not say that it only reads."""
    return not tool.startswith(_READS) and tool != _NEITHER
