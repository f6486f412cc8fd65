"""Did the user's last message sound like a yes? A list of words, for a table only."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stretto.episodes.episode import AssistantTurn, Event, ToolCall, UserMessage

ASSENTS = (
    "go ahead",
    "proceed",
    "i confirm",
    "confirmed",
    "do it",
    "please do",
    "sounds good",
)

_YES = re.compile(r"\byes\b")


class Heard(NamedTuple):
    """What the user's last message before a call held."""

    yes: bool
    """The word `yes`."""
    assent: bool
    """That, or one of `ASSENTS`."""


def heard(events: Iterable[Event]) -> Iterator[tuple[ToolCall, Heard]]:
    """
    Each call, and what the user's last message before its turn held.

    The words stand for a yes wherever they stand in the message, so that it says
    little about one call: `yes, but not that one` counts.
    """
    last = Heard(yes=False, assent=False)
    for event in events:
        match event:
            case UserMessage(text=text):
                last = read(text)
            case AssistantTurn(calls=calls):
                for call in calls:
                    yield call, last


def read(message: str) -> Heard:
    """What a message holds, whatever its case."""
    text = message.lower()
    yes = _YES.search(text) is not None
    return Heard(yes, yes or any(phrase in text for phrase in ASSENTS))
