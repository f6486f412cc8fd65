"""
How long it takes to score many runs of a flow's program at once.

The runs are drawn from the program, after calls as frequent as the flow saw them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.beside import beside
from stretto.episodes.site import Site
from stretto.episodes.step import Outcome
from stretto.episodes.vocabulary import parse
from stretto.flow.flow import Flow
from stretto.flow.run import Runner, data
from stretto.flow.tables import tables
from stretto.flow.wire import read_flow
from stretto.models import batch as compiled
from stretto.models.lower import log_density
from stretto.models.precision import float64
from stretto.program.batch import Batch, score
from stretto.program.handlers import score as score_one
from stretto.program.handlers import simulate
from stretto.program.values import Value
from tests.conftest import shared

RUNS = 2**17
"""As many as a compiled function is padded to, or it would be timed on more."""
INTERPRETED, HANDLED = 4096, 64
"""How many of them the slow ways are timed on."""


@dataclass(frozen=True)
class Traffic:
    """Runs of a flow's program, and the calls they came after."""

    flow: Flow
    runner: Runner
    sites: list[Site]
    choices: list[Mapping[str, Value]]

    @property
    def told(self) -> dict[str, np.ndarray | int]:
        """What the runs are told, as `score` takes it."""
        each = [data(self.runner.numbers, site) for site in self.sites]
        columns = {name: np.array([run[name] for run in each]) for name in each[0]}
        return {**columns, "max_lookups": int(columns["max_lookups"][0])}

    def one_by_one(self, n: int) -> Callable[[], object]:
        """The interpreter's score of each of the first `n` runs."""
        few = list(zip(self.sites, self.choices, strict=True))[:n]
        return lambda: [score_one(self.runner.after(site), run) for site, run in few]

    def handled(self, n: int) -> Callable[[], object]:
        """NumPyro's log density of each of the first `n` runs, not compiled."""
        few = list(zip(self.sites, self.choices, strict=True))[:n]

        def run_all() -> None:
            for site, run in few:
                log_density(lambda site=site: self.runner.after(site), run)

        return run_all


def traffic(flow: Flow, *, seed: int = 1) -> Traffic:
    """`RUNS` runs after a flow's calls."""
    seen = {
        Site(flow.vocab.tools[s.action - 1], s.outcome is Outcome.ERROR): counts.total
        for (code,), counts in flow.habit.base.levels[1].items()
        if (s := parse(code)) and 0 < s.action <= len(flow.vocab.tools)
    }
    random, runner = Random(seed), Runner.of(flow)
    sites = random.choices(list(seen), list(seen.values()), k=RUNS)
    choices = [simulate(runner.after(site), random).values for site in sites]
    return Traffic(flow, runner, sites, choices)


@pytest.fixture(scope="module", params=["airline-reach", "shop"])
def runs(request):
    path = shared(f"reference/flows/{request.param}.flow.json")
    return traffic(read_flow(path))


@pytest.fixture(autouse=True)
def counted(request):
    """How many runs each of these scores."""
    request.getfixturevalue("benchmark").extra_info["n"] = RUNS


@pytest.fixture(scope="module")
def batch(runs):
    return Batch.of(runs.choices)


def compiled_log_prob(runs, batch):
    """The log-probabilities of runs that are on the device already."""
    with float64():
        prepared = compiled.prepare(
            runs.flow.program, tables(runs.flow), runs.told, batch
        )
        log_p = {n: jnp.asarray(t.log_p) for n, t in tables(runs.flow).items()}
    return lambda: jax.block_until_ready(prepared.log_prob(log_p))


def test_scoring_in_numpy_beside_the_interpreter(benchmark, runs, batch):
    found, told = tables(runs.flow), runs.told
    beside(
        benchmark,
        lambda: score(runs.flow.program, found, told, batch),
        baseline=runs.one_by_one(INTERPRETED),
        named=f"the interpreter, one by one ({INTERPRETED} of {RUNS} runs)",
        times=RUNS // INTERPRETED,
        bar=25,
    )


def test_scoring_in_numpy_from_mappings_beside_the_interpreter(benchmark, runs):
    found, told = tables(runs.flow), runs.told
    beside(
        benchmark,
        lambda: score(runs.flow.program, found, told, Batch.of(runs.choices)),
        baseline=runs.one_by_one(INTERPRETED),
        named=f"the interpreter, one by one ({INTERPRETED} of {RUNS} runs)",
        times=RUNS // INTERPRETED,
    )


def test_scoring_in_numpy_beside_numpyros_handlers(benchmark, runs, batch):
    found, told = tables(runs.flow), runs.told
    beside(
        benchmark,
        lambda: score(runs.flow.program, found, told, batch),
        baseline=runs.handled(HANDLED),
        named=f"NumPyro's log density, not compiled ({HANDLED} of {RUNS} runs)",
        times=RUNS // HANDLED,
        bar=5000,
    )


def test_scoring_by_compiled_code_beside_numpyros_handlers(benchmark, runs, batch):
    run = compiled_log_prob(runs, batch)
    run()
    beside(
        benchmark,
        run,
        baseline=runs.handled(HANDLED),
        named=f"NumPyro's log density, not compiled ({HANDLED} of {RUNS} runs)",
        times=RUNS // HANDLED,
        bar=20_000,
    )


def test_scoring_by_compiled_code_beside_numpy(benchmark, runs, batch):
    found, told, run = tables(runs.flow), runs.told, compiled_log_prob(runs, batch)
    run()
    beside(
        benchmark,
        run,
        baseline=lambda: score(runs.flow.program, found, told, batch),
        named="the same in numpy",
    )
