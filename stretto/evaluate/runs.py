"""Runs: turns with calls that follow one another, with nothing said in between."""

from collections.abc import Iterable
from typing import NamedTuple

from stretto.episodes.episode import AssistantTurn, Event, UserMessage


class Run(NamedTuple):
    """One run, by its steps and by its LLM turns."""

    start: int
    """The first of its steps."""
    end: int
    """The step after its last."""
    first: int
    """The first of its turns."""
    turns: int
    """How many turns it has, at least one."""


def runs(events: Iterable[Event]) -> list[Run]:
    """
    The maximal stretches of turns with calls that no reply or user message parts.

    Steps and turns are counted as `steps` counts them.
    """
    found: list[Run] = []
    is_open = False
    step = turn = 0
    for event in events:
        match event:
            case AssistantTurn(calls=()):
                step, turn, is_open = step + 1, turn + 1, False
            case AssistantTurn(calls=calls):
                run = found.pop() if is_open else Run(step, step, turn, 0)
                step, turn, is_open = step + len(calls), turn + 1, True
                found.append(run._replace(end=step, turns=run.turns + 1))
            case UserMessage():
                is_open = False
    return found
