from pathlib import Path
from random import Random

import numpy as np
import pytest

from stretto.episodes.site import Site
from stretto.flow.flow import Flow
from stretto.flow.run import Runner, data, families
from stretto.flow.tables import tables
from stretto.flow.wire import read_flow
from stretto.program.ast import Program
from stretto.program.batch import Batch, score
from stretto.program.handlers import score as score_one
from stretto.program.handlers import simulate
from stretto.program.source import read_program_file
from tests.conftest import ROOT, shared
from tests.toys import TOY, taught

FLOWS = ("airline-reach", "airline-f2", "retail-5-sessions", "shop")
PROGRAMS = sorted((ROOT / "programs").glob("*.fugue"))


def assert_batch_is_one_by_one(flow: Flow, program: Program, runs: int) -> None:
    """Runs after any of a flow's calls score together as they do one by one."""
    runner, random = Runner.of(flow, program), Random(5)
    tools = (*runner.numbers.names[1:], "no tool of this flow")
    sites = [Site(random.choice(tools), random.random() < 0.2) for _ in range(runs)]
    choices = [simulate(runner.after(site), random).values for site in sites]
    told = [data(runner.numbers, site) for site in sites]
    columns = {name: np.array([run[name] for run in told]) for name in told[0]}

    scores = score(program, tables(flow), columns, Batch.of(choices))

    expected = [
        score_one(runner.after(site), run)
        for site, run in zip(sites, choices, strict=True)
    ]
    assert scores.log_prob.tolist() == [run.log_prob for run in expected]
    assert scores.value.tolist() == [run.value for run in expected]
    assert not scores.fault.any()


@pytest.mark.parametrize("name", FLOWS)
def test_a_published_flows_runs_score_together_as_one_by_one(name: str) -> None:
    flow = read_flow(shared(f"reference/flows/{name}.flow.json"))

    assert_batch_is_one_by_one(flow, flow.program, 500)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_shipped_program_runs_on_arrays(path: Path) -> None:
    program = read_program_file(path)

    assert_batch_is_one_by_one(taught(TOY).flow, program, 300)


def test_tables_serve_in_place_of_the_families() -> None:
    flow = taught(TOY).flow
    found, expected = tables(flow), families(flow)

    assert {name: (f.draws, f.arity) for name, f in found.items()} == {
        name: (f.draws, f.arity) for name, f in expected.items()
    }
    for number in range(5):
        assert found["Outcome"].make(number) == expected["Outcome"].make(number)
        assert found["Decide"].make(number, True) == expected["Decide"].make(
            number, True
        )
