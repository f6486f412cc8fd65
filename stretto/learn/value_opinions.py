"""How often a System-One model picks the arguments that agents passed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stretto.evaluate.agreement import Agreement, Judgement, agreement
from stretto.evaluate.intervals import Share, share
from stretto.learn.values import AnsweredValue
from stretto.oracle.value import Place


class ValueRow(NamedTuple):
    """One argument of a tool, where it was asked for and answered."""

    place: Place
    options: int
    """The values to choose from."""
    agreed: Share
    """Of the answers."""


@dataclass(frozen=True, slots=True)
class ValueOpinions:
    """The arguments to choose, in calls after a call."""

    asked: int
    fixed: int
    """Arguments that took one value in training: nothing is asked about them."""
    unanswerable: int
    """Those that no few values are known of, or that are numbers."""
    agreement: Agreement
    """Of those answered; what is fixed is none."""
    fixed_agreed: Share
    """Of the fixed ones, those that took their value again."""
    rows: tuple[ValueRow, ...]
    """By tool and argument."""


def value_opinions(values: Sequence[AnsweredValue]) -> ValueOpinions:
    """The opinions on some arguments, with intervals over tasks."""
    asked = [one for one in values if one.asked.request is not None]
    fixed = [one for one in values if len(one.asked.options) == 1]
    told = [_judgement(one) for one in asked if one.pick is not None]
    places = sorted({one.asked.place for one in asked if one.pick is not None})
    return ValueOpinions(
        asked=len(asked),
        fixed=len(fixed),
        unanswerable=sum(not one.asked.options for one in values),
        agreement=agreement(told),
        fixed_agreed=_agreed([_judgement(one) for one in fixed]),
        rows=tuple(_row(place, asked) for place in places),
    )


def _row(place: Place, asked: Sequence[AnsweredValue]) -> ValueRow:
    here = [one for one in asked if one.asked.place == place and one.pick is not None]
    judged = [_judgement(one) for one in here]
    return ValueRow(place, len(here[0].asked.options), _agreed(judged))


def _agreed(judged: Sequence[Judgement]) -> Share:
    tasks = [one.task for one in judged]
    return share(tasks, [one.agreed for one in judged], [1] * len(judged))


def _judgement(one: AnsweredValue) -> Judgement:
    asked, pick = one
    assert pick is not None
    return Judgement(asked.task, pick.option, pick.probabilities, asked.actual)
