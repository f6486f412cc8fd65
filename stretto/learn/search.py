"""
A search over thresholds and deciders, every choice scored by replaying all sessions.

More turns saved and fewer detours are better, and neither is worth so much of the
other: what is found is a front, from which somebody chooses.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stretto.evaluate.counts import BITS, NAMES
from stretto.evaluate.sweep import Sweep
from stretto.learn.space import LEVELS, Choice, Space

PRICES = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0)
"""Turns that a detour is taken to cost, for the searches one site at a time."""


class Scored(NamedTuple):
    """A choice, and what its replays came to."""

    choice: Choice
    turns_saved: int
    detours: int
    lookups: int
    with_detour: int
    """Episodes with a detour."""

    def beats(self, other: "Scored") -> bool:
        """Whether it is better in one way and worse in none."""
        return (
            self.turns_saved >= other.turns_saved
            and self.detours <= other.detours
            and self[1:3] != other[1:3]
        )


@dataclass(slots=True)
class Scorer:
    """What scores choices, each once."""

    space: Space
    sweeps: Mapping[str, Sweep]
    """By decider."""
    found: dict[Choice, Scored] = field(default_factory=dict)

    def score(self, choices: Iterable[Choice]) -> list[Scored]:
        """The choices with their scores, in order."""
        choices = list(choices)
        new = [c for c in dict.fromkeys(choices) if c not in self.found]
        for decider in {choice.decider for choice in new}:
            its = [choice for choice in new if choice.decider == decider]
            counted = self.counted(its)
            for choice, row in zip(its, counted, strict=True):
                self.found[choice] = _scored(choice, row)
        return [self.found[choice] for choice in choices]

    def counted(self, choices: Sequence[Choice]) -> NDArray[np.int64]:
        """What choices of one decider count, by choice and episode, packed."""
        settings = [self.space.setting(choice) for choice in choices]
        return self.sweeps[choices[0].decider].counted(settings)


def counts(packed: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """Each count by name, and the detours."""
    found = {
        name: packed >> BITS * place & (1 << BITS) - 1
        for place, name in enumerate(NAMES)
    }
    used = found["used_next"] + found["used_later"]
    return {**found, "detours": found["lookups"] - used}


def _scored(choice: Choice, packed: NDArray[np.int64]) -> Scored:
    found = counts(packed)
    detours = found["detours"]
    sums = (found["turns_saved"], detours, found["lookups"], detours > 0)
    return Scored(choice, *(int(each.sum()) for each in sums))


def front(scored: Iterable[Scored]) -> list[Scored]:
    """
    Those that no other one beats, the most turns saved first.

    Of those with the same turns saved and detours, the first by choice.
    """
    ordered = sorted(scored, key=lambda s: (-s.turns_saved, s.detours, s.choice))
    best: list[Scored] = []
    for each in ordered:
        if not best or each.detours < best[-1].detours:
            best.append(each)
    return best


def area(front: Iterable[Scored], detours: int) -> int:
    """
    The area below a front, of which a better front has more.

    Args:
        detours: As many as count for nothing; fewer are worth the difference.
    """
    ordered = sorted(front, key=lambda s: s.detours)
    ends = [*(min(s.detours, detours) for s in ordered[1:]), detours]
    return sum(
        s.turns_saved * max(0, end - s.detours)
        for s, end in zip(ordered, ends, strict=False)
    )


def by_coordinates(scorer: Scorer, *, prices: Sequence[float] = PRICES) -> None:
    """
    Score the choices of searches that change one site at a time.

    For each decider and each price of a detour: from the last price's best on, take the
    single change that gains the most until none gains. Every change is scored exactly,
    so where this stops no change of one site, nor of the decider, is a gain.
    """
    at = scorer.space.everywhere(scorer.space.deciders[0], 0.3)
    for price in prices:
        worth = -np.inf
        while True:
            scored = scorer.score([at, *_neighbours(scorer.space, at)])
            best = max(scored, key=lambda s: s.turns_saved - price * s.detours)
            gain = best.turns_saved - price * best.detours
            if gain <= worth:
                break
            at, worth = best.choice, gain


def _neighbours(space: Space, at: Choice) -> list[Choice]:
    changed = [
        _at(at, site, level)
        for site in range(len(at.levels))
        for level in range(len(LEVELS))
    ]
    return [*changed, *(at._replace(decider=name) for name in space.deciders)]


def plain(scorer: Scorer, scored: Scored) -> Scored:
    """
    The same to the last turn and detour, with 0.30 at every site that can have it.

    A search draws levels also where they do not matter; a reviewer should read only
    those that do.
    """
    usual = LEVELS.index(0.3)
    sites = range(len(scored.choice.levels))
    while True:
        simpler = scorer.score(
            _at(scored.choice, site, usual)
            for site in sites
            if scored.choice.levels[site] != usual
        )
        same = [other for other in simpler if other[1:] == scored[1:]]
        if not same:
            return scored
        scored = same[0]


def _at(choice: Choice, site: int, level: int) -> Choice:
    levels = (*choice.levels[:site], level, *choice.levels[site + 1 :])
    return choice._replace(levels=levels)


def cheapest(scored: Iterable[Scored], turns_saved: int) -> Scored | None:
    """The fewest detours at so many turns saved or more; None if none saves as many."""
    enough = [s for s in scored if s.turns_saved >= turns_saved]
    return min(
        enough, key=lambda s: (s.detours, -s.turns_saved, s.choice), default=None
    )
