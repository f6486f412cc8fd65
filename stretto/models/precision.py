"""Float64 for a fit, and only for it: JAX's own default stays as the program has it."""

from collections.abc import Iterator
from contextlib import contextmanager

import jax


@contextmanager
def float64() -> Iterator[None]:
    """
    JAX works in float64 inside the block, or inside the function it decorates.

    A sum of a hundred thousand log probabilities is off by 0.007 nats in float32, as
    much as separates two draws. The setting is JAX's per-thread one, so a thread
    started inside works in float32 unless it opens the block itself; and an array made
    outside stays float32 inside. Every fit therefore opens it, and makes its arrays
    in it.
    """
    with jax.enable_x64(True):
        yield
