"""Changes in the questions an arbiter asks, whom it asks, and how it weighs them."""

from collections.abc import Iterator
from typing import NamedTuple

from stretto.flow.diff.change import Change, Listed, NeedsReview, keyed
from stretto.flow.flow import Flow
from stretto.flow.review.arbiter import ArbiterReview, review_arbiter
from stretto.oracle.predicates import Predicate


def arbiter_changes(before: Flow, after: Flow) -> Iterator[Change]:
    """What changed in the arbiter, its model and its questions."""
    yield from _model(before.model, after.model)
    yield from keyed(_asked(before), _asked(after), _question)
    if before.folds == after.folds:
        return
    old, new = review_arbiter(before), review_arbiter(after)
    if new is None:
        yield Change(Listed.ARBITER_REMOVED, "arbiter", "is gone")
    elif old is None:
        text = f"is new, fitted on {new.cases} held-out decisions"
        yield Change(NeedsReview.ARBITER_ADDED, "arbiter", text)
    else:
        yield Change(NeedsReview.ARBITER_CHANGED, "arbiter", _moves(old, new))


class _Asked(NamedTuple):
    predicate: Predicate
    is_weighed: bool


def _asked(flow: Flow) -> dict[str, _Asked]:
    return {p.id: _Asked(p, p in flow.weighed) for p in flow.predicates}


def _model(old: str, new: str) -> Iterator[Change]:
    if old != new and new:
        text = f"is {new}, was {old or 'none'}"
        yield Change(NeedsReview.MODEL_CHANGED, "model", text, old, new)
    elif old != new:
        yield Change(Listed.MODEL_REMOVED, "model", f"is none, was {old}", old, new)


def _question(id: str, old: _Asked | None, new: _Asked | None) -> Change:
    if new is None:
        return Change(Listed.PREDICATE_REMOVED, id, "is not asked any more")
    if old is None:
        text = f"is asked now: {new.predicate.question}"
        return Change(NeedsReview.PREDICATE_ADDED, id, text)
    if old.predicate == new.predicate:
        text = "is weighed now" if new.is_weighed else "is asked, and not weighed"
    else:
        text = f"is asked otherwise: {new.predicate.question}"
    return Change(NeedsReview.PREDICATE_CHANGED, id, text)


def _moves(old: ArbiterReview, new: ArbiterReview) -> str:
    were = {weight.name: weight.mean for weight in old.weights}
    moves = [
        (abs(weight.mean - were[weight.name]), weight.name)
        for weight in new.weights
        if weight.name in were
    ]
    most, name = max(moves)
    return (
        f"is another fit, on {new.cases} decisions for {old.cases}; the weight that "
        f"moved most is {name}, by {most:.3f}"
    )
