"""
How much a model favours an option for where it stands.

Every choice is asked in as many orders as it has options, so that each option stands in
each place once. The mean probability of a place is then 1/n for a model to which it
does not matter, whatever the options are; what is above that is owed to the place.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from stretto.errors import OracleError
from stretto.evaluate.intervals import Share, share
from stretto.oracle.answer import ChoiceAnswer
from stretto.oracle.ask import ask
from stretto.oracle.oracle import Oracle
from stretto.oracle.order import Orderless, Orders, Turn, turns
from stretto.oracle.question import Choice, Request

MAX_OPTIONS = 16
"""Of a choice that is asked in every order; those of more are left out."""


class Moved(NamedTuple):
    """What its order made of one choice."""

    key: str
    """Of the request, as it stands by name."""
    above: tuple[float, ...]
    """By place, the mean probability less 1/n."""
    n_picks: int
    """How many options were the likeliest in some order."""
    distance: float
    """The mean total variation between an order's answer and the mean of all."""


@dataclass(slots=True)
class Positions:
    """What their order made of some choices."""

    moved: list[Moved] = field(default_factory=list)
    unanswered: int = 0
    """Choices without an answer in some order, which are not counted."""

    def above(self, place: int) -> Share:
        """
        By how much a place's probability exceeds 1/n, on average over choices.

        The interval is over requests, as those of one state may not be told apart.

        Args:
            place: From 0; −1 is the last. Choices of fewer options have no part in it.
        """
        having = [one for one in self.moved if -1 <= place < len(one.above)]
        keys, parts = [one.key for one in having], [one.above[place] for one in having]
        return share(keys, parts, [1.0] * len(having))

    @property
    def places(self) -> int:
        """How many places the choice of the most options has."""
        return max((len(one.above) for one in self.moved), default=0)

    @property
    def changed(self) -> Share:
        """The share of choices whose pick another order changes."""
        keys = [one.key for one in self.moved]
        parts = [float(one.n_picks > 1) for one in self.moved]
        return share(keys, parts, [1.0] * len(keys))

    @property
    def distance(self) -> float:
        """The mean total variation between an order's answer and the mean of all."""
        return math.fsum(one.distance for one in self.moved) / len(self.moved)


@dataclass(frozen=True, slots=True)
class Turned:
    """A request's choices of 2 to 16 options in every order."""

    request: Request
    turns: tuple[Turn, ...]

    def moved(self, oracle: Oracle) -> Iterator[Moved | None]:
        """What the order made of each choice; None of one without every answer."""
        answers: dict[str, list[Mapping[str, float]]] = {}
        for turn in self.turns:
            for id, chances in _chances(turn, oracle).items():
                answers.setdefault(id, []).append(chances)
        for id in self.request.questions:
            orders = [
                [*turn.orders[id].values()] for turn in self.turns if id in turn.orders
            ]
            told = answers.get(id, [])
            yield (
                _moved(self.request.key, orders, told)
                if len(told) == len(orders)
                else None
            )


def turned(requests: Iterable[Request], oracle: Oracle, seed: int) -> Iterator[Turned]:
    """The requests that hold such a choice, as `oracle` is to be asked about them."""
    numbered = not isinstance(oracle, Orderless)
    for request in requests:
        asked = {
            id: question
            for id, question in request.questions.items()
            if isinstance(question, Choice)
            and 2 <= len(question.criteria) <= MAX_OPTIONS
        }
        if asked:
            choices = replace(request, questions=asked)
            every = turns(choices, Orders(MAX_OPTIONS, seed), numbered=numbered)
            yield Turned(choices, tuple(every))


def positions(asked: Iterable[Turned], oracle: Oracle) -> Positions:
    """
    What their order makes of the choices.

    Args:
        oracle: Whoever answers; what it raises leaves a choice without an answer.
    """
    found = Positions()
    for one in asked:
        for moved in one.moved(oracle):
            if moved is None:
                found.unanswered += 1
            else:
                found.moved.append(moved)
    return found


def _chances(turn: Turn, oracle: Oracle) -> Mapping[str, Mapping[str, float]]:
    try:
        answers = turn.read(ask(oracle, turn.request))
    except OracleError:
        return {}
    return {
        id: answer.probabilities
        for id, answer in answers.items()
        if isinstance(answer, ChoiceAnswer)
    }


def _moved(
    key: str, orders: Sequence[Sequence[str]], told: Sequence[Mapping[str, float]]
) -> Moved:
    n = len(orders)
    # order by option, the options by name
    p = np.array(
        [[one.get(option, 0.0) for option in sorted(orders[0])] for one in told]
    )
    standing = np.array([[sorted(order).index(o) for o in order] for order in orders])
    by_place = np.take_along_axis(p, standing, axis=1).mean(axis=0)
    distances = np.abs(p - p.mean(axis=0)).sum(axis=1) / 2
    return Moved(
        key,
        tuple((by_place - 1 / n).tolist()),
        len(set(p.argmax(axis=1).tolist())),
        float(distances.mean()),
    )
