"""The arguments of a lookup training never saw: values of the documented names."""

from collections.abc import Iterator, Sequence

from stretto.binding.paths import Leaf
from stretto.binding.pick import ALREADY, Mention, Pick, Used, is_made
from stretto.binding.seen import Seen
from stretto.canonical import Json
from stretto.episodes.episode import ToolCall
from stretto.episodes.manifest import ToolDocs

CHANCE = 0.5
"""The chance that values found by name are the agent's."""


def bind_by_name(
    docs: ToolDocs | None, tool: str, seen: Seen, also: Sequence[ToolCall] = ()
) -> Pick | str:
    """
    A value for every documented argument, or why there is none.

    Each is the first string under a key of the argument's name that the user named,
    else the first, of those not passed before; the latest output comes first.
    """
    names = sorted(docs.args) if docs is not None else []
    if not names and is_made(tool, seen, also):
        return ALREADY
    used = Used(seen, also)
    arguments: dict[str, Json] = {}
    mentioned = True
    for name in names:
        leaves = [
            leaf for leaf in _under(name, seen) if (tool, name, leaf.value) not in used
        ]
        if not leaves:
            return f"{name}: no result holds a value of that name that was not passed"
        named = next((leaf for leaf in leaves if seen.said.names(leaf)), None)
        mentioned = mentioned and named is not None
        arguments[name] = (named or leaves[0]).value
    return Pick(arguments, Mention.PICKED if mentioned else Mention.NONE)


def _under(name: str, seen: Seen) -> Iterator[Leaf]:
    for _, output in reversed(seen.outputs):
        yield from output.under(name)
