"""
Answers calibrated: log probabilities divided by a temperature of the question's type.

Above 1 a model that is too sure becomes less so; its pick stays. [Guo et al. 2017]
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from stretto.errors import VersionError
from stretto.files import read_json
from stretto.oracle.answer import (
    Answer,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    ScoreAnswer,
)
from stretto.oracle.held_out import held_out
from stretto.oracle.oracle import Oracle
from stretto.oracle.paid import parts, price
from stretto.oracle.question import Request

FIELD = "stretto_temperatures"

VERSION = 1

LOWEST, HIGHEST = 0.05, 20.0
"""The range of temperatures."""

FLOOR = 1e-6
"""What a probability of less counts as in a fit."""

_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True)
class Temperatures:
    """One for each type of question; 1 changes nothing."""

    noul: float = 1.0
    choice: float = 1.0
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Tempered:
    """`inner`, its answers calibrated. What it keeps is kept as it was answered."""

    inner: Oracle
    temperatures: Temperatures

    @property
    def name(self) -> str:
        """That of `inner`."""
        return self.inner.name

    @property
    def model(self) -> str:
        """That of `inner`."""
        return self.inner.model

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:
        """`inner`'s answers, calibrated. Raises as it does."""
        response = self.inner.ask(request, budget_s=budget_s)
        answers = {
            id: tempered(answer, self.temperatures)
            for id, answer in response.answers.items()
        }
        return replace(response, answers=answers)

    def held_out(self, task: str) -> "Tempered":
        """As `inner` is without that task."""
        return replace(self, inner=held_out(self.inner, task))

    def price(self, request: Request) -> float:
        """That of `inner`, in dollars."""
        return price(self.inner, request)

    def parts(self, request: Request) -> Sequence[Request]:
        """Those of `inner`."""
        return parts(self.inner, request)


class Case(NamedTuple):
    """A decision whose answer is known."""

    chances: Sequence[float]
    actual: int
    """The position of what was right."""


def tempered(answer: Answer, by: Temperatures) -> Answer:
    """An answer at another temperature."""
    match answer:
        case NoulAnswer(p):
            yes, _ = at_temperature((p, 1.0 - p), by.noul)
            return NoulAnswer(yes)
        case ChoiceAnswer(probabilities=known):
            return replace(answer, probabilities=_each(known, by.choice))
        case ScoreAnswer(probabilities=known):
            levels = _each(known, by.score)
            score = math.fsum(int(level) * p for level, p in levels.items())
            return replace(answer, score=score, probabilities=levels)


def at_temperature(chances: Sequence[float], temperature: float) -> list[float]:
    """
    Probabilities raised to 1/temperature, and scaled to sum to 1.

    One of 0 stays 0. Probabilities that are all 0 are left alone.
    """
    if temperature == 1.0 or not any(chances):
        return [*chances]
    top = math.log(max(chances))
    powers = [
        math.exp((math.log(p) - top) / temperature) if p else 0.0 for p in chances
    ]
    total = math.fsum(powers)
    return [power / total for power in powers]


def fit_temperature(cases: Sequence[Case]) -> float:
    """
    The temperature at which the cases' answers were likeliest; 1 without cases.

    The log loss is convex in 1/temperature, so a golden-section search over its
    logarithm finds the least one, to a part in a million.
    """
    if not cases:
        return 1.0

    def loss(log_t: float) -> float:
        return math.fsum(_log_loss(case, math.exp(log_t)) for case in cases)

    return math.exp(_least(loss, math.log(LOWEST), math.log(HIGHEST)))


def read_temperatures(path: str | Path) -> Temperatures:
    """
    A file's temperatures, `{"stretto_temperatures": 1, "noul", "choice", "score"}`.

    Raises:
        VersionError: it is of another version, or holds no temperatures.
        FormatError: one is missing, or out of range.
    """
    node = read_json(path)
    found = node.fields().get(FIELD)
    if type(found) is not int or found != VERSION:
        raise VersionError(node.path, FIELD, found=found, reads=(VERSION,))
    node.only(FIELD, "noul", "choice", "score")
    return Temperatures(
        *(node[kind].number(LOWEST, HIGHEST) for kind in ("noul", "choice", "score"))
    )


def _each(chances: Mapping[str, float], temperature: float) -> Mapping[str, float]:
    p = at_temperature([*chances.values()], temperature)
    return dict(zip(chances, p, strict=True))


def _log_loss(case: Case, temperature: float) -> float:
    logs = [math.log(max(p, FLOOR)) / temperature for p in case.chances]
    top = max(logs)
    total = math.log(math.fsum(math.exp(log - top) for log in logs)) + top
    return total - logs[case.actual]


def _least(f: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one valley is least."""
    inner = [high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)]
    values = [f(x) for x in inner]
    while high - low > 1e-6:
        if values[0] <= values[1]:
            high, inner[1], values[1] = inner[1], inner[0], values[0]
            inner[0] = high - _GOLDEN * (high - low)
            values[0] = f(inner[0])
        else:
            low, inner[0], values[0] = inner[0], inner[1], values[1]
            inner[1] = low + _GOLDEN * (high - low)
            values[1] = f(inner[1])
    return min(low, (low + high) / 2, high, key=f)  # an end may be the least
