"""Turns, tokens and dollars that projected runs come to, episode by episode."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from stretto.episodes.episode import Usage
from stretto.evaluate.prices import Price
from stretto.evaluate.projection import RunProjection


@dataclass(frozen=True, slots=True)
class Saving:
    """What one episode would save. Tokens and dollars are net of detours."""

    turns: int
    prompt_tokens: float
    completion_tokens: int
    dollars: float


NOTHING = Saving(0, 0.0, 0, 0.0)


def saving(
    runs: Sequence[RunProjection],
    usage: Sequence[Usage],
    detour_tokens: float,
    price: Price,
) -> Saving:
    """
    The saving of an episode's projected runs.

    A removed turn saves all it cost. A run that comes down to one turn also stops
    carrying what its turns added to the prompt, in every later turn that remains; a
    detour adds to each of these.

    Args:
        usage: By turn.
        detour_tokens: What the result of a lookup adds to a later prompt.
    """
    removed = {turn for run in runs for turn in run.removed}
    remaining = [turn for turn in range(len(usage)) if turn not in removed]
    prompt = sum(usage[turn].prompt_tokens for turn in removed)
    carried = 0.0
    for run in runs:
        if run.saved and run.saved == run.ceiling:
            last = run.run.first + run.run.turns - 1
            later = sum(turn > last for turn in remaining)
            carried += later * _grown(usage[run.run.first : last + 1])
        for behind in run.detours:
            carried -= detour_tokens * sum(turn > behind for turn in remaining)
    return Saving(
        len(removed),
        prompt + carried,
        sum(usage[turn].completion_tokens for turn in removed),
        sum(usage[turn].cost for turn in removed) + carried * price.prompt,
    )


def _grown(turns: Sequence[Usage]) -> int:
    """The prompt tokens that came in between these turns: what calls returned."""
    return sum(
        max(0, after.prompt_tokens - before.prompt_tokens - before.completion_tokens)
        for before, after in pairwise(turns)
    )
