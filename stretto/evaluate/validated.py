"""Contexts whose next action held up in every fold, and whether it holds elsewhere."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from stretto.episodes.tasks import N_FOLDS, fold
from stretto.evaluate.forecast import Forecaster
from stretto.evaluate.intervals import Share, share
from stretto.habit.backoff import Context, fit_habit
from stretto.habit.encode import Encoded

MIN_AGREEMENT = 0.99
MIN_DECISIONS = 20
MIN_TASKS = 10


@dataclass(frozen=True, slots=True)
class Validated:
    """A full context that a habit may be relied on in."""

    context: Context
    action: int
    """The likeliest action there, by the habit of all training episodes."""
    agreed: Share
    """Of training decisions, each foretold by the habit of the other folds' tasks."""
    tasks: int
    held_out: Share
    """Of the steps with that context in the test episodes, those that agreed."""


@dataclass(slots=True)
class _Record:
    agreed: list[bool] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    """Of each decision."""

    @property
    def share(self) -> Share:
        return share(self.tasks, self.agreed, [1] * len(self.agreed))

    @property
    def holds(self) -> bool:
        n = len(self.agreed)
        return (
            n >= MIN_DECISIONS
            and len(set(self.tasks)) >= MIN_TASKS
            and sum(self.agreed) >= MIN_AGREEMENT * n
        )


def validated(
    train: Sequence[Encoded],
    test: Sequence[Encoded],
    *,
    order: int,
    alpha: float,
    vocab_size: int,
) -> list[Validated]:
    """
    The contexts whose likeliest action agreed in 99% of 20 decisions or more, from ten
    tasks or more, in five folds of the training tasks; the most decisions first.
    """

    def forecaster(taught: Sequence[Encoded]) -> Forecaster:
        return Forecaster.grouped(
            fit_habit(taught, order=order, alpha=alpha, vocab_size=vocab_size)
        )

    cross: defaultdict[Context, _Record] = defaultdict(_Record)
    for held_out in range(N_FOLDS):
        others = [e for e in train if fold(e.task) != held_out]
        own = [e for e in train if fold(e.task) == held_out]
        _record(forecaster(others), own, cross)
    holding = {context for context, record in cross.items() if record.holds}
    elsewhere: defaultdict[Context, _Record] = defaultdict(_Record)
    whole = forecaster(train)
    _record(whole, test, elsewhere)
    tops = _tops(whole, train, holding)
    found = [
        Validated(
            context,
            tops[context],
            cross[context].share,
            len(set(cross[context].tasks)),
            elsewhere[context].share,
        )
        for context in holding
    ]
    return sorted(found, key=lambda v: (-v.agreed.whole, v.context))


def _record(
    forecaster: Forecaster,
    episodes: Sequence[Encoded],
    records: defaultdict[Context, _Record],
) -> None:
    for encoded in episodes:
        for step in forecaster.steps(encoded):
            record = records[step.context]
            record.agreed.append(step.hit)
            record.tasks.append(encoded.task)


def _tops(
    forecaster: Forecaster, episodes: Sequence[Encoded], contexts: Collection[Context]
) -> dict[Context, int]:
    return {
        step.context: step.top
        for encoded in episodes
        for step in forecaster.steps(encoded)
        if step.context in contexts
    }
