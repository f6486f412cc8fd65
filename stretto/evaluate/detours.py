"""Where a replay's detours come from: the site, and the tool that was looked up."""

from collections import Counter
from typing import NamedTuple

from stretto.episodes.episode import Episode
from stretto.evaluate.replay import Replayer


class Detour(NamedTuple):
    """A lookup that the agent never used."""

    site: str
    """Where it was decided on; behind a lookup, that lookup's own site."""
    tool: str


def detours(replayer: Replayer, episode: Episode, threshold: float) -> Counter[Detour]:
    """How often each detour comes up when the episode is replayed."""
    walk = replayer.walk(episode)
    made: list[Detour] = []
    while walk.advance():
        moment = walk.moment()
        decision = replayer.decision(moment, threshold)
        walk.answer(decision.action)
        if len(walk.made) > len(made):
            made.append(Detour(str(moment.site), walk.made[-1].key.tool))
    each = zip(made, walk.made, strict=True)
    return Counter(detour for detour, lookup in each if not lookup.used)
