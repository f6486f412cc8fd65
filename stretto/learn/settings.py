"""What a user may choose about learning."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stretto.habit.concentration import Posterior, grid
from stretto.habit.encode import Encoded
from stretto.habit.prequential import prequential
from stretto.program.ast import Program
from stretto.program.standard import STANDARD

ORDER = 2
"""How many steps of history a habit looks at."""

Sampler: TypeAlias = Callable[[Sequence[Encoded], int], Posterior]
"""How the concentration is inferred from the training episodes and V."""


def quadrature(encoded: Sequence[Encoded], vocab_size: int) -> Posterior:
    """
    The concentration's posterior on a grid: no draws, no seed, no JAX.

    Sessions count in it as they do in the habit, so that a half-life bears on both.
    """
    return grid(prequential(encoded, vocab_size, order=ORDER, weighted=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to learn. The defaults are the published ones."""

    alpha: float | None = None
    """The concentration, in place of its posterior median."""
    sampler: Sampler = quadrature
    tasks: Callable[[str], bool] | None = None
    """Says of a task whether to learn from it; every task when None."""
    targets: frozenset[str] = frozenset()
    """The agents that nothing is learned from but what tools there are."""
    features: bool = True
    """Whether code features are looked for."""
    hints: bool = False
    """Whether it is counted which writes a lookup's results feed, for questions."""
    every_read: bool = False
    """Whether every read is offered after every call, seen there or not."""
    constants: bool = False
    """Whether arguments that never vary are bound as constants."""
    half_life: float | None = None
    """After how many later sessions a session counts half."""
    surprise: float | None = None
    """The quantile of the sessions' own peaks the surprise gate is set at, 0 to 1."""
    window: int = 5
    """Over how many steps the gate takes its mean."""
    program: Program = STANDARD
    now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
