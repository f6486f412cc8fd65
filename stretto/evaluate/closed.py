"""The values that arguments took, where they are few enough to be offered."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from stretto.canonical import Json, compact
from stretto.episodes.episode import AssistantTurn, Episode
from stretto.oracle.value import Place

MAX_OPTIONS = 12
"""The most values that are offered."""


def spelled(value: Json) -> str | None:
    """A value as an option: a string as it is, else its JSON; None for a container."""
    match value:
        case str():
            return value
        case list() | dict():
            return None
        case _:
            return compact(value)


@dataclass(slots=True)
class ClosedValues:
    """
    The values of arguments in the sessions learned from.

    An argument that took a list, an object or more values than are offered has none.
    """

    _seen: defaultdict[Place, set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )
    _open: set[Place] = field(default_factory=set)

    @classmethod
    def of(cls, episodes: Iterable[Episode]) -> "ClosedValues":
        """Those of every call of some episodes."""
        found = cls()
        for episode in episodes:
            for event in episode.events:
                if isinstance(event, AssistantTurn):
                    for call in event.calls:
                        if isinstance(call.arguments, Mapping):
                            found.add(call.tool, call.arguments)
        return found

    def add(self, tool: str, arguments: Mapping[str, Json]) -> None:
        """Count the arguments of one call."""
        for name, value in arguments.items():
            place, option = Place(tool, name), spelled(value)
            if place in self._open:
                continue
            if option is not None:
                self._seen[place].add(option)
            if option is None or len(self._seen[place]) > MAX_OPTIONS:
                self._open.add(place)
                self._seen.pop(place, None)

    def options(self, place: Place) -> tuple[str, ...]:
        """An argument's values, sorted; none where they are open or were never seen."""
        return tuple(sorted(self._seen.get(place, ())))
