"""`stretto replay --draws`: how far a saving hangs on what its model leaves unknown."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.demo.record import record
from stretto.evaluate.concentrated import likely_alphas, savings, weighted
from stretto.evaluate.replay import Replayer
from stretto.evaluate.setting import Setting
from stretto.flow.deciders.arbiter import arbiter
from stretto.flow.wire import read_flow
from stretto.oracle.mock import Mock
from stretto.traces.reader import read


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's sessions, and two flows learned from them, one with an arbiter."""
    folder = tmp_path_factory.mktemp("shop")
    record(folder / "sessions", sessions=20, seed=7)
    record(folder / "new", sessions=8, seed=7, first=20)
    habit = run("learn", folder / "sessions", "-o", folder / "shop.flow.json")
    asks = run(
        "learn", folder / "sessions", "-o", folder / "asks.flow.json",
        "--oracle", "mock", "--posterior", "laplace",
    )  # fmt: skip
    assert (habit.exit_code, asks.exit_code) == (0, 0)
    return folder


def test_over_alpha_the_interval_is_that_of_flows_learned_with_it(shop):
    found = run(
        "replay", shop / "shop.flow.json", shop / "new", "--draws", 10, "--json",
        "--threshold", 0.5, "--threshold", 0.2, "--learned-from", shop / "sessions",
    )  # fmt: skip

    flow = read_flow(shop / "shop.flow.json")
    alphas = likely_alphas(flow, read([shop / "sessions"]), 10)
    expected = savings(flow, read([shop / "new"]), alphas, [Setting(0.2), Setting(0.5)])
    summary = json.loads(found.stdout)
    assert [row["turns_saved_share_model"] for row in summary["thresholds"]] == [
        pytest.approx(expected.interval(0)),
        pytest.approx(expected.interval(1)),
    ]
    assert summary["totals"]["turns_saved_share_model"] == pytest.approx(
        expected.interval(1)
    )


def test_over_an_arbiters_weights_it_is_that_of_each_draw_replayed_alone(shop):
    asked = ("--oracle", "mock", "--draws", 6)
    replayed = ("replay", shop / "asks.flow.json", shop / "new", *asked)
    found = json.loads(run(*replayed, "--json").stdout)["totals"]

    flow, shares = read_flow(shop / "asks.flow.json"), []
    for draw in range(6):
        drawn = weighted(flow, draw)
        of = Replayer(drawn, arbiter(drawn), Mock())
        rows = [of.row(episode) for episode in read([shop / "new"])]
        saved = sum(row.turns_saved for row in rows)
        shares.append(saved / sum(row.turns for row in rows))
    assert found["turns_saved_share_model"] == pytest.approx(
        np.quantile(shares, [0.025, 0.975])
    )
    assert "over what is not known of the flow's model" in run(*replayed).stdout


def test_a_draw_of_the_weights_is_averaged_with_no_other(shop):
    flow = read_flow(shop / "asks.flow.json")
    drawn = weighted(flow, 3)

    for fit, kept in zip(drawn.folds, flow.folds, strict=True):
        assert (fit.weights, fit.draws, fit.rates) == (kept.draws[3], (), kept.rates)
    assert replace(drawn, folds=flow.folds) == flow


@pytest.mark.parametrize(
    ("flow", "options", "code", "says"),
    [
        ("shop", ["--draws", "3"], 1, "`--learned-from PATH` names the sessions"),
        ("shop", ["--learned-from", "new"], 2, "--learned-from needs --draws N"),
        ("shop", ["--draws", "3", "--legacy"], 2, "--draws and --decisions replay in"),
        ("plain", ["--draws", "3", "--oracle", "mock"], 1, "`--posterior laplace`"),
    ],
)
def test_what_there_is_no_posterior_of_is_said(
    shop, monkeypatch, flow, options, code, says
):
    monkeypatch.chdir(shop)
    asks = json.loads(Path("asks.flow.json").read_text())
    for fit in asks["folds"]:
        del fit["draws"]
    Path("plain.flow.json").write_text(json.dumps(asks))

    result = run("replay", f"{flow}.flow.json", "new", *options)

    assert result.exit_code == code
    assert says in " ".join(result.stderr.split())
