"""What a System-One model would add to phase 0: its answers, weighed and projected."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest
from stretto.episodes.tasks import N_FOLDS
from stretto.errors import NothingToLearn
from stretto.evaluate.agreement import Agreement, Judgement, agreement
from stretto.evaluate.outlook import OutlookRow
from stretto.evaluate.phase0 import Phase0
from stretto.evaluate.prediction import Foretold, Position
from stretto.evaluate.projection import Design, Scenario
from stretto.evaluate.sketch import Side, Sketch
from stretto.flow.flow import Flow
from stretto.flow.judge import judge
from stretto.learn.any_tool import AnsweredTool, AnyTool
from stretto.learn.arbiter import Arbitration, asking, yes_alone
from stretto.learn.cases import answered
from stretto.learn.corpus import Chosen
from stretto.learn.decisionlog import Heard
from stretto.learn.learn import learn
from stretto.learn.opinion import (
    Opinion,
    chosen,
    handed_back,
    likeliest,
    mean_weights,
    votes_of,
)
from stretto.learn.opinion_rows import Place, Projecting, Vote
from stretto.learn.questionnaire import Questionnaire, questionnaire
from stretto.learn.settings import Settings
from stretto.learn.value_opinions import ValueOpinions, value_opinions
from stretto.learn.values import AnsweredValue, AskedValue, values_answered
from stretto.oracle.oracle import Oracle


@dataclass(frozen=True, slots=True)
class Opinions:
    """What a model answered about held-out steps. Targets are in no figure but rows."""

    model: str
    decisions: int
    """The steps after a call, in the held-out sessions of the agents learned from."""
    asked: int
    """Those of them whose site has a lookup to offer."""
    answered: int
    one: Agreement
    """Of the one question."""
    split: Agreement
    """Of the two halves together."""
    arbiter: Agreement
    """Of the arbiter, each step judged by the fold that held its task out."""
    by_agent: Mapping[str, Agreement]
    """Of the arbiter, targets too."""
    weights: tuple[tuple[str, float], ...]
    """The arbiter's, by name, as the mean over folds."""
    values: ValueOpinions
    """Of lookups' arguments."""
    any_tool: AnyTool | None
    """None where that was not asked."""
    rows: tuple[OutlookRow, ...]
    heard: Heard


def opinions(
    episodes: Iterable[Episode],
    manifest: Manifest,
    found: Phase0,
    how: Arbitration,
    *,
    any_tool: bool = False,
) -> Opinions | None:
    """
    The model's answers at the held-out steps that a flow would ask about.

    The flow comes from the training sessions; an arbiter is fitted on the held-out
    steps in five folds of tasks, and judges none that its fold was fitted on. None
    where phase 0 foretold nothing.

    Args:
        episodes: Those that `found` was measured on, in the same order.
        any_tool: Whether it is also asked what a flow that may call anything would be.

    Raises:
        NothingToLearn: as `learn` does, or no step was answered.
        NoConvergence: a fit did not end at its mode.
    """
    if found.foresight is None:
        return None
    flow = asking(_learned(episodes, manifest, found), how)
    asked = questionnaire(episodes, flow, found.sketches, how, any_tool=any_tool)
    oracle = how.ask(asked.requests())
    targets = frozenset(s.agent for s in found.sketches if s.is_target)
    done = [
        (place, one)
        for place, step in asked.steps
        for one in answered(flow, [step], oracle, targets=targets)
    ]
    if not any(one.case.fittable for _, one in done):
        raise NothingToLearn(
            f"none of the {len(asked.steps)} held-out steps was answered"
        )
    fits = how.fit(
        [one.case for _, one in done],
        len(flow.weighed),
        replace(how.fitting, by_fold=True),
    )
    judged = [
        Opinion(place, one, judge(fits[one.case.group % N_FOLDS], one.case.features))
        for place, one in done
    ]
    return _Told(found, replace(flow, folds=fits), asked, oracle, judged).opinions()


def _learned(episodes: Iterable[Episode], manifest: Manifest, found: Phase0) -> Flow:
    own = [at for at, s in enumerate(found.sketches) if not s.is_target]
    tasks = frozenset(s.task for s in found.sketches if s.side is Side.TRAIN)
    assert found.foresight is not None
    settings = Settings(
        alpha=found.foresight.alpha if found.foresight.concentration is None else None,
        features=found.foresight.selection is not None,
        tasks=tasks.__contains__,
    )
    return learn(Chosen(episodes, own), manifest, settings).flow


@dataclass(frozen=True, slots=True)
class _Told:
    """Everything that was answered, to be summed up."""

    found: Phase0
    flow: Flow
    asked: Questionnaire
    oracle: Oracle
    judged: Sequence[Opinion]

    def opinions(self) -> Opinions:
        sketches = self.found.sketches
        own = [o for o in self.judged if not sketches[o.place].is_target]
        agents = dict.fromkeys(sketches[one.place].agent for one in self.judged)
        values = self._values(self.asked.values)
        any_tool, any_rows = self._any_tool()
        asked = {(place, step.step) for place, step in self.asked.steps}
        votes = votes_of(self.judged, handed_back(self.foretold, asked))
        rows = Projecting(self.found, Design.READ_ONLY, votes, values).rows()
        return Opinions(
            model=self.flow.model,
            decisions=self._decisions(),
            asked=sum(not sketches[place].is_target for place, _ in self.asked.steps),
            answered=len(own),
            one=agreement([chosen(o) for o in own]),
            split=agreement([likeliest(o, o.answered.answer.split) for o in own]),
            arbiter=agreement([likeliest(o, o.arbiter) for o in own]),
            by_agent={
                agent: agreement(
                    [
                        likeliest(o, o.arbiter)
                        for o in self.judged
                        if sketches[o.place].agent == agent
                    ]
                )
                for agent in agents
            },
            weights=mean_weights(self.flow),
            values=value_opinions(_own(values, sketches)),
            any_tool=any_tool,
            rows=(*rows, *any_rows),
            heard=Heard(
                self.flow,
                [one.answered for one in self.judged],
                yes_alone(self.asked.beside, self.oracle),
                [value for of in values.values() for value in of],
                frozenset(s.agent for s in sketches if s.is_target),
            ),
        )

    @property
    def foretold(self) -> Sequence[Foretold | None]:
        """The steps of each held-out session."""
        assert self.found.foresight is not None
        return self.found.foresight.foretold

    def _decisions(self) -> int:
        pairs = zip(self.found.sketches, self.foretold, strict=True)
        return sum(
            position is Position.TOOL
            for sketch, foretold in pairs
            if foretold is not None and not sketch.is_target
            for position in foretold.positions
        )

    def _values(
        self, asked: Sequence[tuple[int, AskedValue]]
    ) -> dict[Place, list[AnsweredValue]]:
        found: dict[Place, list[AnsweredValue]] = defaultdict(list)
        answers = values_answered([one for _, one in asked], self.oracle)
        for (place, one), answer in zip(asked, answers, strict=True):
            found[place, one.step].append(answer)
        return found

    def _any_tool(self) -> tuple[AnyTool | None, Iterable[OutlookRow]]:
        """What a flow that may call anything would be told, and what that saves."""
        if (asker := self.asked.any_asker) is None:
            return None, ()
        sketches, steps = self.found.sketches, self.asked.any_steps
        answers = asker.answered([one for _, one in steps], self.oracle)
        told = {
            (place, answer.asked.step): answer
            for (place, _), answer in zip(steps, answers, strict=True)
            if answer is not None
        }
        values = self._values(self.asked.any_values)
        votes = {at: Vote(one.pick.option, one.pick.p) for at, one in told.items()}
        scenarios = dict.fromkeys((Scenario.ORACLE, Scenario.TWO_KEYS), votes)
        rows = Projecting(self.found, Design.ANY_TOOL, scenarios, values).rows()
        own = [o for (place, _), o in told.items() if not sketches[place].is_target]
        summed = AnyTool(
            sum(not sketches[place].is_target for place, _ in steps),
            agreement([_of_tool(one) for one in own]),
            value_opinions(_own(values, sketches)),
        )
        return summed, rows


def _own(
    values: Mapping[Place, Collection[AnsweredValue]], sketches: Sequence[Sketch]
) -> list[AnsweredValue]:
    """Those of the agents learned from."""
    return [
        one
        for (place, _), of in values.items()
        if not sketches[place].is_target
        for one in of
    ]


def _of_tool(one: AnsweredTool) -> Judgement:
    asked, pick = one
    return Judgement(asked.task, pick.option, pick.probabilities, asked.took)
