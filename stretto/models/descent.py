"""The lowest point of a smooth convex function, by L-BFGS in one compiled loop."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int
from optax import tree

Loss: TypeAlias = Callable[[Float[Array, " parameter"]], Float[Array, ""]]

MAX_STEPS = 500


class Minimum(NamedTuple):
    """Where a descent ended, how steep it still was there, and after how many steps."""

    at: Float[Array, " parameter"]
    slope: Float[Array, ""]
    """The largest partial derivative's size."""
    steps: Int[Array, ""]


def descend(
    loss: Loss, start: Float[Array, " parameter"], flat: Float[Array, ""]
) -> Minimum:
    """
    Descend until every partial derivative is below `flat`, or for 500 steps.

    It traces to one loop, so that it can be compiled and mapped over many losses; the
    flattest of them then waits for the others. [Liu & Nocedal 1989]
    """
    solver = optax.lbfgs()
    slope_of = optax.value_and_grad_from_state(loss)

    def goes_on(
        carry: tuple[Float[Array, " parameter"], optax.OptState],
    ) -> Bool[Array, ""]:
        _, state = carry
        steep = jnp.max(jnp.abs(tree.get(state, "grad"))) > flat
        n = tree.get(state, "count")
        return jnp.logical_or(n == 0, jnp.logical_and(steep, n < MAX_STEPS))

    def step(
        carry: tuple[Float[Array, " parameter"], optax.OptState],
    ) -> tuple[Float[Array, " parameter"], optax.OptState]:
        at, state = carry
        value, grad = slope_of(at, state=state)
        updates, state = solver.update(
            grad, state, at, value=value, grad=grad, value_fn=loss
        )
        return optax.apply_updates(at, updates), state

    at, state = jax.lax.while_loop(goes_on, step, (start, solver.init(start)))
    slope = jnp.max(jnp.abs(tree.get(state, "grad")))
    return Minimum(at, slope, tree.get(state, "count"))
