"""The habit alone: what the agent usually did next."""

from collections.abc import Mapping
from dataclasses import dataclass

from stretto.episodes.vocabulary import RESPOND
from stretto.flow.deciders.protocol import AsksNothing, Chances, Decider
from stretto.flow.flow import Flow
from stretto.flow.moment import Moment
from stretto.oracle.answer import Response


@dataclass(frozen=True, slots=True)
class HabitDecider(AsksNothing):
    """The habit's probability of each lookup; the rest is handing back."""

    flow: Flow
    name: str = "habit"
    chances: Chances = Chances.EXCLUSIVE

    def weigh(
        self, moment: Moment, offered: tuple[str, ...], _: Response | None = None
    ) -> Mapping[str, float]:
        """The probabilities of the offered lookups and of `respond`; they sum to 1."""
        ids = [self.flow.vocab.id(tool) for tool in offered]
        chances = self.flow.habit.chance(moment.history, ids, self.flow.group)
        weighed = dict(zip(offered, chances, strict=True))
        weighed[RESPOND] = max(0.0, 1.0 - sum(chances))
        return weighed


def decider(flow: Flow) -> Decider:
    """The habit as a decider; every flow has one."""
    return HabitDecider(flow)
