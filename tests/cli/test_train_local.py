"""`stretto train-local`, from sessions to a model that answers."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.demo.record import record
from stretto.oracle.installed import oracle
from stretto.oracle.local.file import read_local
from stretto.oracle.settings import OracleSettings
from tests.conftest import ROOT

LIBRARY = ROOT / "docs" / "examples" / "library"


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions of the demo's shop, and a model trained on them."""
    folder = tmp_path_factory.mktemp("shop")
    record(folder / "sessions", sessions=20, seed=7)
    result = run(
        "train-local", folder / "sessions", "-o", folder / "m.safetensors", "--json"
    )
    assert result.exit_code == 0, result.output
    (folder / "report.json").write_text(result.stdout)
    return folder


def test_a_trained_model_says_where_it_came_from_and_how_it_did(shop):
    report = json.loads((shop / "report.json").read_text())
    provenance = read_local(shop / "m.safetensors").provenance

    assert report["sessions"] == provenance.sessions == 20
    assert report["domain"] == provenance.domain == "shop"
    assert report["held_out"] == provenance.scores
    assert report["held_out"]["scores"].keys() == {"habit", "local"}
    assert report["training"]["seed"] == 7
    assert report["beats_habit"] == provenance.beats_habit
    assert len(provenance.tasks) == report["tasks"]
    assert not (shop / "m.safetensors").read_bytes().count(b"@example")


def test_a_trained_model_is_an_oracle_by_its_file(shop):
    report = json.loads((shop / "report.json").read_text())

    found = oracle("local", OracleSettings(model=str(shop / "m.safetensors")))

    assert found.model == f"local-{report['sha256'][:12]}"


def test_the_report_sets_it_beside_the_habit(tmp_path):
    result = run(
        "train-local", LIBRARY / "chats.jsonl", "--manifest", LIBRARY / "kinds.json",
        "-o", tmp_path / "m.safetensors",
    )  # fmt: skip

    assert result.exit_code == 0, result.output
    assert "sessions   10 of 10 tasks" in result.output
    assert "| habit " in result.output
    assert "| local " in result.output
    assert "nats a decision" in result.output


def test_too_few_tasks_are_an_error_with_a_hint_and_leave_no_file(tmp_path):
    result = run(
        "train-local", LIBRARY / "chats.jsonl", "--manifest", LIBRARY / "kinds.json",
        "--tasks", "0,1", "-o", tmp_path / "m.safetensors",
    )  # fmt: skip

    assert result.exit_code == 1
    assert "error: the sessions' tasks are too few" in result.output
    assert "hint: record more tasks" in result.output
    assert not [*tmp_path.iterdir()]
