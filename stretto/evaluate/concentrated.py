"""What a flow would save were its model another: its posterior, carried on."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stretto.episodes.episode import Episode
from stretto.evaluate.counts import BITS, TURN_SAVED
from stretto.evaluate.growing import Grower
from stretto.evaluate.intervals import Interval
from stretto.evaluate.setting import Setting
from stretto.evaluate.sweep import replay_all
from stretto.flow.flow import Flow
from stretto.habit.concentration import equally_likely
from stretto.habit.encode import encode
from stretto.habit.prequential import prequential

LARGEST = (1 << BITS) - 1
"""The most that is counted of a kind, and its bits."""


@dataclass(frozen=True, slots=True)
class Savings:
    """Turns saved by several flows that are as likely, in the same sessions."""

    turns: NDArray[np.int64]
    """LLM turns, by session."""
    saved: NDArray[np.int64]
    """Of them, by flow, setting and session."""

    @property
    def n_turns(self) -> int:
        """The LLM turns of all sessions, and 1 where there are none."""
        return max(1, int(self.turns.sum()))

    def share(self, setting: int = 0) -> NDArray[np.float64]:
        """By flow: the share of turns saved, 0 where there are none."""
        found: NDArray[np.float64] = self.saved[:, setting].sum(axis=1) / self.n_turns
        return found

    def interval(self, setting: int = 0) -> Interval:
        """
        The central 95% of the shares, each flow counting alike.

        It is how far the saving hangs on what is not known of the model, in these very
        sessions; how far other tasks would move it is no part of it.
        """
        low, high = np.quantile(self.share(setting), [0.025, 0.975])
        return Interval(float(low), float(high))


def concentrated(flow: Flow, alpha: float) -> Flow:
    """The flow with α for its habit's concentrations, and for that of its reach."""
    base = replace(flow.habit.base, alpha=alpha)
    reach = None if flow.reach is None else replace(flow.reach, alpha=alpha)
    habit = replace(flow.habit, base=base, beta=alpha)
    return replace(flow, habit=habit, reach=reach)


def likely_alphas(flow: Flow, taught: Iterable[Episode], n: int) -> list[float]:
    """
    `n` values of α that are equally likely given what the flow was learned from.

    Args:
        taught: The sessions that its habit was counted in.
    """
    encoded = [encode(episode, flow.vocab, flow.map) for episode in taught]
    return equally_likely(prequential(encoded, flow.vocab.size), n)


def weighted(flow: Flow, draw: int) -> Flow:
    """The flow with one draw of its arbiter's weights, of each fold's fit alone."""
    folds = tuple(replace(fit, weights=fit.draws[draw], draws=()) for fit in flow.folds)
    return replace(flow, folds=folds)


def savings(
    flow: Flow,
    episodes: Iterable[Episode],
    alphas: Sequence[float],
    settings: Sequence[Setting] | None = None,
    *,
    decider: str | None = None,
) -> Savings:
    """
    What the flow saves in these sessions at each α, replayed once for all settings.

    Args:
        alphas: Draws from the posterior, or values that are equally likely in it.
        settings: By default that of the flow as it stands.
        decider: The decider's name; by default the one the flow asks for.

    Raises:
        CannotDecide: the decider asks a System-One model, or lacks what it needs.
        ValueError: there is no α to try, or one that is not above 0.
    """
    if not alphas or not all(0 < alpha < math.inf for alpha in alphas):
        raise ValueError("concentrations are numbers above 0, one at least")
    growers = [Grower(concentrated(flow, alpha), decider) for alpha in alphas]
    return saved_by(growers, episodes, settings or [Setting.of(flow)])


def saved_by(
    growers: Sequence[Grower], episodes: Iterable[Episode], settings: Sequence[Setting]
) -> Savings:
    """What each of the growers' flows saves in these sessions, by setting."""
    kept = list(episodes)
    saved = np.zeros((len(growers), len(settings), len(kept)), np.int64)
    turns = np.zeros(len(kept), np.int64)
    for i, grower in enumerate(growers):
        for j, played in enumerate(replay_all(grower, kept, settings)):
            saved[i, :, j] = played.counted // TURN_SAVED & LARGEST
            turns[j] = played.size.turns
    return Savings(turns, saved)
