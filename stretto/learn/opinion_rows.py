"""What flows would save if a System-One model's answers, or an arbiter, decided."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from stretto.episodes.vocabulary import RESPOND
from stretto.evaluate.foresight import Foresight
from stretto.evaluate.outlook import Measured, OutlookRow, where_validated
from stretto.evaluate.phase0 import Phase0
from stretto.evaluate.projection import Design, Scenario
from stretto.evaluate.sketch import by_agent
from stretto.evaluate.transfer import POOLED
from stretto.flow.decide import THRESHOLD
from stretto.learn.values import AnsweredValue, verdict

SURE = (0.5, 0.7, 0.9, 0.95, 0.99)
"""How sure an oracle or an arbiter has to be."""

LIKELY = (0.2, 0.3, 0.4)
"""How likely a lookup has to be that comes first."""

Place: TypeAlias = tuple[int, int]
"""A session's place in reading order, and a step of it."""


class Vote(NamedTuple):
    """The option that somebody would take, and how sure they are of it."""

    option: str
    p: float


Votes: TypeAlias = Mapping[Place, Vote]


@dataclass(frozen=True, slots=True)
class Projecting:
    """Held-out sessions under flows of one design, and what is voted for in them."""

    found: Phase0
    """With its foresight."""
    design: Design
    votes: Mapping[Scenario, Votes]
    """By who decides; where nobody votes, nobody decides."""
    values: Mapping[Place, Sequence[AnsweredValue]] = field(default_factory=dict)
    """What was answered about a call's arguments."""

    @property
    def foresight(self) -> Foresight:
        """How the sessions are foretold."""
        assert self.found.foresight is not None
        return self.found.foresight

    def rows(self) -> Iterator[OutlookRow]:
        """
        Every scenario at its thresholds, over the agents learned from.

        Each agent's own rows are of the likeliest lookup at a flow's own threshold.
        """
        gate = where_validated({v.context for v in self.foresight.validated})
        for scenario in self.votes:
            thresholds = LIKELY if scenario is Scenario.LOOKUP_FIRST else SURE
            for threshold in thresholds:
                groups = self._groups(scenario, threshold)
                if scenario is not Scenario.LOOKUP_FIRST or threshold != THRESHOLD:
                    groups = {POOLED: groups[POOLED]}
                for agent, of in groups.items():
                    row = self.found.projector.row(
                        agent, of, gate, scenario, self.design
                    )
                    yield replace(row, threshold=threshold)

    def _groups(self, scenario: Scenario, sure: float) -> dict[str, list[Measured]]:
        """The sessions with what is decided of them: all agents', and each one's."""
        picks = self._picks(scenario, sure)
        argued = self._argued(sure)
        sessions = [
            Measured(sketch, foretold, picks.get(place, {}), argued.get(place, {}))
            for place, (sketch, foretold) in enumerate(
                zip(self.found.sketches, self.foresight.foretold, strict=True)
            )
            if foretold is not None
        ]
        agents = by_agent(m.sketch for m in sessions)
        return {POOLED: [m for m in sessions if not m.sketch.is_target]} | {
            agent: [m for m in sessions if m.sketch.agent == agent] for agent in agents
        }

    def _picks(self, scenario: Scenario, sure: float) -> dict[int, dict[int, int]]:
        """The actions decided on, by place and step."""
        picks: dict[int, dict[int, int]] = {}
        needs_both = scenario is Scenario.TWO_KEYS
        for (place, step), vote in self.votes[scenario].items():
            is_sure = vote.p >= sure
            if is_sure and not (needs_both and vote.option != self._habit(place, step)):
                tool = None if vote.option == RESPOND else vote.option
                picks.setdefault(place, {})[step] = self.found.vocab.id(tool)
        return picks

    def _argued(self, sure: float) -> dict[int, dict[int, bool]]:
        """Whether calls' arguments are right, where somebody is sure of them."""
        argued: dict[int, dict[int, bool]] = {}
        for (place, step), values in self.values.items():
            if (right := verdict(values, sure)) is not None:
                argued.setdefault(place, {})[step] = right
        return argued

    def _habit(self, place: int, step: int) -> str:
        """The habit's own top; handing back where the design does not allow it."""
        foretold = self.foresight.foretold[place]
        assert foretold is not None
        top, tools = foretold.steps[step].top, self.found.vocab.tools
        is_read = top in self.found.projector.reads
        if not 0 < top <= len(tools) or (
            self.design is Design.READ_ONLY and not is_read
        ):
            return RESPOND
        return tools[top - 1]
