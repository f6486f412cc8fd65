"""`stretto flow-diff`: its exit code says whether anything needs review."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.flow.diff import compare, show_difference
from stretto.flow.flow import Flow
from stretto.flow.wire import write_flow
from tests.claims import claim
from tests.flow.maximal import MAXIMAL

NARROWER = replace(MAXIMAL, thresholds={**MAXIMAL.thresholds, "get_user": 0.5})


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, ["flow-diff", *map(str, args)])


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The maximal flow, and a narrower one."""
    flows: dict[str, Flow] = {"wide": MAXIMAL, "narrow": NARROWER}
    paths = {name: tmp_path / f"{name}.flow.json" for name in flows}
    for name, path in paths.items():
        write_flow(flows[name], path)
    return paths


def test_it_exits_0_where_nothing_needs_review(files: dict[str, Path]) -> None:
    result = run(files["wide"], files["narrow"])

    assert result.exit_code == 0
    assert "`get_user` has threshold 0.5, had 0.2" in result.stdout
    assert "## Needs review\n\nNothing." in result.stdout


@claim("review:diff")
def test_it_exits_1_where_something_does(files: dict[str, Path]) -> None:
    result = run(files["narrow"], files["wide"])
    found = compare(NARROWER, MAXIMAL)

    assert result.exit_code == 1
    expected = show_difference(found, "narrow.flow.json", "wide.flow.json")
    assert result.stdout == expected + "\n"


def test_it_exits_2_where_a_flow_cannot_be_read(files: dict[str, Path]) -> None:
    result = run(files["wide"], files["wide"].with_name("missing.flow.json"))

    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert "missing.flow.json: cannot be read" in result.stderr


def test_it_exits_2_on_wrong_usage(files: dict[str, Path]) -> None:
    assert run(files["wide"]).exit_code == 2
    assert run(files["wide"], files["wide"], "--tolerance", "2").exit_code == 2


def test_json_gives_the_reasons_as_codes(files: dict[str, Path]) -> None:
    result = run(files["narrow"], files["wide"], "--json")
    found = json.loads(result.stdout)

    assert result.exit_code == 1
    assert found["needs_review"] is True
    assert found["after"] == str(files["wide"])
    assert [(c["code"], c["subject"]) for c in found["changes"]] == [
        ("threshold_lowered", "get_user")
    ]
    assert found["program"] == []


def test_help_says_what_the_exit_codes_mean() -> None:
    text = " ".join(run("--help").stdout.split())

    assert "0 when nothing needs review" in text
    assert "1 when something does" in text
    assert "2 when a flow cannot be read" in text
