"""Reach: will the agent make this lookup before its next write?"""

from collections.abc import Mapping
from dataclasses import dataclass

from stretto.episodes.vocabulary import RESPOND
from stretto.errors import CannotDecide
from stretto.flow.deciders.protocol import AsksNothing, Chances, Decider
from stretto.flow.flow import Flow
from stretto.flow.moment import Moment
from stretto.habit.backoff import Backoff
from stretto.oracle.answer import Response


@dataclass(frozen=True, slots=True)
class ReachDecider(AsksNothing):
    """Each lookup's own chance to come before the next write."""

    flow: Flow
    reach: Backoff
    name: str = "reach"
    chances: Chances = Chances.INDEPENDENT

    def weigh(
        self, moment: Moment, offered: tuple[str, ...], _: Response | None = None
    ) -> Mapping[str, float]:
        """The chances of the offered lookups; `respond` has none of its own."""
        ids = [self.flow.vocab.id(tool) for tool in offered]
        chances = self.reach.chance(moment.history, ids)
        return {**dict(zip(offered, chances, strict=True)), RESPOND: 0.0}


def decider(flow: Flow) -> Decider:
    """
    Reach as a decider.

    Raises:
        CannotDecide: the flow was learned before flows counted it.
    """
    if flow.reach is None:
        raise CannotDecide(
            "the flow has no reach counts",
            hint="learn it again, or use `--decider habit`",
        )
    return ReachDecider(flow, flow.reach)
