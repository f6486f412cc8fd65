"""How likely a pick is the agent's own call, by Laplace's rule of succession."""

from stretto.binding.pick import Mention, Pick
from stretto.binding.sources import Agreement, Bindings, Tally


def chance(bindings: Bindings, tool: str, pick: Pick) -> float:
    """The chance, between 0 and 1, that the agent would have passed this pick."""
    if not pick.arguments:
        return _bare_chance(bindings, tool)
    unmentioned, mentioned = bindings.agreed.get(tool, Agreement())
    match pick.mention:
        case Mention.PICKED:
            return _share(mentioned)
        case Mention.OTHER:
            picks = bindings.named_other.get(tool)
        case Mention.DESCRIBED:
            picks = bindings.described_read.get(tool)
        case Mention.NONE:
            picks = None
    share = _share(unmentioned)
    if picks is None:
        return share
    return (picks.used + 2 * share) / (picks.picks + 2)


def pooled_chance(bindings: Bindings, tool: str) -> float:
    """The chance whatever the user has mentioned, as a review reports it."""
    unmentioned, mentioned = bindings.agreed.get(tool, Agreement())
    agreed = unmentioned.agreed + mentioned.agreed
    return _share(Tally(agreed, unmentioned.calls + mentioned.calls))


def bindable(bindings: Bindings, tool: str) -> bool:
    """Whether every required argument has a source or a constant."""
    recipe = bindings.recipe(tool)
    return recipe is not None and recipe.can_bind


def _bare_chance(bindings: Bindings, tool: str) -> float:
    bare = bindings.bare.get(tool)
    if bare is None:
        return 1.0
    return _share(Tally(bare, bindings.args[tool].calls))


def _share(tally: Tally) -> float:
    return (tally.agreed + 1) / (tally.calls + 2)
