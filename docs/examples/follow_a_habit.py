"""How closely do several agents keep to a flow's habit? A model with it as a part."""

import sys
from collections.abc import Sequence
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
from jax.scipy.special import expit
from numpyro import distributions as dist
from numpyro.infer import MCMC, NUTS

from stretto import Episode, Flow, read, read_flow
from stretto.habit.encode import encode
from stretto.models.decider import HabitModule, window
from stretto.models.precision import float64


class Steps(NamedTuple):
    """The steps of all agents, each a row."""

    agent: np.ndarray
    windows: np.ndarray
    """Each once."""
    at: np.ndarray
    """The step's window, by its row."""
    taken: np.ndarray


def steps_of(flow: Flow, agents: Sequence[Sequence[Episode]]) -> Steps:
    """The steps of each agent's sessions, as the flow's habit sees them."""
    rows = []
    for agent, episodes in enumerate(agents):
        for episode in episodes:
            walk = encode(episode, flow.vocab, flow.map)
            for step, action in enumerate(walk.actions):
                seen = window(flow.habit.base, walk.symbols[:step])
                rows.append((agent, seen, action))
    agents_of, seen, taken = map(np.array, zip(*rows, strict=True))
    windows, at = np.unique(seen, axis=0, return_inverse=True)
    return Steps(agents_of, windows, at, taken)


def following(habit: HabitModule, steps: Steps, n_agents: int) -> None:
    """Each agent follows the habit at a step with its own chance, or does anything."""
    centre = numpyro.sample("centre", dist.Normal(0, 2))
    spread = numpyro.sample("spread", dist.HalfNormal(1))
    alpha = numpyro.sample("α", dist.LogNormal(0, 2))
    with numpyro.plate("agents", n_agents):
        apart = numpyro.sample("apart", dist.Normal())
    follows = numpyro.deterministic("follows", expit(centre + spread * apart))
    habit = eqx.tree_at(lambda h: (h.base.alpha, h.beta), habit, (alpha, alpha))
    chances = jax.vmap(habit)(steps.windows)[steps.at]
    mine = follows[steps.agent][:, None]
    p = mine * chances + (1 - mine) / chances.shape[1]
    with numpyro.plate("steps", len(steps.taken)):
        numpyro.sample("took", dist.Categorical(probs=p), obs=steps.taken)


@eqx.filter_jit
def drawn(
    habit: HabitModule, steps: Steps, n_agents: int
) -> tuple[dict[str, jax.Array], jax.Array]:
    """Draws from the posterior, and which of them diverged."""
    nuts = NUTS(following, target_accept_prob=0.95)
    chain = MCMC(nuts, num_warmup=200, num_samples=400, progress_bar=False)
    chain.run(jax.random.key(0), habit, steps, n_agents)
    return chain.get_samples(), chain.get_extra_fields()["diverging"]


def main(file: str, *folders: str) -> None:
    """Each folder of sessions is an agent."""
    flow = read_flow(file)
    found = steps_of(flow, [list(read([folder])) for folder in folders])
    with float64():
        habit, steps = HabitModule.from_flow(flow), jax.tree.map(jnp.asarray, found)
        draws, diverged = drawn(habit, steps, len(folders))
    for folder, each in zip(folders, draws["follows"].T, strict=True):
        low, median, high = np.quantile(each, [0.05, 0.5, 0.95])
        print(f"{folder}: follows {median:.0%} [{low:.0%}, {high:.0%}]")
    print(f"α {np.median(draws['α']):.1f}; {int(diverged.sum())} draws diverged")


if __name__ == "__main__":
    main(*sys.argv[1:])
