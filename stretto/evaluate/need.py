"""What a step's arguments would take: binding, a choice, or a model that writes."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from stretto.evaluate.provenance import Leaf, Origin
from stretto.evaluate.sketch import Call

MAX_VALUES = 8
"""The most values an argument took that a closed question can still offer."""

MIN_USES = 10
"""The uses that it takes to know them."""


class Need(IntEnum):
    """What it takes, the least first."""

    BOUND = 0
    """The value stands in what was said or returned."""
    CLOSED_SET = 1
    """It is one of a few: a question can offer them."""
    LLM = 2
    """It has to be written."""


@dataclass(slots=True)
class Values:
    """The values that arguments took in the sessions learned from."""

    _uses: defaultdict[tuple[str, str], int] = field(
        default_factory=lambda: defaultdict(int)
    )
    _seen: defaultdict[tuple[str, str], set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )

    def add(self, tool: str, leaves: Iterable[Leaf]) -> None:
        """Count the values of one call. Past a few, an argument's are not kept."""
        for leaf in leaves:
            key = tool, leaf.argument
            self._uses[key] += 1
            if len(seen := self._seen[key]) <= MAX_VALUES:
                seen.add(leaf.value)

    def closed(self) -> frozenset[tuple[str, str]]:
        """The arguments, by tool, that took few values often."""
        return frozenset(
            key
            for key, n in self._uses.items()
            if n >= MIN_USES and len(self._seen[key]) <= MAX_VALUES
        )


def need(call: Call, closed: Collection[tuple[str, str]]) -> Need:
    """The most that any value of a call takes; a call without values takes nothing."""
    most = Need.BOUND
    for source in call.sources:
        match source.origin:
            case Origin.LITERAL | Origin.SHORT:
                most = max(most, Need.CLOSED_SET)
            case Origin.GENERATED:
                listed = (call.tool, source.argument) in closed
                most = max(most, Need.CLOSED_SET if listed else Need.LLM)
    return most
