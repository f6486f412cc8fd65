"""How long a live decision takes, and how many an embedded habit makes."""

from random import Random

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import pytest
from numpyro import distributions as dist
from numpyro import handlers

from benchmarks.beside import beside
from benchmarks.cold import forget
from stretto.episodes.episode import ToolResult
from stretto.flow.decide import decide, offer
from stretto.flow.deciders.habit import decider
from stretto.flow.decision import HandBack
from stretto.flow.moment import Transcript
from stretto.flow.wire import read_flow
from stretto.models.decider import HabitModule, window
from stretto.traces.reader import read
from tests.conftest import shared

HISTORIES = 2**17
PREDICTED = 4096
"""How many of them plain Python is timed on."""

FLOW = "reference/flows/airline-reach.flow.json"
SESSIONS = "sessions/tau2-sierra-prs/airline__gpt-4.1__20.json.gz"


@pytest.fixture(scope="module")
def flow():
    return read_flow(shared(FLOW))


@pytest.fixture(scope="module")
def sessions():
    return list(read([shared(SESSIONS)]))


def points(flow, episode):
    """A session's transcript, kept up to date, each time the flow weighs lookups."""
    transcript = Transcript(flow)
    for event in episode.events:
        transcript.add(event)
        site = transcript.moment().site
        if isinstance(event, ToolResult) and not isinstance(
            offer(flow, site), HandBack
        ):
            yield transcript


def handled(flow):
    """One draw of the next action under NumPyro's handlers."""
    probs = jnp.asarray(flow.habit.predict([]))

    def model():
        return numpyro.sample("decide#0", dist.CategoricalProbs(probs))

    return lambda: handlers.trace(handlers.seed(model, 7)).get_trace()


def test_weighing_a_sites_options_beside_numpyros_handlers(benchmark, flow, sessions):
    weigher = decider(flow)
    moment = next(points(flow, sessions[0])).moment()
    offered = offer(flow, moment.site)
    draw = handled(flow)
    draw()
    benchmark.extra_info["options"] = len(offered)
    beside(
        benchmark,
        lambda: weigher.weigh(moment, offered),
        baseline=draw,
        named="one draw under NumPyro's handlers, not compiled",
    )


def test_whole_sessions_of_decisions_beside_numpyros_handlers(
    benchmark, flow, sessions
):
    """Following the session, weighing, and binding; parsing what calls returned."""
    weigher, draw = decider(flow), handled(flow)
    n = sum(1 for episode in sessions for _ in points(flow, episode))
    draw()

    def decide_all():
        forget()
        for episode in sessions:
            for transcript in points(flow, episode):
                decide(flow, transcript.moment(), weigher)

    benchmark.extra_info["n"] = n
    beside(
        benchmark,
        decide_all,
        baseline=draw,
        named="as many draws under NumPyro's handlers, not compiled",
        times=n,
    )
    print(f"{1e6 * benchmark.stats.stats.min / n:.0f} µs for each of {n} decisions")


@pytest.fixture(scope="module")
def histories(flow):
    """Histories the habit has seen, as often as it has."""
    level = flow.habit.base.levels[2]
    weights = [counts.total for counts in level.values()]
    return Random(1).choices(list(level), weights, k=HISTORIES)


@eqx.filter_jit
def predicted(habit, windows):
    return jax.vmap(habit)(windows)


def test_an_embedded_habit_beside_plain_python(benchmark, flow, histories):
    windows = jnp.asarray(
        np.stack([window(flow.habit.base, history) for history in histories])
    )
    habit = HabitModule.from_flow(flow)
    jax.block_until_ready(predicted(habit, windows))
    few = histories[:PREDICTED]
    benchmark.extra_info["n"] = HISTORIES
    beside(
        benchmark,
        lambda: jax.block_until_ready(predicted(habit, windows)),
        baseline=lambda: [flow.habit.predict(history) for history in few],
        named=f"plain Python ({PREDICTED} of {HISTORIES} histories)",
        times=HISTORIES // PREDICTED,
    )
    per_second = HISTORIES / benchmark.stats.stats.min
    print(f"{per_second / 1e6:.1f} million predictions a second (aimed for: 2)")
