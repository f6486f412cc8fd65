"""The oracle `mock`: answers that depend on nothing, to try things out with."""

from dataclasses import dataclass

from stretto.oracle.answer import (
    Answer,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    ScoreAnswer,
)
from stretto.oracle.question import Choice, Noul, Question, Request, Score
from stretto.oracle.settings import OracleSettings

NAME = "mock"

FIRST = 0.6
"""What a choice gives to its first option."""


@dataclass(frozen=True, slots=True)
class Mock:
    """
    The same for everyone, and never kept.

    A choice gives 0.6 to its first option by name and spreads the rest evenly; a yes/no
    question is open; a score is its lowest level.
    """

    name: str = NAME
    model: str = NAME

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:  # noqa: ARG002
        """An answer to every question."""
        answers = {id: _answer(question) for id, question in request.questions.items()}
        return Response(NAME, answers)


def oracle(_: OracleSettings) -> Mock:
    """The mock; it has no settings."""
    return Mock()


def _answer(question: Question) -> Answer:
    match question:
        case Noul():
            return NoulAnswer(0.5)
        case Choice(criteria=options):
            first, *others = sorted(options)
            rest = {option: (1 - FIRST) / len(others) for option in others}
            p = FIRST if others else 1.0
            return ChoiceAnswer(first, {first: p, **rest}, p)
        case Score(criteria=levels):
            p_by_level = {str(n): float(n == 0) for n in range(len(levels))}
            return ScoreAnswer(0.0, p_by_level, 1.0)
