"""A lookup's arguments and the chance that they are the agent's."""

from collections.abc import Sequence
from dataclasses import dataclass

from stretto.binding.byname import CHANCE, bind_by_name
from stretto.binding.chance import bindable, chance, pooled_chance
from stretto.binding.passed import Passed
from stretto.binding.pick import ALREADY, Mention, Pick, Used, is_made, pick
from stretto.binding.seen import Seen
from stretto.binding.sources import Bindings, required, rules
from stretto.canonical import Json, text
from stretto.episodes.episode import ToolCall
from stretto.episodes.manifest import Manifest

__all__ = [
    "Bound",
    "Mention",
    "Pick",
    "bind",
    "bind_by_name",
    "bindable",
    "chance",
    "pick",
    "pooled_chance",
    "required",
    "rules",
]


@dataclass(frozen=True, slots=True)
class Bound:
    """A lookup that can be made."""

    arguments: dict[str, Json]
    chance: float
    """Between 0 and 1: how likely the agent would have passed these arguments."""
    mention: Mention


def bind(
    bindings: Bindings,
    manifest: Manifest,
    tool: str,
    seen: Seen,
    also: Sequence[ToolCall] = (),
) -> Bound | str:
    """
    The arguments of the next call of a lookup, or why it cannot be made.

    A lookup training never saw is bound by the names its documentation gives.

    Args:
        also: Calls of the same turn that are still without a result.
    """
    recipe = bindings.recipe(tool)
    if recipe is None:
        found = bind_by_name(manifest.docs.get(tool), tool, seen, also)
        if isinstance(found, str):
            return found
        return Bound(found.arguments, CHANCE if found.arguments else 1.0, found.mention)
    picked = pick(bindings, tool, seen, also)
    if isinstance(picked, str):
        return picked
    if not recipe.slots and _was_made(tool, picked, seen, also):
        return ALREADY
    return Bound(picked.arguments, chance(bindings, tool, picked), picked.mention)


def _was_made(tool: str, picked: Pick, seen: Seen, also: Sequence[ToolCall]) -> bool:
    """Whether a call of constants alone was made before, as it would be made again."""
    used = Used(seen, also)
    return is_made(tool, seen, also) and all(
        Passed(tool, argument, text(value)) in used
        for argument, value in picked.arguments.items()
    )
