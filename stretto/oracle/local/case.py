"""A recorded decision, as a local model learns from it and is measured on it."""

from collections.abc import Mapping
from dataclasses import dataclass

from stretto.oracle.local.clues import Clues


@dataclass(frozen=True, slots=True)
class Case:
    """What was told when a call had returned, and what the agent did next."""

    task: str
    agent: str
    site: str
    clues: Clues
    """Of every option that some fold offers here."""
    options: tuple[str, ...]
    """The options of `clues`: lookups, sorted, and `respond`."""
    offered: tuple[frozenset[str], ...]
    """What is offered by what was learned without each fold, and then from all."""
    taken: str | None
    """The agent's step among the options; None for a lookup that is none of them."""
    habit: Mapping[str, float]
    """What the habit learned without the task's fold gives what that fold offers."""
