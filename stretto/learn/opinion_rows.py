"""What flows would save if a System-One model's answers, or an arbiter, decided."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from stretto.episodes.vocabulary import RESPOND
from stretto.evaluate.foresight import Foresight
from stretto.evaluate.outlook import Measured, OutlookRow, where_validated
from stretto.evaluate.phase0 import Phase0
from stretto.evaluate.prediction import Position
from stretto.evaluate.projection import RESPOND_ID, Design, Scenario
from stretto.evaluate.sketch import by_agent
from stretto.evaluate.transfer import POOLED
from stretto.flow.decide import THRESHOLD
from stretto.learn.cases import Answered

SURE = (0.5, 0.7, 0.9, 0.95, 0.99)
"""How sure an oracle or an arbiter has to be."""

LIKELY = (0.2, 0.3, 0.4)
"""How likely a lookup has to be that comes first."""

Place: TypeAlias = tuple[int, int]
"""A session's place in reading order, and a step of it."""


class Opinion(NamedTuple):
    """One answered step."""

    place: int
    """Of its session."""
    answered: Answered
    arbiter: Mapping[str, float]
    """Each option's probability."""


Decide: TypeAlias = Callable[[Opinion, float, str], str | None]
"""The option decided on, given how sure one has to be and the habit's own top."""


@dataclass(frozen=True, slots=True)
class Projecting:
    """Held-out sessions, what was asked of them, and what was answered."""

    found: Phase0
    foresight: Foresight
    asked: Collection[Place]
    judged: Sequence[Opinion]

    def rows(self) -> Iterator[OutlookRow]:
        """
        Every scenario at its thresholds, over the agents learned from.

        Each agent's own rows are of the likeliest lookup at a flow's own threshold.
        """
        gate = where_validated({v.context for v in self.foresight.validated})
        for scenario, (decide, thresholds) in _SCENARIOS.items():
            for threshold in thresholds:
                groups = self._groups(decide, threshold)
                if scenario is not Scenario.LOOKUP_FIRST or threshold != THRESHOLD:
                    groups = {POOLED: groups[POOLED]}
                for agent, of in groups.items():
                    row = self.found.projector.row(
                        agent, of, gate, scenario, Design.READ_ONLY
                    )
                    yield replace(row, threshold=threshold)

    def _groups(self, decide: Decide, threshold: float) -> dict[str, list[Measured]]:
        """The sessions with what is decided of them: all agents', and each one's."""
        picks = self._picks(decide, threshold)
        sessions = [
            Measured(sketch, foretold, picks[place])
            for place, (sketch, foretold) in enumerate(
                zip(self.found.sketches, self.foresight.foretold, strict=True)
            )
            if foretold is not None
        ]
        agents = by_agent(m.sketch for m in sessions)
        return {POOLED: [m for m in sessions if not m.sketch.is_target]} | {
            agent: [m for m in sessions if m.sketch.agent == agent] for agent in agents
        }

    def _picks(self, decide: Decide, threshold: float) -> dict[int, dict[int, int]]:
        """The actions decided on, by place and step."""
        picks = self._fixed()
        for one in self.judged:
            step = one.answered.asked.step
            option = decide(one, threshold, self._habit(one.place, step))
            if option is not None:
                tool = None if option == RESPOND else option
                picks[one.place][step] = self.found.vocab.id(tool)
        return picks

    def _fixed(self) -> dict[int, dict[int, int]]:
        """Handing back after calls whose site offers no lookup."""
        return {
            place: {
                step: RESPOND_ID
                for step, position in enumerate(foretold.positions)
                if position is Position.TOOL and (place, step) not in self.asked
            }
            for place, foretold in enumerate(self.foresight.foretold)
            if foretold is not None
        }

    def _habit(self, place: int, step: int) -> str:
        """The habit's own top, where that is a read, and else handing back."""
        foretold = self.foresight.foretold[place]
        assert foretold is not None
        top = foretold.steps[step].top
        is_read = top in self.found.projector.reads
        return self.found.vocab.tools[top - 1] if is_read else RESPOND


def _oracle(one: Opinion, sure: float, _: str) -> str | None:
    answer = one.answered.answer
    return answer.pick if answer.one.get(answer.pick, 0.0) >= sure else None


def _two_keys(one: Opinion, sure: float, habit: str) -> str | None:
    pick = _oracle(one, sure, habit)
    return pick if pick == habit else None


def _arbitrated(one: Opinion, sure: float, _: str) -> str | None:
    top = max(sorted(one.arbiter), key=one.arbiter.__getitem__)
    return top if one.arbiter[top] >= sure else None


def _lookup_first(one: Opinion, likely: float, _: str) -> str | None:
    lookups = one.answered.asked.lookups
    best = max(sorted(lookups), key=one.arbiter.__getitem__)
    return best if one.arbiter[best] >= likely else None


_SCENARIOS: Mapping[Scenario, tuple[Decide, Sequence[float]]] = {
    Scenario.ORACLE: (_oracle, SURE),
    Scenario.TWO_KEYS: (_two_keys, SURE),
    Scenario.ARBITRATED: (_arbitrated, SURE),
    Scenario.LOOKUP_FIRST: (_lookup_first, LIKELY),
}
