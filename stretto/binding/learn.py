"""Bindings, learned from the agent's own lookups."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from stretto.binding.count import count
from stretto.binding.sources import Bindings
from stretto.binding.trial import try_out
from stretto.episodes.episode import Episode


def learn_bindings(
    episodes: Iterable[Episode], reads: Collection[str], *, constants: bool = False
) -> Bindings:
    """
    Where the agent's arguments came from, and how often a binding agrees with it.

    Args:
        episodes: Gone through twice, so not an iterator.
        reads: The read-only tools; calls of others are not learned from.
        constants: Whether an argument that always had one value, found in no result,
            is passed as it was.
    """
    counted = count(episodes, reads, constants=constants)
    trials = try_out(counted, episodes, reads)
    return replace(
        counted,
        agreed=trials.agreed,
        named_other=trials.named_other,
        described_read=trials.described_read,
    )
