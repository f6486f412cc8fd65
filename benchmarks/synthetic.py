"""Episodes drawn at random, of any length, whose histories repeat as real ones do."""

import random

from stretto.episodes.vocabulary import symbol
from stretto.habit.encode import Encoded

VOCAB_SIZE = 18
_STEPS = 14


def episodes(n_steps: int, *, seed: int = 7) -> list[Encoded]:
    """Episodes of 14 steps each, `n_steps` in all or a little more."""
    rng = random.Random(seed)
    next_actions = [_taste(rng) for _ in range(VOCAB_SIZE)]
    return [
        _episode(rng, str(task), next_actions) for task in range(-(-n_steps // _STEPS))
    ]


def _taste(rng: random.Random) -> list[float]:
    return [rng.gammavariate(0.15, 1.0) + 1e-4 for _ in range(VOCAB_SIZE)]


def _episode(rng: random.Random, task: str, next_actions: list[list[float]]) -> Encoded:
    actions = [0]
    while len(actions) < _STEPS:
        actions += rng.choices(range(VOCAB_SIZE), next_actions[actions[-1]])
    symbols = (symbol(a, (rng.random() < 0.1) if a else 2) for a in actions)
    return Encoded(task, tuple(actions), tuple(symbols))
