"""
A System-One model of one's own: a network over hashed words and marks, and its fit.

Two bags of embeddings meet in an inner product: that of the texts' words, and that of
what marks an option; each mark adds a weight of its own. A hidden layer between them
was tried, and held-out decisions were less likely under it (docs/results/local.md).
`stretto.oracle.local.net` computes the same in NumPy.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from stretto.models.local_batch import Known, Rows, Told, known, rows
from stretto.oracle.local.case import Case
from stretto.oracle.local.net import Net, Table

DIM = 16
"""The embeddings' dimension."""

BATCHES, STEPS = (16, 32, 64, 128), 20
"""
The decisions of one step of the optimiser: the most with which a pass has this many
steps, or the fewest there are.
"""

RATE, DECAY, DROPPED, SPREAD = 0.006, 1.0, 0.5, 0.05
"""AdamW's rate and decay, the share of numbers left out of a step, the first sd."""

_ROOM = 1024
"""Tables are made in these steps of rows, so that few shapes are compiled."""


class Network(eqx.Module):
    """The network's parameters; row 0 of either table stands for no number."""

    words: Float[Array, "word dim"]
    marks: Float[Array, "mark width"]
    """A mark's weight, and then its embedding."""

    def __call__(
        self,
        words: Int32[Array | np.ndarray, " slot"],
        marks: Int32[Array | np.ndarray, "option place"],
        kept: "Kept | None" = None,
    ) -> Float[Array, " option"]:
        """
        Each option's score, of which only differences mean anything.

        Args:
            kept: How much each slot counts; 1 if left out.
        """
        n_words = (words > 0).astype(self.words.dtype)
        n_marks = (marks > 0).astype(self.marks.dtype)
        of_words = n_words if kept is None else n_words * kept.words
        of_marks = n_marks if kept is None else n_marks * kept.marks
        said = of_words @ self.words[words] / jnp.sqrt(1 + n_words.sum())
        summed = jnp.einsum("op,opw->ow", of_marks, self.marks[marks])
        scale = jnp.sqrt(1 + n_marks.sum(axis=1))
        return summed[:, 0] + summed[:, 1:] @ said / scale


class Kept(NamedTuple):
    """What dropout left of a decision's slots; what is left counts for the rest."""

    words: Float[Array, " slot"]
    marks: Float[Array, " place"]


def fit(
    cases: Sequence[Case],
    tolds: Sequence[Told],
    *,
    offering: int,
    seed: int,
    epochs: int,
    after: Callable[[Net], None] | None = None,
) -> Net:
    """
    A network fitted on `cases` alone.

    Each case's step is among what `offering` has.

    Args:
        epochs: The passes over the cases.
        after: Called with the network as it is after each pass.
    """
    vocabulary = known(tolds, [case.task for case in cases])
    data = rows(cases, tolds, vocabulary, offering)
    shuffled = np.random.default_rng([seed, offering])
    network = _start(vocabulary, shuffled)
    state = _OPTIMISER.init(eqx.filter(network, eqx.is_array))
    key, step = jax.random.key(seed), 0
    size = max(b for b in BATCHES if b * STEPS <= len(cases) or b == BATCHES[0])
    for _ in range(epochs):
        order = shuffled.permutation(len(cases))
        for start in range(0, len(order), size):
            batch = data.take(order[start : start + size], size)
            network, state = _step(network, state, batch, jax.random.fold_in(key, step))
            step += 1
        if after is not None:
            after(_served(network, vocabulary))
    return _served(network, vocabulary)


_OPTIMISER = optax.adamw(RATE, weight_decay=DECAY)


@eqx.filter_jit
def _step(
    network: Network, state: optax.OptState, batch: Rows, key: PRNGKeyArray
) -> tuple[Network, optax.OptState]:
    gradient = eqx.filter_grad(_batch_loss)(network, batch, key)
    updates, state = _OPTIMISER.update(gradient, state, network)
    return eqx.apply_updates(network, updates), state


def _batch_loss(network: Network, batch: Rows, key: PRNGKeyArray) -> Float[Array, ""]:
    keys = jax.random.split(key, len(batch.taken))
    losses = jax.vmap(_decision_loss, (None, 0, 0))(network, Rows(*batch), keys)
    return losses @ batch.weight / jnp.maximum(batch.weight.sum(), 1.0)


def _decision_loss(network: Network, of: Rows, key: PRNGKeyArray) -> Float[Array, ""]:
    of_words, of_marks = jax.random.split(key)
    kept = Kept(
        _kept(of_words, of.words.shape[-1]), _kept(of_marks, of.marks.shape[-1])
    )
    scores = network(of.words, of.marks, kept)
    return -jax.nn.log_softmax(_masked(scores, of.offered))[of.taken]


def _kept(key: PRNGKeyArray, slots: int) -> Float[Array, " slot"]:
    left = jax.random.bernoulli(key, 1 - DROPPED, (slots,))
    return left.astype(jnp.float32) / (1 - DROPPED)


def _masked(
    scores: Float[Array, " option"], offered: Bool[Array | np.ndarray, " option"]
) -> Float[Array, " option"]:
    # not −∞, whose gradient is no number
    return jnp.where(offered, scores, -1e9)


def _start(vocabulary: Known, random: np.random.Generator) -> Network:
    """Embeddings drawn for the numbers that are known; zeros fill the tables up."""

    def table(n: int, blank: int) -> Float[Array, "row width"]:
        size = -(-(n + 1) // _ROOM) * _ROOM
        out = np.zeros((size, blank + DIM), np.float32)
        out[1 : n + 1, blank:] = SPREAD * random.standard_normal((n, DIM))
        return jnp.asarray(out)

    return Network(table(len(vocabulary.words), 0), table(len(vocabulary.marks), 1))


def _served(network: Network, vocabulary: Known) -> Net:
    """The network as NumPy has it, without the rows that stand for nothing."""
    words = np.asarray(network.words, np.float64)[1 : len(vocabulary.words) + 1]
    marks = np.asarray(network.marks, np.float64)[1 : len(vocabulary.marks) + 1]
    return Net(Table(vocabulary.words, words), Table(vocabulary.marks, marks))
