"""Thresholds and an α for a flow, trained by gradient on what lookups came to."""

import sys
from dataclasses import replace
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.scipy.special import logit

from stretto import Episode, Flow, read, read_flow, replay, totals, write_flow
from stretto.binding.bind import Bound, bind
from stretto.episodes.episode import AssistantTurn, Event
from stretto.evaluate.concentrated import concentrated
from stretto.evaluate.decisions import Point, points
from stretto.flow.decide import THRESHOLD
from stretto.flow.deciders.habit import decider
from stretto.models.decider import HabitModule, offered, window
from stretto.models.precision import float64

WASTE = 2.0
"""What a needless lookup costs, in turns saved."""
TEMPERATURE = 0.05
"""How close to a threshold a lookup is made by chance: 0.73 this far above it."""
ADAM = optax.adam(0.05)


class Decisions(NamedTuple):
    """Decisions of a flow, each a row; by action where there are two axes."""

    site: np.ndarray
    windows: np.ndarray
    offered: np.ndarray
    chance: np.ndarray
    """That the arguments are the right ones; 0 where there are none."""
    used: np.ndarray
    """Whether the agent made the same call in its next turn."""


class Rule(eqx.Module):
    """What is trained."""

    log_alpha: jax.Array
    log_odds: jax.Array
    """Of each site's threshold."""


def decisions(flow: Flow, episodes: list[Episode], sites: list[str]) -> Decisions:
    """Where the flow would decide in these sessions, and what would come of it."""
    rows = []
    for episode in episodes:
        for point in points(flow, decider(flow), episode):
            if isinstance(point, Point):
                chance, used = np.zeros((2, flow.vocab.size))
                for tool in point.offered:
                    at, i = point.moment, flow.vocab.id(tool)
                    bound = bind(
                        flow.bindings, flow.manifest, tool, at.seen, at.pending
                    )
                    if isinstance(bound, Bound):
                        chance[i] = bound.chance
                        used[i] = makes(point.follows, tool, bound.arguments)
                seen = window(flow.habit.base, point.moment.history)
                mask = offered(flow, point.site)
                rows.append((sites.index(str(point.site)), seen, mask, chance, used))
    return Decisions(*map(np.array, zip(*rows, strict=True)))


def makes(event: Event, tool: str, arguments: dict) -> bool:
    """Whether this is a turn of the agent's that makes the call."""
    calls = event.calls if isinstance(event, AssistantTurn) else ()
    return any(c.tool == tool and c.arguments == arguments for c in calls)


@eqx.filter_value_and_grad
def loss(rule: Rule, habit: HabitModule, seen: Decisions) -> jax.Array:
    """Minus what a decision comes to, were a lookup made with a chance, not a rule."""
    alpha = jnp.exp(rule.log_alpha)
    habit = eqx.tree_at(lambda h: (h.base.alpha, h.beta), habit, (alpha, alpha))
    p = jax.vmap(habit.weigh)(seen.windows, seen.offered).at[:, 0].set(0)
    likeliest = p.argmax(axis=1), np.arange(len(seen.site))
    sure = (p * seen.chance).T[likeliest]
    threshold = jax.nn.sigmoid(rule.log_odds)[seen.site]
    made = jax.nn.sigmoid((sure - threshold) / TEMPERATURE)
    worth = jnp.where(seen.used.T[likeliest], 1.0, -WASTE)
    return -jnp.mean(made * worth)


@eqx.filter_jit
def step(
    rule: Rule, state: optax.OptState, habit: HabitModule, seen: Decisions
) -> tuple[Rule, optax.OptState, jax.Array]:
    """The rule a step later, and the loss before it."""
    value, slope = loss(rule, habit, seen)
    updates, state = ADAM.update(slope, state)
    return optax.apply_updates(rule, updates), state, value


def trained(rule: Rule, habit: HabitModule, seen: Decisions, steps: int = 200) -> Rule:
    """The rule after some steps of Adam."""
    state = ADAM.init(rule)
    for done in range(steps + 1):
        before, (rule, state, value) = rule, step(rule, state, habit, seen)
        if done % (steps // 4) == 0:
            print(f"step {done}: loss {value:.4f}")
    return before


def told(name: str, flow: Flow, episodes: list[Episode]) -> None:
    """What the flow does by its own rule, thresholds hard, in these sessions."""
    found = totals(replay(flow, episodes, decider="habit"))
    saved, detours = found.turns_saved, found.detours
    worth = saved - WASTE * detours
    print(f"{name}: {saved} turns saved, {detours} detours, worth {worth:g}")


def main(before: str, folder: str, after: str) -> None:
    """Train on every other session, and try the outcome on the rest."""
    flow, episodes = read_flow(before), list(read([folder]))
    sites = sorted(map(str, flow.sites.next))
    seen = decisions(flow, episodes[::2], sites)
    with float64():
        alpha, same = jnp.array(flow.habit.base.alpha), jnp.full(len(sites), THRESHOLD)
        rule = Rule(jnp.log(alpha), logit(same))
        rule = trained(rule, HabitModule.from_flow(flow), seen)
        found = jax.nn.sigmoid(rule.log_odds).tolist()
        alpha = float(jnp.exp(rule.log_alpha))
    thresholds = dict(zip(sites, found, strict=True))
    learned = replace(concentrated(flow, alpha), thresholds=thresholds)
    write_flow(learned, after)
    for site, threshold in thresholds.items():
        print(f"{site}: {threshold:.2f}")
    print(f"α {alpha:.1f}")
    told("as it was", flow, episodes[1::2])
    told("as trained", learned, episodes[1::2])


if __name__ == "__main__":
    main(*sys.argv[1:])
