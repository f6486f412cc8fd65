"""`stretto flow-show`: a review as Markdown or JSON, and nothing heavy loaded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.flow.review import review
from stretto.flow.show import show
from stretto.flow.wire import write_flow
from tests.claims import claim
from tests.flow.maximal import MAXIMAL

HEAVY = {
    "jax",
    "numpyro",
    "mcp",
    "scipy",
    "numpy",
    "pydantic",
    "rich",
    "jinja2",
    "importlib.metadata",
}


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    """A flow file with everything in it."""
    write_flow(MAXIMAL, path := tmp_path / "shop.flow.json")
    return path


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, ["flow-show", *map(str, args)])


@claim("review:show")
def test_it_prints_the_review_as_markdown(flow: Path) -> None:
    result = run(flow)

    assert result.exit_code == 0
    assert result.stdout == show(review(MAXIMAL)) + "\n"
    assert result.stderr == ""


def test_it_prints_the_same_review_as_json(flow: Path) -> None:
    found = json.loads(run(flow, "--json").stdout)

    assert found == json.loads(json.dumps(review(MAXIMAL).json()))
    assert found["cautions"][0]["code"] == "read_like_write"


def test_the_threshold_is_the_one_it_is_served_at(flow: Path) -> None:
    assert "Threshold 0.75; decided by" in run(flow, "--threshold", "0.75").stdout


@pytest.mark.parametrize("threshold", ["2", "-0.1", "nan", "some"])
def test_a_threshold_that_is_no_probability_is_wrong_usage(
    flow: Path, threshold: str
) -> None:
    assert run(flow, "--threshold", threshold).exit_code == 2


def test_a_file_that_is_no_flow_is_told_in_two_lines_and_exits_1(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"stretto_mcp_log":2}\n{}\n', encoding="utf-8")

    result = run(path)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        f"error: {path}: is a session log, not a flow",
        "hint: `stretto learn` makes a flow from recorded sessions",
    ]


@pytest.mark.parametrize("command", ["flow_show", "flow_diff"])
def test_it_loads_none_of_the_modules_that_take_long(command: str) -> None:
    script = f"import sys, stretto.cli.{command}; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert HEAVY & {*result.stdout.split()} == set()


def test_who_is_to_decide_can_be_named(flow: Path) -> None:
    assert "; decided by arbiter." in run(flow).output
    assert "; decided by habit." in run(flow, "--decider", "habit").output

    unheld = run(flow, "--decider", "nobody")
    assert unheld.exit_code == 1
    assert "hint: installed: arbiter, habit, reach" in unheld.output
