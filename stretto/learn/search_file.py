"""What a search found, as JSON, and read again to be scored on other sessions."""

import math
from collections.abc import Sequence
from pathlib import Path

from stretto.canonical import Json
from stretto.errors import VersionError
from stretto.evaluate.intervals import Interval
from stretto.files import Node, read_json
from stretto.learn.search import Scored
from stretto.learn.searching import Found, HeldOut, Share
from stretto.learn.space import LEVELS, Choice, Space

VERSION = 1


def search_json(space: Space, found: Found, held_out: HeldOut | None) -> Json:
    """The file's fields; `held_out` is left out where nothing was."""
    fields: dict[str, Json] = {
        "stretto_search": VERSION,
        "episodes": found.episodes,
        "settings": found.settings,
        "sites": [*space.sites],
        **_scores(space, found.seeds, found.front, found.chosen),
        "searches": [share._asdict() for share in found.shares],
    }
    if held_out is not None:
        fields["held_out"] = {
            "episodes": held_out.episodes,
            **_scores(space, held_out.seeds, held_out.front, held_out.chosen),
            "more_saved_interval": _interval(held_out.saved_interval),
            "more_detours_interval": _interval(held_out.detours_interval),
        }
    return fields


def _scores(
    space: Space, seeds: Sequence[Scored], front: Sequence[Scored], chosen: Scored
) -> dict[str, Json]:
    return {
        "seeds": [_scored(space, scored) for scored in seeds],
        "front": [_scored(space, scored) for scored in front],
        "chosen": _scored(space, chosen),
    }


def _scored(space: Space, scored: Scored) -> Json:
    return {
        "decider": scored.choice.decider,
        "thresholds": dict(space.thresholds(scored.choice)),
        "turns_saved": scored.turns_saved,
        "detours": scored.detours,
        "lookups": scored.lookups,
        "episodes_with_detour": scored.with_detour,
    }


def _interval(interval: Interval | None) -> Json:
    return None if interval is None else list(interval)


def read_search(path: Path, space: Space) -> Found:
    """
    What an earlier search for the same flow found.

    Raises:
        FormatError: the file is no search's, or of a flow with other sites or deciders.
        VersionError: it is of another version.
    """
    node = read_json(path)
    version = node.get("stretto_search")
    if version is None or version.value != VERSION:
        found = None if version is None else version.value
        raise VersionError(str(path), "stretto_search", found=found, reads=[VERSION])
    sites = tuple(site.text() for site in node["sites"].array())
    if sites != space.sites:
        node["sites"].fail("are not the flow's", hint="search for this flow")
    seeds, front = (
        [_read(each, space) for each in node[name].array()]
        for name in ("seeds", "front")
    )
    if not seeds:
        node["seeds"].wanted("at least one setting")
    return Found(
        episodes=node["episodes"].integer(),
        settings=node["settings"].integer(),
        seeds=seeds,
        front=front,
        chosen=_read(node["chosen"], space),
        shares=[_read_share(each) for each in node["searches"].array()],
    )


def _read(node: Node, space: Space) -> Scored:
    decider = node["decider"].text()
    if decider not in space.deciders:
        node["decider"].wanted(" or ".join(space.deciders))
    thresholds = node["thresholds"]
    levels = tuple(_level(thresholds[site]) for site in space.sites)
    names = ("turns_saved", "detours", "lookups", "episodes_with_detour")
    return Scored(Choice(decider, levels), *(node[name].integer() for name in names))


def _level(node: Node) -> int:
    value = node.number()
    for level, threshold in enumerate(LEVELS):
        if math.isclose(value, threshold, abs_tol=1e-9):
            return level
    node.wanted("a threshold that a search may choose")


def _read_share(node: Node) -> Share:
    settings, on_front = (node[name].integer() for name in ("settings", "on_front"))
    return Share(node["search"].text(), settings, on_front, node["area"].number(0, 1))
