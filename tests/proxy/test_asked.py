"""A flow with an arbiter, served by a proxy that is a process."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from stretto.cli.main import cli
from stretto.demo.record import record
from stretto.demo.world import build
from tests.oracle.test_usual import trained
from tests.proxy.host import INITIALIZE, Host

SEED = 7
SHOP = [sys.executable, "-m", "stretto.demo.server", "--seed", str(SEED)]
FIND = {"email": next(iter(build(SEED).customers.values())).email}


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A flow of the shop's, its arbiter fitted on what the mock answers."""
    folder = tmp_path_factory.mktemp("asked")
    record(folder / "sessions", sessions=40, seed=SEED)
    path = folder / "shop.flow.json"
    learn = ["learn", str(folder / "sessions"), "--oracle", "mock", "-o", str(path)]
    assert CliRunner().invoke(cli, learn).exit_code == 0
    return path


def served(folder: Path, *options: object) -> tuple[dict, list[dict], str]:
    """One call's result, the decisions behind it, and what the proxy noted."""
    log = folder / "decided.jsonl"
    given = [*map(str, options), "--flow-log", str(log)]
    with Host.behind_proxy(SHOP, *given) as host:
        host.send(INITIALIZE)
        host.line()
        host.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        found = host.ask(1, name="find_customer", arguments=FIND)
        assert host.end() == 0
        noted = "\n".join(host.noted())
    return found, [json.loads(line) for line in log.read_text().splitlines()], noted


def test_what_the_oracle_answers_is_weighed_behind_the_agents_call(flow, tmp_path):
    found, decided, noted = served(tmp_path, "--flow", flow, "--oracle", "mock")

    assert "decided by arbiter, which asks mock" in noted
    assert len(found["result"]["content"]) == 2
    first = decided[0]
    assert first["action"] == "lookup"
    assert first["oracle"]["get_customer"] == 0.6
    assert len(first["key"]) == 64


def test_without_an_answer_the_agent_gets_the_servers_result(
    flow, tmp_path, monkeypatch
):
    monkeypatch.setenv("STRETTO_HOME", str(tmp_path))
    monkeypatch.delenv("TYPESAFE_API_KEY", raising=False)
    monkeypatch.delenv("TYPESAFE_API_KEY_FILE", raising=False)

    found, decided, noted = served(tmp_path, "--flow", flow)

    assert "which asks jev" in noted
    assert "TYPESAFE_API_KEY" in noted
    assert len(found["result"]["content"]) == 1
    assert decided[0]["action"] == "hand_back"


def test_a_model_of_ones_own_that_beats_no_habit_is_noted_and_not_asked(
    flow, tmp_path, monkeypatch
):
    for name, value in trained(tmp_path, None).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("TYPESAFE_API_KEY", raising=False)
    monkeypatch.delenv("TYPESAFE_API_KEY_FILE", raising=False)

    _, decided, noted = served(tmp_path, "--flow", flow)

    assert "does not beat the habit" in noted
    assert "decided by habit\n" in f"{noted}\n"
    assert decided[0]["oracle"] == {}


def test_another_model_than_the_one_fitted_on_is_noted(flow, tmp_path):
    *_, noted = served(
        tmp_path, "--flow", flow, "--oracle", "replay", "--oracle-model", "jev-9",
        "--oracle-cache", tmp_path / "answers",
    )  # fmt: skip

    assert "fitted on answers of mock, not jev-9" in noted
    assert "holds no answer to" in noted
