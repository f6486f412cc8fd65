"""What a System-One model would add to phase 0: its answers, weighed and projected."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest
from stretto.episodes.tasks import N_FOLDS
from stretto.errors import NothingToLearn
from stretto.evaluate.agreement import Agreement, Judgement, agreement
from stretto.evaluate.outlook import OutlookRow
from stretto.evaluate.phase0 import Phase0
from stretto.evaluate.prediction import Position
from stretto.evaluate.sketch import Side
from stretto.flow.deciders.arbiter import Asker
from stretto.flow.flow import Fit, Flow
from stretto.flow.judge import judge
from stretto.flow.review.arbiter import FIRST, LAST
from stretto.learn.arbiter import Arbitration
from stretto.learn.cases import AskedStep, answered, steps_asked
from stretto.learn.corpus import Chosen
from stretto.learn.learn import learn
from stretto.learn.opinion_rows import Opinion, Projecting
from stretto.learn.settings import Settings
from stretto.oracle.predicates import shipped_predicates


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
    rows: tuple[OutlookRow, ...]


def opinions(
    episodes: Iterable[Episode], manifest: Manifest, found: Phase0, how: Arbitration
) -> Opinions | None:
    """
    The model's answers at the held-out steps that a flow would ask about.

    The flow comes from the training sessions; an arbiter is fitted on the held-out
    steps in five folds of tasks, and judges none that its fold was fitted on. None
    where phase 0 foretold nothing.

    Args:
        episodes: Those that `found` was measured on, in the same order.

    Raises:
        NothingToLearn: as `learn` does, or no step was answered.
        NoConvergence: a fit did not end at its mode.
    """
    if found.foresight is None:
        return None
    flow = _asking(_learned(episodes, manifest, found), how)
    steps = list(_asked(episodes, flow, found, how))
    oracle = how.ask([step.request for _, step in steps])
    targets = {s.agent for s in found.sketches if s.is_target}
    done = [
        (place, one)
        for place, step in steps
        for one in answered(flow, [step], oracle, targets=targets)
    ]
    if not done:
        raise NothingToLearn(f"none of the {len(steps)} held-out steps was answered")
    fits = how.fit(
        [one.case for _, one in done],
        len(flow.weighed),
        replace(how.fitting, by_fold=True),
    )
    judged = [
        Opinion(place, one, judge(fits[one.case.group % N_FOLDS], one.case.features))
        for place, one in done
    ]
    asked = {(place, step.step) for place, step in steps}
    projecting = Projecting(found, found.foresight, asked, judged)
    return _told(projecting, flow, fits)


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


def _asking(flow: Flow, how: Arbitration) -> Flow:
    predicates = shipped_predicates() if how.predicates is None else how.predicates
    weighed = predicates if how.weighs_predicates else ()
    return replace(flow, predicates=predicates, weighed=weighed, model=how.model)


def _asked(
    episodes: Iterable[Episode], flow: Flow, found: Phase0, how: Arbitration
) -> Iterator[tuple[int, AskedStep]]:
    asker = Asker.of(flow, how.wording, how.omit)
    for place, (episode, sketch) in enumerate(
        zip(episodes, found.sketches, strict=True)
    ):
        if sketch.side is Side.TEST:
            yield from ((place, step) for step in steps_asked(flow, asker, episode))


def _told(projecting: Projecting, flow: Flow, fits: Sequence[Fit]) -> Opinions:
    sketches, judged = projecting.found.sketches, projecting.judged
    own = [one for one in judged if not sketches[one.place].is_target]
    agents = dict.fromkeys(sketches[one.place].agent for one in judged)
    return Opinions(
        model=flow.model,
        decisions=sum(
            position is Position.TOOL
            for sketch, foretold in zip(
                sketches, projecting.foresight.foretold, strict=True
            )
            if foretold is not None and not sketch.is_target
            for position in foretold.positions
        ),
        asked=sum(not sketches[place].is_target for place, _ in projecting.asked),
        answered=len(own),
        one=agreement([_chosen(o) for o in own]),
        split=agreement([_likeliest(o, o.answered.answer.split) for o in own]),
        arbiter=agreement([_likeliest(o, o.arbiter) for o in own]),
        by_agent={
            agent: agreement(
                [
                    _likeliest(o, o.arbiter)
                    for o in judged
                    if sketches[o.place].agent == agent
                ]
            )
            for agent in agents
        },
        weights=_weights(flow, fits),
        rows=tuple(projecting.rows()),
    )


def _chosen(one: Opinion) -> Judgement:
    """The option that the model chose in the one question."""
    asked, answer = one.answered.asked, one.answered.answer
    return Judgement(asked.task, answer.pick, answer.one, _actual(asked))


def _likeliest(one: Opinion, probabilities: Mapping[str, float]) -> Judgement:
    """The option that is likeliest, the first of equals."""
    asked = one.answered.asked
    pick = max(sorted(probabilities), key=probabilities.__getitem__)
    return Judgement(asked.task, pick, probabilities, _actual(asked))


def _actual(asked: AskedStep) -> str:
    """The option that stands for the step; a read that is not offered, for itself."""
    return asked.took if asked.option is None else asked.option


def _weights(flow: Flow, fits: Sequence[Fit]) -> tuple[tuple[str, float], ...]:
    """By name, as the mean over folds."""
    names = (*FIRST, *(predicate.id for predicate in flow.weighed), LAST)
    columns = zip(*(fit.weights for fit in fits), strict=True)
    return tuple(
        (name, sum(column) / len(column))
        for name, column in zip(names, columns, strict=True)
    )
