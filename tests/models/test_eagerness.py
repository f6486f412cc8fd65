"""`programs/eagerness.py`: the standard run with one unknown."""

import importlib.util
import math
import sys
from random import Random

import jax
import jax.numpy as jnp
import numpyro
import pytest
from click.testing import CliRunner
from numpyro import distributions as dist
from numpyro.infer.util import log_density

from stretto.demo.record import record
from stretto.episodes.site import Site
from stretto.flow.recorded import Recorded
from stretto.flow.run import Runner
from stretto.flow.wire import write_flow
from stretto.models.families import tables
from stretto.models.precision import float64
from stretto.program.families import Categorical
from stretto.program.handlers import answer, simulate
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read
from tests.conftest import ROOT
from tests.toys import TOY, taught

CAP = 3
FLOW = taught(TOY).flow
RUNNER = Runner.of(FLOW)


@pytest.fixture(scope="module")
def eagerness():
    """The program, imported from its file."""
    path = ROOT / "programs" / "eagerness.py"
    spec = importlib.util.spec_from_file_location("eagerness", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["eagerness"] = module
    spec.loader.exec_module(module)
    return module


def agent(by: float, n: int, seed: int) -> list[Recorded]:
    """Runs of an agent of a known eagerness."""
    random = Random(seed)

    def choose(draw):
        distribution = draw.distribution
        if isinstance(distribution, Categorical):
            first, *others = distribution.probs
            weights = (first * math.exp(-by), *others)
            distribution = Categorical(tuple(w / sum(weights) for w in weights))
        return distribution.draw(random)

    sites = [Site("find", False), Site("get", False)]
    return [
        Recorded(site, answer(RUNNER.after(site, max_lookups=CAP), choose))
        for site in (sites * n)[:n]
    ]


def test_without_eagerness_the_model_is_the_standard_run(eagerness):
    random = Random(1)
    sites = [Site("find", False), Site("get", False), Site("cancel", True)]
    runs = [
        Recorded(site, simulate(RUNNER.after(site, max_lookups=CAP), random))
        for site in sites
        for _ in range(4)
    ]

    with float64():
        calls, choices = eagerness.observed(runs, RUNNER.numbers, CAP)
        given = numpyro.handlers.condition(eagerness.model, data=choices)
        found, _ = log_density(
            given, (tables(FLOW), calls, CAP), {}, {"eagerness": 0.0}
        )
        prior = dist.Normal(0.0, eagerness.PRIOR_SD).log_prob(0.0)

    expected = sum(run.log_prob for _, run in runs)
    assert math.isclose(float(found - prior), expected, rel_tol=1e-6)


@pytest.mark.slow
def test_an_agents_eagerness_is_recovered_from_its_runs(eagerness):
    with float64():
        for true in (-1.0, 1.0):
            runs = agent(true, 200, seed=3)
            calls, choices = eagerness.observed(runs, RUNNER.numbers, CAP)
            probs = eagerness.posterior(tables(FLOW), calls, choices, CAP)
            low, high = (eagerness.quantile(probs, share) for share in (0.005, 0.995))
            assert low < true < high
            assert high - low < 1.5


def test_an_agent_made_eager_looks_more_up(eagerness):
    calls = eagerness.Calls(jnp.full(500, 2), jnp.zeros(500, dtype=bool))

    @jax.jit
    def looked_up(by):
        model = numpyro.handlers.do(eagerness.model, data={"eagerness": by})
        seeded = numpyro.handlers.seed(model, jax.random.key(0))
        sites = numpyro.handlers.trace(seeded).get_trace(tables(FLOW), calls, CAP)
        return jnp.mean(sites["decide#0"]["value"] != 0)

    assert looked_up(-3.0) < 0.1 < looked_up(0.0) < 0.6 < looked_up(3.0)


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A shop's sessions, and a flow learned from them."""
    folder = tmp_path_factory.mktemp("shop")
    record(folder / "sessions", sessions=6, seed=5)
    ledger = Ledger()
    episodes = list(read([folder / "sessions"], ledger=ledger))
    flow = taught(episodes, ledger.manifest).flow
    write_flow(flow, folder / "shop.flow.json")
    return folder


def test_the_command_says_how_eager_an_agent_is(eagerness, shop):
    result = CliRunner().invoke(
        eagerness.main, [str(shop / "shop.flow.json"), str(shop / "sessions")]
    )

    assert result.exit_code == 0, result.output
    runs, found, verdict = result.output.splitlines()
    assert runs.endswith(" runs")
    assert found.startswith("eagerness ")
    assert "(median, 90%)" in found
    assert verdict.split()[0] in ("more", "less", "as")


@pytest.mark.parametrize("sessions", ["none", "shop.flow.json"])
def test_the_command_says_what_it_cannot_read(eagerness, shop, sessions):
    result = CliRunner().invoke(
        eagerness.main, [str(shop / "shop.flow.json"), str(shop / sessions)]
    )

    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert "Traceback" not in result.output
