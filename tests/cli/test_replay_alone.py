"""`stretto replay` by another rule, with bounds, and against a server."""

import json
import shlex
import sys
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.evaluate.growing import Grower
from stretto.flow.wire import write_flow
from tests.client.test_live import CANCEL, session
from tests.evaluate.test_replay import FLOW, order
from tests.traces.benchmark import results

SHOP = Path(__file__).parent.parent / "client" / "shop.py"


@pytest.fixture
def folder(tmp_path):
    write_flow(FLOW, tmp_path / "shop.flow.json")
    for name, *more in (("reads",), ("writes", CANCEL, order("A"))):
        text = json.dumps(results([session(*more, name=name)], "shop", "agent"))
        (tmp_path / f"{name}.json").write_text(text)
    return tmp_path


def replayed(folder: Path, name: str, *args: object) -> Result:
    given = [folder / "shop.flow.json", folder / f"{name}.json", *args]
    how = ["--decider", "habit", "--threshold", "0.2"]
    return CliRunner().invoke(cli, ["replay", *map(str, given), *how])


def server(*words: object) -> tuple[str, str]:
    return "--server", shlex.join(map(str, (sys.executable, SHOP, *words)))


def test_every_output_says_by_which_rule_it_counted(folder):
    usual = replayed(folder, "reads", "--json")
    legacy = replayed(folder, "reads", "--legacy", "--by-record", "--json")
    text = replayed(folder, "reads", "--legacy").stdout

    assert json.loads(usual.stdout)["counting"] == "current"
    assert json.loads(legacy.stdout)["counting"] == "legacy+by-record"
    assert "Counting rule: legacy. Any call that was made before" in text
    assert "Counting rule: current." in replayed(folder, "reads").stdout


def test_sessions_whose_graph_is_too_large_count_the_same_and_are_told_of(
    folder, monkeypatch
):
    every = ("--sweep", "--sites", "--json")
    usual = replayed(folder, "reads", *every)
    monkeypatch.setattr("stretto.cli.replay.Grower", partial(Grower, max_nodes=1))
    large = replayed(folder, "reads", *every)

    assert large.stdout == usual.stdout
    assert "replayed each setting by itself" not in usual.stderr
    assert (
        "note: 1 of the sessions replayed each setting by itself: its graph has more "
        "than 1 nodes"
    ) in large.stderr


def test_bounds_change_no_count(folder):
    usual = json.loads(replayed(folder, "reads", "--json").stdout)
    bounded = json.loads(replayed(folder, "reads", "--bounds", "--json").stdout)
    totals = bounded["totals"]

    both = usual["totals"].keys() & totals.keys()
    assert len(both) == 18
    assert all(usual["totals"][key] == totals[key] for key in both)
    assert totals["turns_saved_in_part"] == 2
    low, high = totals["detours_between"]
    assert low <= totals["detours"] <= high


def test_against_a_server_detours_are_counted_and_the_record_stands_beside(folder):
    text = replayed(folder, "reads", *server("good")).stdout
    found = json.loads(replayed(folder, "reads", *server("good"), "--json").stdout)

    assert "were the tools asked" not in text
    assert "- **1** detours" in text
    assert (
        "The server returned what the record has for 1 of the agent's 1 call," in text
    )
    assert found["environment"] == "server"
    assert found["totals"]["unrecorded"] == 0
    assert found["record"][0]["unrecorded"] == 1
    assert found["server"]["left_out"] == []


def test_sessions_that_the_server_fails_in_are_told_of_and_no_numbers(folder):
    result = replayed(folder, "reads", *server("ends"))

    assert result.exit_code == 0
    assert "note: reads is left out: the server ended before" in result.stderr
    assert "There was no LLM turn to replay." in result.stdout
    assert "1 session left out, in which the server failed:" in result.stdout


def test_another_server_is_warned_of(folder):
    result = replayed(folder, "writes", *server("other"), "--writes", "--json")
    told = json.loads(result.stdout)["server"]

    assert told["misread"] == {"get_user": 1}
    assert told["differing"] == {"get_order": 1}


def test_writes_are_sent_only_where_that_is_said(folder):
    refused = replayed(folder, "writes", *server("good"))
    allowed = replayed(folder, "writes", *server("good"), "--writes")

    assert refused.exit_code == 1
    assert "session writes calls cancel, which does more than read" in refused.stderr
    assert "`--writes` has the server carry it out" in refused.stderr
    assert allowed.exit_code == 0


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["--writes"], "--reset and --writes need --server or --upstream"),
        (["--server", "a", "--upstream", "http://b"], "takes the place of a server's"),
        (["--upstream-header", "A=B"], "--upstream-header needs --upstream URL"),
        (["--server", "'"], "No closing quotation"),
        (["--server", " "], "there is no command in it"),
        (["--bounds", "--sites"], "--sites, --draws and --decisions replay in"),
        (["--patience", "0"], "--patience"),
    ],
)
def test_what_does_not_go_together_is_refused(folder, args, why):
    result = replayed(folder, "reads", *args)

    assert result.exit_code == 2
    assert why in result.output


def test_a_header_whose_variable_is_not_set_is_refused_before_anything_is_sent(folder):
    args = ("--upstream", "http://localhost:1/mcp", "--upstream-header", "A=NOT_SET_B")
    result = replayed(folder, "reads", *args)

    assert result.exit_code == 1
    assert "the environment has no NOT_SET_B" in result.stderr
