"""
A flow's habit and reach as functions of arrays, for JAX code of one's own.

They give the chances that `stretto.habit.backoff` gives, and can be compiled, mapped
over many histories, and differentiated in their concentrations. What is compiled does
not depend on which contexts were seen: the counts after one are found by search.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32

from stretto.episodes.site import Site
from stretto.errors import CannotDecide
from stretto.flow.flow import GROUP, Flow
from stretto.flow.options import options
from stretto.habit.backoff import Backoff, Context, Counts, Habit

Window: TypeAlias = Int32[Array | np.ndarray, " order"]
"""The symbols that decide what comes next, oldest first, as `window` makes them."""


class Followed(eqx.Module):
    """What followed the contexts of one length; a last row stands for any other."""

    hits: Float[Array, "context action"]
    total: Float[Array, " context"]

    def blend(
        self,
        row: Int32[Array, ""],
        prior: Float[Array, ""],
        shorter: Float[Array, " action"],
    ) -> Float[Array, " action"]:
        """The chances after a context, backed by those after the shorter one."""
        return (self.hits[row] + prior * shorter) / (self.total[row] + prior)


class BackoffModule(eqx.Module):
    """A `Backoff` as a function of the last symbols."""

    alpha: Float[Array, ""]
    levels: tuple[Followed, ...]
    """By context length, 0 to the order."""
    symbols: Int32[Array, " symbol"]
    """Those of all contexts, rising."""
    codes: tuple[Int32[Array, " _"], ...]
    """
    By context length from 1, the contexts as numbers, rising: the row of the context
    without its oldest symbol, times one more than there are symbols, plus the oldest
    symbol's place among them.
    """

    @classmethod
    def of(cls, backoff: Backoff) -> "BackoffModule":
        """The module of these counts, of the precision JAX is set to."""
        return _module(backoff, _index(backoff.levels))

    @classmethod
    def reach_of(cls, flow: Flow) -> "BackoffModule":
        """
        A flow's reach: each action's chance to come before the agent's next write.

        Raises:
            CannotDecide: the flow holds no such counts.
        """
        if flow.reach is None:
            raise CannotDecide("the flow has no reach counts", hint="learn it again")
        return cls.of(flow.reach)

    @property
    def order(self) -> int:
        """How many symbols it looks at."""
        return len(self.codes)

    def __call__(self, history: Window) -> Float[Array, " action"]:
        """The chance of each action, by id, after a `window` of symbols."""
        return self.after(history)[0]

    def after(
        self, history: Window
    ) -> tuple[Float[Array, " action"], Int32[Array, ""]]:
        """The chance of each action, and the row of the longest context."""
        n_actions = self.levels[0].hits.shape[-1]
        row, places = jnp.int32(0), _place(self.symbols, jnp.asarray(history))
        chances = jnp.full_like(self.levels[0].hits[0], 1.0 / n_actions)
        chances = self.levels[0].blend(row, self.alpha, chances)
        for back, codes in enumerate(self.codes, start=1):
            base = jnp.int32(len(self.symbols) + 1)
            row = _place(codes, row * base + places[self.order - back])
            chances = self.levels[back].blend(row, self.alpha, chances)
        return chances, row


class HabitModule(eqx.Module):
    """A `Habit` as a function of the last symbols, for the episodes of one group."""

    base: BackoffModule
    beta: Float[Array, ""]
    top: Followed
    """By the longest contexts' rows."""

    @classmethod
    def of(cls, habit: Habit, group: int = GROUP) -> "HabitModule":
        """The module of a habit, of the precision JAX is set to."""
        base = habit.base
        top = {context: seen for (g, context), seen in habit.top.items() if g == group}
        index = _index((*base.levels[:-1], base.levels[-1].keys() | top.keys()))
        return cls(
            _module(base, index),
            _float(habit.beta),
            _followed(top, index.rows[-1], base.vocab_size),
        )

    @classmethod
    def from_flow(cls, flow: Flow) -> "HabitModule":
        """A flow's habit, as its decider asks it."""
        return cls.of(flow.habit, flow.group)

    def __call__(self, history: Window) -> Float[Array, " action"]:
        """The probability of each action, by id, after a `window`; they sum to one."""
        chances, row = self.base.after(history)
        return self.top.blend(row, self.beta, chances)

    def weigh(
        self, history: Window, offered: Bool[Array | np.ndarray, " action"]
    ) -> Float[Array, " action"]:
        """
        What the habit decider gives each of the `offered` lookups, and handing back.

        Handing back has the id of a message, 0, and what the lookups leave.
        """
        lookups = jnp.where(offered, self(history), 0.0)
        rest = 1.0 - jnp.sum(lookups)
        return lookups.at[0].set(jnp.maximum(rest, 0.0))


def window(backoff: Backoff, history: Sequence[int]) -> Window:
    """
    The symbols that decide what comes after `history`, as the modules take them.

    The padding symbol is the largest of 32 bits, and so comes out as −1.
    """
    return np.array(backoff.context(history), np.uint32).view(np.int32)


def offered(flow: Flow, site: Site) -> Bool[np.ndarray, " action"]:
    """Which actions, by id, are lookups that a flow may make at a site."""
    mask = np.zeros(flow.vocab.size, bool)
    mask[[flow.vocab.id(tool) for tool in options(flow, site)]] = True
    return mask


class _Index(NamedTuple):
    """The contexts of each length as numbers, and the row of each in their order."""

    symbols: list[int]
    codes: list[list[int]]
    rows: list[dict[Context, int]]


def _index(levels: Sequence[Iterable[Context]]) -> _Index:
    """
    The index of some contexts, by length from 0.

    A context's code rests on its shorter one's row, so that has one too, seen or not.
    """
    contexts = [set(level) for level in levels]
    for shorter, longer in reversed(list(pairwise(contexts))):
        shorter |= {context[1:] for context in longer}
    symbols = sorted({_signed(symbol) for c in contexts for ctx in c for symbol in ctx})
    place = {symbol: i for i, symbol in enumerate(symbols)}
    found = _Index(symbols, [], [dict.fromkeys(contexts[0], 0)])
    for level in contexts[1:]:
        shorter_rows = found.rows[-1]
        by_code = sorted(
            (shorter_rows[c[1:]] * (len(symbols) + 1) + place[_signed(c[0])], c)
            for c in level
        )
        found.codes.append([code for code, _ in by_code])
        found.rows.append({c: row for row, (_, c) in enumerate(by_code)})
    return found


def _module(backoff: Backoff, index: _Index) -> BackoffModule:
    if (max(map(len, index.rows)) + 1) * (len(index.symbols) + 1) >= 2**31:
        raise CannotDecide("there are too many contexts to number them in 32 bits")
    return BackoffModule(
        alpha=_float(backoff.alpha),
        levels=tuple(
            _followed(level, rows, backoff.vocab_size)
            for level, rows in zip(backoff.levels, index.rows, strict=True)
        ),
        symbols=jnp.array(index.symbols, jnp.int32),
        codes=tuple(jnp.array(codes, jnp.int32) for codes in index.codes),
    )


def _followed(
    level: Mapping[Context, Counts], rows: Mapping[Context, int], vocab_size: int
) -> Followed:
    hits = np.zeros((len(rows) + 1, vocab_size))
    total = np.zeros(len(rows) + 1)
    for context, seen in level.items():
        row = rows[context]
        total[row] = seen.total
        hits[row, list(seen.by_action)] = list(seen.by_action.values())
    return Followed(jnp.asarray(hits), jnp.asarray(total))


def _place(
    rising: Int32[Array, " n"], wanted: Int32[Array, "..."]
) -> Int32[Array, "..."]:
    """Where a number stands among others; after all where it is not one of them."""
    n = len(rising)
    if n == 0:
        return jnp.zeros_like(wanted)
    place = jnp.searchsorted(rising, wanted).astype(jnp.int32)
    found = rising[jnp.minimum(place, n - 1)] == wanted
    return jnp.where(found, place, jnp.int32(n))


def _float(value: float) -> Float[Array, ""]:
    """A number of the precision JAX is set to."""
    return jnp.asarray(np.float64(value))


def _signed(symbol: int) -> int:
    """A 32-bit number without a sign, read as one with a sign."""
    return symbol if symbol < 2**31 else symbol - 2**32
