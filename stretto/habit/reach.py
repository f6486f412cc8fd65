"""Reach: whether an action came at all before the agent's next write."""

from collections.abc import Container, Iterable, Sequence

from stretto.habit.backoff import Backoff, Walk, fit_levels
from stretto.habit.encode import Encoded


def fit_reach(
    encoded: Iterable[Encoded],
    writes: Container[int],
    *,
    order: int = 2,
    alpha: float,
    vocab_size: int,
) -> Backoff:
    """
    After each history, the chance of each action before the next write.

    Nothing changes until a write, so a lookup made now is as good as the agent's own
    later one: its chance here is how likely it is to be of use. Several actions can
    come before one write, and their chances then sum to more than one.

    Args:
        writes: The ids of the tools that write.
    """
    walks = [
        Walk(e.symbols, before_writes(e.actions, writes), e.group, e.weight)
        for e in encoded
    ]
    return Backoff(order, alpha, vocab_size, fit_levels(walks, order))


def before_writes(
    actions: Sequence[int], writes: Container[int]
) -> list[tuple[int, ...]]:
    """
    For each step, the distinct actions from it on, up to and without the next write.

    A write's own set is empty. The end of the episode ends a set too.
    """
    sets: list[tuple[int, ...]] = []
    ahead: tuple[int, ...] = ()
    for action in reversed(actions):
        if action in writes:
            ahead = ()
        elif action not in ahead:
            ahead = (action, *ahead)
        sets.append(ahead)
    return sets[::-1]
