"""One step as a System-One model and an arbiter see it, and what each would take."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from stretto.episodes.vocabulary import RESPOND
from stretto.evaluate.agreement import Judgement
from stretto.evaluate.prediction import Foretold, Position
from stretto.evaluate.projection import Scenario
from stretto.flow.flow import Flow
from stretto.flow.review.arbiter import FIRST, LAST
from stretto.learn.cases import Answered, AskedStep
from stretto.learn.opinion_rows import Place, Vote, Votes


class Opinion(NamedTuple):
    """One answered step."""

    place: int
    """Of its session."""
    answered: Answered
    arbiter: Mapping[str, float]
    """Each option's probability."""


def votes_of(judged: Sequence[Opinion], fixed: Votes) -> dict[Scenario, Votes]:
    """
    Who would do what.

    Args:
        fixed: What all of them do where nothing is asked.
    """
    one = {_at(o): _pick(o) for o in judged}
    return {
        Scenario.ORACLE: {**fixed, **one},
        Scenario.TWO_KEYS: {**fixed, **one},
        Scenario.ARBITRATED: {**fixed, **{_at(o): _top(o) for o in judged}},
        Scenario.LOOKUP_FIRST: {**fixed, **{_at(o): _lookup(o) for o in judged}},
    }


def handed_back(
    foretold: Sequence[Foretold | None], asked: Collection[Place]
) -> dict[Place, Vote]:
    """Handing back, after each call that nothing is asked after."""
    return {
        (place, step): Vote(RESPOND, 1.0)
        for place, steps in enumerate(foretold)
        if steps is not None
        for step, position in enumerate(steps.positions)
        if position is Position.TOOL and (place, step) not in asked
    }


def _at(one: Opinion) -> Place:
    return one.place, one.answered.asked.step


def _pick(one: Opinion) -> Vote:
    answer = one.answered.answer
    return Vote(answer.pick, answer.one.get(answer.pick, 0.0))


def _top(one: Opinion) -> Vote:
    top = max(sorted(one.arbiter), key=one.arbiter.__getitem__)
    return Vote(top, one.arbiter[top])


def _lookup(one: Opinion) -> Vote:
    best = max(sorted(one.answered.asked.lookups), key=one.arbiter.__getitem__)
    return Vote(best, one.arbiter[best])


def chosen(one: Opinion) -> Judgement:
    """The option that the model chose in the one question."""
    asked, answer = one.answered.asked, one.answered.answer
    return Judgement(asked.task, answer.pick, answer.one, _actual(asked))


def likeliest(one: Opinion, probabilities: Mapping[str, float]) -> Judgement:
    """The option that is likeliest, the first of equals."""
    asked = one.answered.asked
    pick = max(sorted(probabilities), key=probabilities.__getitem__)
    return Judgement(asked.task, pick, probabilities, _actual(asked))


def _actual(asked: AskedStep) -> str:
    """The option that stands for the step; a read that is not offered, for itself."""
    return asked.took if asked.option is None else asked.option


def mean_weights(flow: Flow) -> tuple[tuple[str, float], ...]:
    """The arbiter's weights by name, as the mean over folds."""
    names = (*FIRST, *(predicate.id for predicate in flow.weighed), LAST)
    columns = zip(*(fit.weights for fit in flow.folds), strict=True)
    return tuple(
        (name, sum(column) / len(column))
        for name, column in zip(names, columns, strict=True)
    )
