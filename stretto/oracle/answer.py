"""What a System-One model answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from stretto.canonical import Json


@dataclass(frozen=True, slots=True)
class NoulAnswer:
    """The probability of yes."""

    noul: float


@dataclass(frozen=True, slots=True)
class ChoiceAnswer:
    """The likeliest option, and every option's probability."""

    choice: str
    probabilities: Mapping[str, float]
    confidence: float = 0.0
    """As the model put it; nothing here reads it."""


@dataclass(frozen=True, slots=True)
class ScoreAnswer:
    """The expected level, and every level's probability by its number."""

    score: float
    probabilities: Mapping[str, float]
    confidence: float = 0.0
    legend: Json = None


Answer: TypeAlias = NoulAnswer | ChoiceAnswer | ScoreAnswer


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens an answer took."""

    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Response:
    """The answers to one request."""

    model: str
    """The version that answered, where the model asked is an alias."""
    answers: Mapping[str, Answer]
    """By the question's id."""
    usage: Usage = field(default_factory=Usage)
