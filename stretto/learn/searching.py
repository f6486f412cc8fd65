"""A whole search, by several methods, and what it comes to on other sessions."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from stretto.evaluate.intervals import Interval, difference_interval
from stretto.learn.search import Scored, Scorer, area, cheapest, counts, front, plain

Method = Callable[[Scorer], None]
"""Scores the choices of one way to search."""


class Share(NamedTuple):
    """What one method found of the front of all methods together."""

    search: str
    settings: int
    """The different ones it scored."""
    on_front: int
    """How many points of the front it came to."""
    area: float
    """What its own front covers of the area below that front."""


class Found(NamedTuple):
    """What a search found on the sessions it was given."""

    episodes: int
    settings: int
    """The different ones that were scored."""
    seeds: Sequence[Scored]
    """The settings by hand."""
    front: Sequence[Scored]
    chosen: Scored
    """The fewest detours at the first seed's turns saved or more."""
    shares: Sequence[Share]


class HeldOut(NamedTuple):
    """What a search's settings come to on sessions that it did not see."""

    episodes: int
    seeds: Sequence[Scored]
    front: Sequence[Scored]
    chosen: Scored
    saved_interval: Interval | None
    """Of the turns saved by the chosen setting beyond the first seed's, over tasks."""
    detours_interval: Interval | None


def search(scorer: Scorer, methods: Mapping[str, Method]) -> Found:
    """Score the settings by hand and those of every method, and choose."""
    found: dict[str, list[Scored]] = {}
    for name, method in methods.items():
        own = Scorer(scorer.space, scorer.sweeps)
        own.score(scorer.space.seeds)
        method(own)
        found[name] = [*own.found.values()]
        scorer.found |= own.found
    settings = len(scorer.found)
    joint = front(scorer.found.values())
    seeds = scorer.score(scorer.space.seeds)
    chosen = cheapest(joint, seeds[0].turns_saved)
    assert chosen is not None
    shares = [_share(name, scored, joint) for name, scored in found.items()]
    return Found(
        episodes=len(next(iter(scorer.sweeps.values())).episodes),
        settings=settings,
        seeds=seeds,
        front=[plain(scorer, scored) for scored in joint],
        chosen=plain(scorer, chosen),
        shares=shares,
    )


def _share(name: str, scored: list[Scored], joint: list[Scored]) -> Share:
    points = {s[1:3] for s in scored}
    enough = max(s.detours for s in joint) + 1
    whole = area(joint, enough)
    part = area(front(scored), enough)
    on_front = sum(s[1:3] in points for s in joint)
    return Share(name, len(scored), on_front, part / whole if whole else 1.0)


def elsewhere(scorer: Scorer, found: Found) -> HeldOut:
    """The settings that a search found, on the scorer's sessions."""
    space = scorer.space
    first = found.seeds[0].choice
    one, other = (
        counts(scorer.counted([choice])[0]) for choice in (found.chosen.choice, first)
    )
    tasks = [size.task for size in scorer.sweeps[first.decider].sizes]
    saved, detours = (
        difference_interval(tasks, one[name].tolist(), other[name].tolist())
        for name in ("turns_saved", "detours")
    )
    [chosen] = scorer.score([found.chosen.choice])
    return HeldOut(
        episodes=len(tasks),
        seeds=scorer.score(space.seeds),
        front=scorer.score(scored.choice for scored in found.front),
        chosen=chosen,
        saved_interval=saved,
        detours_interval=detours,
    )
