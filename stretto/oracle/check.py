"""Answers held to what was asked, before anything reads them."""

import math
from collections.abc import ValuesView

from stretto.errors import OracleError
from stretto.oracle.answer import (
    Answer,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    ScoreAnswer,
)
from stretto.oracle.question import (
    MAX_LEVELS,
    MAX_OPTIONS,
    MIN_LEVELS,
    Choice,
    Noul,
    Question,
    Request,
    Score,
)

SLACK = 0.01
"""How far an answer's probabilities may be from summing to 1."""


MAX_REQUEST = 2**20
"""The most bytes of one request: far above what a state's limits leave to calls."""


def check_request(request: Request) -> None:
    """
    Refuse what no System-One model would take, before it is sent.

    Raises:
        OracleError: there is no question, one of too few or too many options, or more
            of everything together than `MAX_REQUEST` bytes.
    """
    if not request.questions:
        raise OracleError("a request asks nothing")
    if (size := len(request.data)) > MAX_REQUEST:
        raise OracleError(f"a request has {size:,} bytes, more than {MAX_REQUEST:,}")
    for id, question in request.questions.items():
        match question:
            case Choice(criteria=options) if not 1 <= len(options) <= MAX_OPTIONS:
                wanted = f"1 to {MAX_OPTIONS} options"
                raise OracleError(f"question {id} has {len(options)}, not {wanted}")
            case Score(criteria=levels) if not MIN_LEVELS <= len(levels) <= MAX_LEVELS:
                wanted = f"{MIN_LEVELS} to {MAX_LEVELS} levels"
                raise OracleError(f"question {id} has {len(levels)}, not {wanted}")


def check_response(request: Request, response: Response) -> None:
    """
    Hold a response to its request.

    A question may be left unanswered; an answer may be to no other question.

    Raises:
        OracleError: an answer is of another type, is to no question of the request,
            names an option that was not offered, or is no distribution.
    """
    for id, answer in response.answers.items():
        if (question := request.questions.get(id)) is None:
            raise OracleError(f"answer {_short(id)} is to no question that was asked")
        if (fault := _fault(question, answer)) is not None:
            raise OracleError(f"the answer to {id} {fault}")


def _fault(question: Question, answer: Answer) -> str | None:
    match question, answer:
        case Noul(), NoulAnswer(p):
            return None if 0.0 <= p <= 1.0 else f"is {p:g}, which is no probability"
        case Choice(criteria=options), ChoiceAnswer(choice, probabilities):
            if extra := sorted(probabilities.keys() - options.keys()):
                return f"names {_short(extra[0])}, which was no option"
            if choice not in options:
                return f"picks {_short(choice)}, which was no option"
            if (fault := _no_distribution(probabilities.values())) is not None:
                return fault
            if probabilities.get(choice, 0.0) < max(probabilities.values()):
                return f"picks {choice}, which is not the likeliest"
            return None
        case Score(criteria=levels), ScoreAnswer(score, probabilities):
            if extra := sorted(
                probabilities.keys() - set(map(str, range(len(levels))))
            ):
                return f"names level {_short(extra[0])}, which was none"
            if not 0.0 <= score <= len(levels) - 1:
                return f"is {score:g}, which is off the scale"
            return _no_distribution(probabilities.values())
        case _:
            return "is not of the question's type"


def _no_distribution(probabilities: ValuesView[float]) -> str | None:
    for p in probabilities:
        if not 0.0 <= p <= 1.0:
            return f"holds {p:g}, which is no probability"
    total = math.fsum(probabilities)
    if abs(total - 1.0) > SLACK:
        return f"has probabilities that sum to {total:g}"
    return None


def _short(name: str) -> str:
    return repr(name if len(name) <= 40 else f"{name[:37]}…")
