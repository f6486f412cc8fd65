"""A flow's habit in JAX code of one's own: what sessions say about its α."""

import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from stretto import read, read_flow
from stretto.habit.encode import encode
from stretto.models.decider import HabitModule, window

flow = read_flow(sys.argv[1])
habit = HabitModule.from_flow(flow)

walks = [encode(episode, flow.vocab, flow.map) for episode in read(sys.argv[2:])]
taken = np.concatenate([walk.actions for walk in walks])
windows = np.stack(
    [
        window(flow.habit.base, walk.symbols[:step])
        for walk in walks
        for step in range(len(walk.actions))
    ]
)


@eqx.filter_jit
def surprise(habit: HabitModule, windows: jax.Array, taken: jax.Array) -> jax.Array:
    """The mean surprise of the steps taken, in nats."""
    chances = jax.vmap(habit)(windows)
    return -jnp.log(chances[jnp.arange(len(taken)), taken]).mean()


print(f"{len(taken)} steps, {surprise(habit, windows, taken):.3f} nats each")
slope = eqx.filter_grad(surprise)(habit, windows, taken).base.alpha
print(f"at α {habit.base.alpha:.2f} the slope is {slope:.4f} nats per unit of α")
doubled = eqx.tree_at(lambda h: h.base.alpha, habit, 2 * habit.base.alpha)
print(f"with twice that α, {surprise(doubled, windows, taken):.3f} nats each")
