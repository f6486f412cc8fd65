"""
Recorded episodes walked with a flow behind the agent's calls; no LLM runs.

A recorded call that a lookup had already answered is skipped, and a turn whose calls
were all skipped is saved. Only calls a lookup answered count: the agent's own repeats
save nothing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from stretto.episodes.episode import Episode
from stretto.evaluate.asking import Asking
from stretto.evaluate.course import Course
from stretto.evaluate.environment import Environment
from stretto.evaluate.rows import Row, row
from stretto.evaluate.rules import CURRENT, Rule
from stretto.evaluate.walk import Walk
from stretto.flow.decide import THRESHOLD, decide
from stretto.flow.deciders.decider import decider as decider_of
from stretto.flow.deciders.protocol import Decider
from stretto.flow.decision import Decision
from stretto.flow.flow import Flow
from stretto.flow.moment import Moment
from stretto.flow.run import Runner
from stretto.oracle.oracle import Oracle


@dataclass(frozen=True, slots=True)
class Replayer:
    """A flow and its decider, ready for any episode at any threshold."""

    flow: Flow
    decider: Decider
    oracle: Oracle | None = None
    """Whom to ask, where the decider asks."""
    rule: Rule = CURRENT
    asking: Asking = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "asking", Asking(Runner.of(self.flow)))

    def row(self, episode: Episode, threshold: float = THRESHOLD) -> Row:
        """What replaying the episode comes to."""
        walk = self.walk(episode)
        self.finish(walk, threshold)
        return row(walk.course.size, walk.counted)

    def walk(self, episode: Episode, environment: Environment | None = None) -> Walk:
        """A walk through the episode, about to begin; in the record if nowhere else."""
        course = Course.of(episode, self.flow.manifest, self.rule)
        return Walk.through(self.flow, self.decider, self.asking, course, environment)

    def finish(self, walk: Walk, threshold: float) -> None:
        """Go through what is left of the episode, the flow deciding."""
        while walk.advance():
            walk.answer(self.decision(walk.moment(), threshold).action)

    def decision(self, moment: Moment, threshold: float) -> Decision:
        """
        What the flow decides at a moment of a walk.

        Raises:
            CannotDecide: the decider did not keep to the options, or to probabilities.
        """
        return decide(
            self.flow, moment, self.decider, threshold=threshold, oracle=self.oracle
        )


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
