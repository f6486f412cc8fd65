"""
Recorded episodes walked with a flow behind the agent's calls; no LLM runs.

A recorded call that a lookup had already answered is skipped, and a turn whose calls
were all skipped is saved. Only calls a lookup answered count: the agent's own repeats
save nothing.
"""

from collections.abc import Iterable, Iterator

from stretto.episodes.episode import Episode
from stretto.evaluate.rows import Row
from stretto.evaluate.walk import Replayer
from stretto.flow.decide import THRESHOLD
from stretto.flow.deciders.decider import decider as decider_of
from stretto.flow.flow import Flow
from stretto.oracle.oracle import Oracle


def replay(
    flow: Flow,
    episodes: Iterable[Episode],
    *,
    decider: str | None = None,
    threshold: float = THRESHOLD,
    oracle: Oracle | None = None,
) -> Iterator[Row]:
    """
    Each episode's row, in order, in the trace environment.

    A lookup gets the result of the agent's own later call, or else a stand-in. So
    turns saved come close to what the tools themselves would give, and detours are a
    lower bound.

    Args:
        decider: The decider's name; by default the one the flow asks for.
        threshold: As `decide` takes it.
        oracle: Whom to ask, where the decider asks. What it does not answer is handed
            back, and counted.

    Raises:
        UnknownPlugin: no installed package provides that decider.
        CannotDecide: the flow does not hold what the decider needs.
    """
    replayer = Replayer(flow, decider_of(flow, decider), oracle)
    return (replayer.row(episode, threshold) for episode in episodes)
