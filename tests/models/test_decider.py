import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from jaxtyping import Array, Float

from stretto.episodes.site import Site
from stretto.errors import CannotDecide
from stretto.flow.deciders.habit import decider
from stretto.flow.flow import Flow
from stretto.flow.moment import Transcript
from stretto.flow.options import options
from stretto.flow.wire import read_flow
from stretto.habit.backoff import Backoff, Counts, fit_habit
from stretto.habit.encode import Encoded
from stretto.habit.reach import fit_reach
from stretto.models.decider import BackoffModule, HabitModule, offered, window
from stretto.models.precision import float64
from tests.conftest import shared
from tests.habit.strategies import VOCAB_SIZE, encoded_episodes
from tests.toys import TOY, taught

NEVER_SEEN = 99 * 4 * 4096


@eqx.filter_jit
def predicted(
    module: HabitModule | BackoffModule, windows: np.ndarray
) -> Float[Array, "history action"]:
    """What a module gives after each of many histories."""
    found: Float[Array, "history action"] = jax.vmap(module)(windows)
    return found


def seen_and_unseen(backoff: Backoff) -> list[tuple[int, ...]]:
    """Every context of a habit, and some that it has not seen."""
    seen = [context for level in backoff.levels for context in level]
    return [*seen, (), (NEVER_SEEN,), *((NEVER_SEEN, *c[1:]) for c in seen if c)]


def assert_predicts(
    module: HabitModule | BackoffModule,
    backoff: Backoff,
    chances: Callable[[Sequence[int]], list[float]],
) -> None:
    """A module made in float64 gives these chances after every context."""
    histories = seen_and_unseen(backoff)
    windows = np.stack([window(backoff, history) for history in histories])
    with float64():
        found = np.asarray(predicted(module, windows))

    expected = [chances(history) for history in histories]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@given(encoded_episodes(weighted=True))
@settings(max_examples=4, deadline=None)
def test_a_habits_module_gives_its_probabilities(encoded: list[Encoded]) -> None:
    habit = fit_habit(encoded, alpha=0.7, vocab_size=VOCAB_SIZE)
    with float64():
        module = HabitModule.of(habit, group=2)

    assert_predicts(module, habit.base, lambda history: habit.predict(history, 2))


@given(encoded_episodes(weighted=True))
@settings(max_examples=4, deadline=None)
def test_a_reachs_module_gives_its_chances(encoded: list[Encoded]) -> None:
    reach = fit_reach(encoded, {3}, order=3, alpha=2.0, vocab_size=VOCAB_SIZE)
    with float64():
        module = BackoffModule.of(reach)

    assert_predicts(module, reach, reach.chances)


def test_a_context_counts_though_its_shorter_one_was_never_seen() -> None:
    backoff = Backoff(2, 1.0, 3, ({}, {}, {(4096, 8192): Counts({1: 3.0}, 4.0)}))
    with float64():
        module = BackoffModule.of(backoff)

    assert_predicts(module, backoff, backoff.chances)


@pytest.mark.parametrize("name", ["airline-reach", "retail-5-sessions", "shop"])
def test_a_published_flows_habit_is_the_same_as_a_module(name: str) -> None:
    flow = read_flow(shared(f"reference/flows/{name}.flow.json"))
    with float64():
        module = HabitModule.from_flow(flow)

    assert_predicts(module, flow.habit.base, flow.habit.predict)


def test_a_published_flows_reach_is_the_same_as_a_module() -> None:
    flow = read_flow(shared("reference/flows/airline-reach.flow.json"))
    assert flow.reach is not None
    with float64():
        module = BackoffModule.reach_of(flow)

    assert_predicts(module, flow.reach, flow.reach.chances)


def test_float32_is_off_by_less_than_a_millionth() -> None:
    habit = taught(TOY).flow.habit
    histories = seen_and_unseen(habit.base)

    found = predicted(
        HabitModule.of(habit), np.stack([window(habit.base, h) for h in histories])
    )

    assert found.dtype == jnp.float32
    expected = [habit.predict(history) for history in histories]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_weighing_the_options_of_a_site_is_what_the_habit_decider_does() -> None:
    flow = taught(TOY).flow
    moment = Transcript.of(flow, TOY[0].events[:4]).moment()
    assert moment.site == Site("find", False)
    lookups = options(flow, moment.site)
    at = window(flow.habit.base, moment.history)
    with float64():
        module, mask = HabitModule.from_flow(flow), offered(flow, moment.site)
        found = np.asarray(eqx.filter_jit(HabitModule.weigh)(module, at, mask))

    expected = decider(flow).weigh(moment, lookups)
    ids = {"respond": 0} | {tool: flow.vocab.id(tool) for tool in lookups}
    assert {name: float(found[i]) for name, i in ids.items()} == pytest.approx(expected)
    assert found.sum() == pytest.approx(1.0)


def test_the_derivative_in_alpha_is_the_slope_between_two_habits() -> None:
    habit = taught(TOY).flow.habit

    @jax.jit
    @jax.grad
    def slope(alpha: jax.Array) -> jax.Array:
        module = HabitModule.of(habit)
        changed = eqx.tree_at(lambda m: m.base.alpha, module, alpha)
        return jnp.log(changed(window(habit.base, []))[0])

    def log_p(alpha: float) -> float:
        base = replace(habit.base, alpha=alpha)
        return math.log(replace(habit, base=base).predict([])[0])

    with float64():
        found = float(slope(jnp.asarray(1.0)))

    h = 1e-6
    assert found == pytest.approx((log_p(1 + h) - log_p(1 - h)) / (2 * h), rel=1e-6)
    assert found != 0


def test_a_flow_without_reach_counts_has_no_reach() -> None:
    flow: Flow = replace(taught(TOY).flow, reach=None)

    with pytest.raises(CannotDecide, match="the flow has no reach counts"):
        BackoffModule.reach_of(flow)


def test_more_contexts_than_32_bits_number_are_refused() -> None:
    symbols = range(50_000)
    levels = ({}, {(s,): Counts({}, 1.0) for s in symbols})

    with pytest.raises(CannotDecide, match="too many contexts"):
        BackoffModule.of(Backoff(1, 1.0, 1, levels))
