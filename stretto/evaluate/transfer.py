"""Does one agent's habit foretell another's steps?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stretto.evaluate.forecast import Forecaster
from stretto.evaluate.intervals import Share
from stretto.evaluate.lesson import ORDER, Lesson
from stretto.evaluate.prediction import fit, foretell
from stretto.evaluate.sketch import Side
from stretto.habit.backoff import Backoff, fit_habit
from stretto.habit.encode import Encoded

POOLED = "all"
"""The habit of every agent learned from, together."""

OWN = "its own"
"""Each agent's own habit, learned from its own training tasks."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Shares of steps foretold by each habit, for each agent's held-out sessions."""

    habits: tuple[str, ...]
    agents: tuple[str, ...]
    top1: tuple[tuple[Share | None, ...], ...]
    """By habit and agent; None where there is no such habit."""


def transfer(
    taught: Mapping[str, Sequence[Encoded]],
    own: Mapping[str, Sequence[Encoded]],
    measured: Mapping[str, Sequence[Encoded]],
    *,
    order: int,
    alpha: float,
    vocab_size: int,
) -> Transfer:
    """
    The matrix of habits and agents.

    Args:
        taught: The training sessions of each agent learned from.
        own: Those of every agent, also of those nothing is learned from.
        measured: Each agent's held-out sessions.
        alpha: The concentration of every habit.
    """

    def habit(sessions: Sequence[Encoded]) -> Backoff:
        return fit_habit(sessions, order=order, alpha=alpha, vocab_size=vocab_size).base

    def row(base: Backoff) -> tuple[Share | None, ...]:
        forecaster = Forecaster.plain(base)
        return tuple(fit(foretell(forecaster, of)).top1 for of in measured.values())

    rows = {agent: row(habit(sessions)) for agent, sessions in taught.items()}
    if len(taught) > 1:
        everything = [e for sessions in taught.values() for e in sessions]
        rows[POOLED] = row(habit(everything))
    if own.keys() - taught.keys():
        rows[OWN] = tuple(
            fit(foretell(Forecaster.plain(habit(own[agent])), of)).top1
            if own.get(agent)
            else None
            for agent, of in measured.items()
        )
    return Transfer(tuple(rows), tuple(measured), tuple(rows.values()))


def among(lesson: Lesson, alpha: float) -> Transfer:
    """The matrix of a lesson's agents."""
    names = sorted({(s.is_target, s.agent) for s in lesson.sketches})
    own = {
        agent: [s.encoded for s in lesson.sketches if s.agent == agent and s.teaches]
        for _, agent in names
    }
    measured = {
        agent: [
            s.encoded
            for s in lesson.sketches
            if s.agent == agent and s.side is Side.TEST
        ]
        for _, agent in names
    }
    taught = {agent: own[agent] for is_target, agent in names if not is_target}
    return transfer(
        {agent: of for agent, of in taught.items() if of},
        {agent: of for agent, of in own.items() if of},
        {agent: of for agent, of in measured.items() if of},
        order=ORDER,
        alpha=alpha,
        vocab_size=lesson.vocab.size,
    )
