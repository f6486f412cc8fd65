"""The arguments a lookup would be given, from what has been seen."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from stretto.binding.passed import Passed, passed_by
from stretto.binding.said import Row
from stretto.binding.seen import Seen
from stretto.binding.sources import Bindings, Slot, Source
from stretto.canonical import Json, compact
from stretto.episodes.episode import ToolCall

ALREADY = "already looked up"


class Mention(StrEnum):
    """What the user has said of a pick."""

    PICKED = "picked"
    """They mentioned every value, or its record; or there was nothing to mention."""
    NONE = "none"
    OTHER = "other"
    """They mentioned another value that stood where this one does."""
    DESCRIBED = "described"
    """They gave a value that one record already read holds and another lacks."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A lookup's arguments: the required ones, and those that have a constant."""

    arguments: dict[str, Json]
    mention: Mention


def pick(
    bindings: Bindings, tool: str, seen: Seen, also: Sequence[ToolCall] = ()
) -> Pick | str:
    """
    The arguments a lookup would be given next, or why there are none.

    Args:
        also: Calls of the same turn that count as made: in training the earlier ones,
            live those without a result.
    """
    recipe = bindings.recipe(tool)
    if recipe is None:
        return "never called in training"
    if not recipe.required and is_made(tool, seen, also):
        return ALREADY
    used = Used(seen, also)
    filled: list[_Filled] = []
    for slot in recipe.slots:
        value = _fill(tool, slot, seen, used)
        if isinstance(value, str):
            return f"{slot.argument}: {value}"
        filled.append(value)
    arguments = {value.argument: value.value for value in filled}
    if recipe.constants:
        arguments = dict(sorted({**recipe.constants, **arguments}.items()))
    return Pick(arguments, _mention(tool, filled, seen))


def is_made(tool: str, seen: Seen, also: Sequence[ToolCall]) -> bool:
    """Whether the tool was called before, whatever became of it."""
    return tool in seen.called or any(call.tool == tool for call in also)


class Used:
    """Every value passed before, whatever became of the call."""

    def __init__(self, seen: Seen, also: Sequence[ToolCall]) -> None:
        self._passed = seen.passed
        self._also: AbstractSet[Passed] = frozenset()
        if also:
            self._also = {value for call in also for value in passed_by(call)}

    def __contains__(self, value: tuple[str, str, str]) -> bool:
        return value in self._passed or value in self._also

    def also(self, tool: str, argument: str) -> AbstractSet[str]:
        """What the calls that only count as made pass to an argument."""
        if not self._also:
            return frozenset()
        return {x.text for x in self._also if x[:2] == (tool, argument)}


class _Filled(NamedTuple):
    """One argument's value, and what the user has said of it."""

    argument: str
    value: Json
    mentioned: bool
    other: bool = False
    """Whether they mentioned another value at the argument's sources instead."""
    row: Row | None = None
    """What a string was picked from."""


def _fill(tool: str, slot: Slot, seen: Seen, used: Used) -> _Filled | str:
    if not slot.sources:
        if slot.takes_lists or slot.takes_strings:
            return "no source in training; the agent has to supply it"
        return "neither a string nor a list of strings in training"
    choose = _whole_list if slot.takes_lists else _one_string
    return choose(tool, slot, seen, used) or "no value is left that was not passed"


def _whole_list(tool: str, slot: Slot, seen: Seen, used: Used) -> _Filled | None:
    """The latest list at one of the sources, unless it was passed before."""
    for row in _latest_rows(slot, seen):
        values: list[Json] = [*row.values]
        if values and (tool, slot.argument, compact(values)) not in used:
            return _Filled(slot.argument, values, all(row.named))
    return None


def _one_string(tool: str, slot: Slot, seen: Seen, used: Used) -> _Filled | None:
    """The first string the user named that was not passed before, else the first."""
    argument = slot.argument
    order = slot.by_site.get(seen.last_tool or "")
    found = seen.first(
        tool,
        argument,
        slot.sources if order is None else order,
        in_order=order is not None,
        also=used.also(tool, argument),
    )
    if found is None:
        return None
    if found.is_named:
        return _Filled(argument, found.value, True)
    any_named = any(map(seen.names_any, slot.sources))
    return _Filled(argument, found.value, False, any_named, found.row)


def _latest_rows(slot: Slot, seen: Seen) -> Iterator[Row]:
    """The values at the sources, from the latest output on."""
    rows = {source: reversed(seen.rows(source)) for source in slot.sources}
    for tool, _ in reversed(seen.outputs):
        for path in slot.paths.get(tool, ()):
            yield next(rows[Source(tool, path)])


def _mention(tool: str, filled: list[_Filled], seen: Seen) -> Mention:
    if all(value.mentioned for value in filled):
        return Mention.PICKED
    if any(value.other for value in filled):
        return Mention.OTHER
    if any(_is_described(tool, value, seen) for value in filled):
        return Mention.DESCRIBED
    return Mention.NONE


def _is_described(tool: str, value: _Filled, seen: Seen) -> bool:
    """
    Whether the record the user described may have been read already.

    Of the other values in the same place, at least two were looked up, and the user
    gave a key that what one of them returned holds and what another returned lacks.
    """
    if value.row is None or len(seen.outputs_of(tool)) < 2:
        return False
    others = (other for other in value.row.first if other != value.value)
    found = [seen.returned(Passed(tool, value.argument, other)) for other in others]
    records = [output.keys for output in found if output is not None]
    if len(records) < 2:
        return False
    apart = frozenset.union(*records) - frozenset.intersection(*records)
    return not apart.isdisjoint(seen.given()) or any(map(seen.said.mentions, apart))
