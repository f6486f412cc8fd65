"""`stretto program`."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.flow.wire import write_flow
from stretto.program.standard import STANDARD
from stretto.program.text import render
from stretto.program.wire import program_json
from tests.conftest import ROOT
from tests.toys import TOY, taught

PROGRAMS = ROOT / "programs"


@pytest.fixture(scope="module")
def flow(tmp_path_factory) -> str:
    """The toy flow's file."""
    path = tmp_path_factory.mktemp("flow") / "toy.flow.json"
    write_flow(taught(TOY).flow, path)
    return str(path)


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, ["program", *map(str, args)])


def said(*args: object) -> str:
    result = run(*args)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*args: object) -> str:
    result = run(*args)
    assert result.exit_code == 1
    assert result.stdout == ""
    return result.stderr


def test_no_command_of_the_group_imports_jax():
    script = "import sys, stretto.cli.program; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert not {"jax", "numpyro", "numpy", "scipy", "mcp"} & set(done.stdout.split())


def test_check_says_the_most_a_run_can_do():
    assert said("check", PROGRAMS / "standard.fugue").splitlines()[1:] == [
        "  draws: at most 2·max_lookups",
        "  statements: at most 7·max_lookups + 3",
    ]


def test_check_tries_a_program_out_on_a_flow(flow):
    found = json.loads(
        said("check", PROGRAMS / "standard.fugue", "--flow", flow, "--json")
    )

    assert found == {
        "draws": "2·max_lookups",
        "statements": "7·max_lookups + 3",
        "tried": 4 * 2 * 3 * 20,
    }
    assert "tried: 480 runs" in said("check", flow)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("let x = 1\npure(x)", "odd.fugue:2:1: expected `;`, found `pure`"),
        ("pure(gone)", "odd.fugue:1:6: no variable `gone` is in scope"),
        ("for i in 0..9999999 { } pure(0)", "runs statements up to"),
    ],
)
def test_check_refuses_what_a_flow_may_not_run(tmp_path, text, why):
    path = tmp_path / "odd.fugue"
    path.write_text(text)

    assert why in refused("check", path)


def test_check_finds_a_mistake_that_only_running_shows(tmp_path, flow):
    path = tmp_path / "odd.fugue"
    path.write_text("factor(call_failed); pure(0)")

    assert said("check", path)
    assert "a factor is a boolean" in refused("check", path, "--flow", flow)


@pytest.mark.parametrize("form", ["text", "json", "flow"])
def test_show_prints_the_text_of_a_program_in_any_form(tmp_path, flow, form):
    path = tmp_path / "program"
    forms = {
        "text": f"// a comment\n{render(STANDARD)}",
        "json": json.dumps(program_json(STANDARD)),
        "flow": Path(flow).read_text(),
    }
    path.write_text(forms[form])

    assert said("show", path) == render(STANDARD) + "\n"


def test_score_gives_the_log_probability_of_a_run(flow):
    choices = {"decide#0": "get", "outcome#0": True, "decide#1": "respond"}

    found = json.loads(
        said(
            "score", flow, "--call", "find", "--choices", json.dumps(choices), "--json"
        )
    )

    assert found["log_prob"] == pytest.approx(math.log(3 / 4 * 4 / 5 * 3 / 5))
    assert [c["value"] for c in found["choices"]] == [2, True, 0]
    assert found["log_prob"] == pytest.approx(
        sum(choice["log_prob"] for choice in found["choices"])
    )
    assert found["warnings"] == []


def test_score_reads_a_program_a_flow_and_the_choices_of_a_log(tmp_path, flow):
    path = tmp_path / "choices.json"
    path.write_text(json.dumps([["decide#0", 2, 0.0], ["outcome#0", False, -0.1]]))

    text = said(
        "score", PROGRAMS / "stop-at-failure.fugue", "--flow", flow,
        "--call", "find", "--choices", path,
    )  # fmt: skip

    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines()]
    assert rows[2:4] == [
        ["decide#0", "get", f"{math.log(3 / 4):.4f}"],
        ["outcome#0", "error", f"{math.log(1 / 5):.4f}"],
    ]
    assert f"log probability {math.log(3 / 20):.4f} nats" in text


def test_a_failed_call_and_a_cap_change_what_is_scored(flow):
    choices = '{"decide#0": 0}'

    after_failure = said(
        "score", flow, "--call", "get", "--call-failed", "--choices", choices
    )
    capped = said("score", flow, "--call", "get", "--max-lookups", 0, "--choices", "{}")

    assert "log probability 0.0000 nats" in after_failure
    assert "log probability 0.0000 nats" in capped


def test_what_is_impossible_is_null_in_json_and_told(tmp_path, flow):
    path = tmp_path / "soft.fugue"
    path.write_text("factor(true); pure(0)")
    args = ("score", path, "--flow", flow, "--choices", "{}")

    assert json.loads(said(*args, "--json"))["log_prob"] is None
    result = run(*args)
    assert "log probability -inf nats" in result.stdout
    assert "warning: " in result.stderr
    assert "soft.fugue:1:1: a factor is a boolean" in result.stderr


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ("{}", "no choice is given for `decide#0`"),
        ('{"decide#0": 0, "x": 1}', "the run never draws `x`"),
        ('{"decide#0": true}', "`decide#0` was answered with a boolean"),
        ('{"decide#0": "gone"}', "no tool of the flow is called that"),
        ('{"decide#0": 1.5}', "should be a string"),
        ('[["decide#0"]]', "should be an address and a value"),
        ("{", "--choices: is not JSON"),
        ("none.json", "none.json: cannot be read"),
    ],
)
def test_choices_that_are_not_a_runs_are_refused(flow, choices, why):
    assert why in refused("score", flow, "--call", "get", "--choices", choices)


def test_simulate_counts_the_lookups_of_many_runs(flow):
    args = ("simulate", flow, "--call", "find", "-n", 2000, "--seed", 1, "--json")
    found = json.loads(said(*args))

    shares = {
        tuple((step["tool"], step["failed"]) for step in path["lookups"]):
            path["runs"] / 2000
        for path in found["paths"]
    }  # fmt: skip
    assert found["runs"] == 2000
    assert shares[()] == pytest.approx(1 / 4, abs=0.04)
    assert shares[(("get", True),)] == pytest.approx(3 / 4 / 5, abs=0.04)
    assert shares[(("get", False),)] == pytest.approx(3 / 4 * 4 / 5 * 3 / 5, abs=0.04)
    assert found["mean_lookups"] == pytest.approx(
        sum(len(path) * share for path, share in shares.items())
    )
    assert json.loads(said(*args)) == found


def test_simulate_prints_the_commonest_ways_first(flow):
    text = said("simulate", flow, "--call", "find", "-n", 500)

    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines()]
    counts = [int(row[1]) for row in rows[2:] if len(row) == 3]
    assert counts == sorted(counts, reverse=True)
    assert "get ×2" in text
    assert "lookups a run" in text


def test_simulate_says_how_many_ways_it_left_out(tmp_path, flow):
    path = tmp_path / "many.fugue"
    path.write_text(
        """
        for i in 0..max_lookups {
            let d <- sample(addr!("decide", i), Decide(2, false));
            let ok <- sample(addr!("outcome", i), Outcome(2));
        }
        pure(0)
        """
    )

    text = said("simulate", path, "--flow", flow, "--call", "get")

    assert " other ways in " in text


def test_simulate_tells_of_runs_that_went_wrong(tmp_path, flow):
    path = tmp_path / "soft.fugue"
    path.write_text("factor(true); pure(0)")

    result = run("simulate", path, "--flow", flow, "-n", 3)

    assert "3 runs met a soft error" in result.stderr


def test_a_program_alone_is_neither_scored_nor_simulated():
    assert refused("simulate", PROGRAMS / "standard.fugue").splitlines() == [
        "error: a program needs a flow to draw by",
        "hint: name one with `--flow FLOW`",
    ]


def test_a_tool_the_flow_does_not_know_is_refused(flow):
    assert refused("simulate", flow, "--call", "gone").splitlines() == [
        "error: the flow knows no tool called 'gone'",
        "hint: it knows find, get, cancel",
    ]
