"""What an agent does in one turn, and what it is told of it."""

from collections.abc import Generator, Mapping
from typing import NamedTuple, TypeAlias, TypeVar

from stretto.canonical import Json, compact
from stretto.demo.customer import Heard, Need
from stretto.traces.appended import Made

T = TypeVar("T")


class Call(NamedTuple):
    """A tool call."""

    tool: str
    arguments: Mapping[str, Json]

    @property
    def spelled(self) -> str:
        """The call as text; the same for the same call."""
        return f"{self.tool} {compact({**self.arguments})}"


class Result(NamedTuple):
    """What a call returned."""

    failed: bool
    text: str
    added: tuple[Made, ...] = ()
    """What a flow looked up behind the call."""


class Say(NamedTuple):
    """Words to the customer, and what they should bring; None for the last words."""

    text: str
    need: Need | None = Need.MORE


Act: TypeAlias = "tuple[Call, ...] | Say"
"""One turn: calls made together, or words."""

Reply: TypeAlias = "tuple[Result, ...] | Heard | None"
"""What came of a turn; None once the customer has hung up."""

Play: TypeAlias = Generator[Act, Reply, T]
"""A part of a conversation: a generator of turns that comes to a T."""


def calls(*made: Call) -> Play[tuple[Result, ...]]:
    """One turn of calls, and their results in the same order."""
    reply = yield made
    assert isinstance(reply, tuple)
    return reply


def say(text: str, need: Need = Need.MORE) -> Play[Heard | None]:
    """One turn of words, and what was answered."""
    reply = yield Say(text, need)
    assert reply is None or isinstance(reply, Heard)
    return reply


def ask(text: str, need: Need) -> Play[str]:
    """One question, and the value of its answer."""
    heard = yield from say(text, need)
    return heard.value if heard else ""
