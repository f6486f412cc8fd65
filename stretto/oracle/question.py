"""
What a System-One model is asked, and the bytes by which a question is known.

A request is one state and a map of typed questions about it. Its digest is the key of
its answer wherever answers are kept, so a changed word is another question.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from stretto.canonical import Json, in_order, sort_keys

MAX_OPTIONS = 255
"""The most options of a choice."""

MIN_LEVELS, MAX_LEVELS = 2, 10
"""How few and how many levels a score may have."""


class Criteria(NamedTuple):
    """When a yes/no question is to be answered with which."""

    true: str
    false: str


@dataclass(frozen=True, slots=True)
class Noul:
    """A yes/no question; its answer is the probability of yes."""

    instructions: str
    criteria: Criteria | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of several; its answer is a probability for each."""

    instructions: str
    criteria: Mapping[str, str]
    """Each option's rubric: at least one, at most 255."""


@dataclass(frozen=True, slots=True)
class Score:
    """A level on a scale, lowest first."""

    instructions: str
    criteria: tuple[str, ...]
    """Each level's rubric: 2 to 10."""


Question: TypeAlias = Noul | Choice | Score


@dataclass(frozen=True, slots=True)
class Request:
    """One state, and what is asked about it."""

    model: str
    state: Json
    questions: Mapping[str, Question]
    """By id."""

    @property
    def data(self) -> bytes:
        """
        The canonical JSON text, on one line: what is sent, and what is hashed.

        Half a surrogate pair, which UTF-8 does not have, is a question mark.
        """
        return in_order(request_json(self)).encode(errors="replace")

    @property
    def key(self) -> str:
        """The SHA-256 of the canonical text, in lower-case hexadecimal digits."""
        return sha256(self.data).hexdigest()


def request_json(request: Request) -> dict[str, Json]:
    """
    A request as JSON, its keys in the canonical order.

    That is `model`, `state`, `questions`; the state's keys sorted at every level; the
    questions by id; within one `type`, `instructions`, `criteria`; options sorted.
    """
    questions = request.questions
    return {
        "model": request.model,
        "state": sort_keys(request.state),
        "questions": {id: question_json(questions[id]) for id in sorted(questions)},
    }


def question_json(question: Question) -> dict[str, Json]:
    """A question as JSON, its keys in the canonical order."""
    kind, criteria = _kind(question)
    known: dict[str, Json] = {"type": kind, "instructions": question.instructions}
    return known if criteria is None else known | {"criteria": criteria}


def _kind(question: Question) -> tuple[str, Json]:
    match question:
        case Noul(criteria=criteria):
            return "noul", None if criteria is None else {**criteria._asdict()}
        case Choice(criteria=options):
            return "choice", {option: options[option] for option in sorted(options)}
        case Score(criteria=levels):
            return "score", list(levels)
