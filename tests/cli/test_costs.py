"""`stretto costs`: the report, the prices it takes, and the thresholds it writes."""

import json

import pytest
from click.testing import CliRunner

from stretto.cli.main import cli
from stretto.flow.wire import read_flow, write_flow
from tests.evaluate.test_replay import FLOW, find, get_user, order
from tests.toys import Script
from tests.traces.benchmark import results


@pytest.fixture
def folder(tmp_path):
    """A flow, and three sessions in which the agent reads an order it was not shown."""
    write_flow(FLOW, tmp_path / "shop.flow.json")
    episodes = []
    for name in "abc":
        script = Script().user("Z99 please").turn(find()).turn(get_user())
        episodes.append(
            script.turn(order("Z99")).turn(order("A")).reply().episode(name)
        )
    for file, has_tokens in (("sessions", True), ("silent", False)):
        content = results(episodes, "shop", "agent")
        for simulation in content["simulations"]:
            turns = [m for m in simulation["messages"] if m["role"] == "assistant"]
            for place, message in enumerate(turns if has_tokens else ()):
                prompt = 100 + 20 * place
                message["usage"] = {"prompt_tokens": prompt, "completion_tokens": 5}
        (tmp_path / f"{file}.json").write_text(json.dumps(content))
    return tmp_path


def run(folder, *args, sessions="sessions.json"):
    paths = [str(folder / "shop.flow.json"), str(folder / sessions)]
    how = ["--decider", "habit", "--threshold", "0.2"]
    return CliRunner().invoke(cli, ["costs", *paths, *how, *map(str, args)])


def test_the_report_says_what_a_turn_and_a_detour_cost_and_which_rule_counts(folder):
    page = folder / "costs.html"
    result = run(folder, "--html", page)

    assert result.exit_code == 0, result.output
    assert "θ*, pooled" in result.stdout
    assert "| get_order " in result.stdout
    assert "detours are a lower bound" in result.stdout
    assert "θ*" in page.read_text(encoding="utf-8")


def test_json_holds_both_ceilings_and_how_intervals_were_drawn(folder):
    found = json.loads(run(folder, "--json").stdout)

    # Of five turns, the user and their order A were told beforehand; Z99 only the user
    # had said.
    assert found["ceiling"]["agent"]["state"]["part"] == 6
    assert found["ceiling"]["agent"]["words"]["part"] == 9
    assert found["bootstrap"] == {"draws": 4000, "seed": 0, "unit": "task"}
    assert found["prices"] == {"output": 0, "read": 1, "write": 1}
    pooled = found["pooled"]
    beta, delta = pooled["beta"]["value"], pooled["delta"]["value"]
    assert pooled["theta"]["value"] == pytest.approx(delta / (beta + delta))
    assert pooled["theta"]["interval"] is not None
    assert "thresholds" not in found


def test_a_cheap_cache_takes_more_off_a_saved_turn_than_off_a_detour(folder):
    plain = json.loads(run(folder, "--json").stdout)["pooled"]
    priced = run(folder, "--json", "--price", "0,0.1,1.25")
    cached = json.loads(priced.stdout)["pooled"]

    assert cached["beta"]["value"] < plain["beta"]["value"] / 2
    assert cached["theta"]["value"] > plain["theta"]["value"]


def test_write_leaves_a_flow_of_version_2_with_theta_at_every_site(folder):
    out = folder / "priced.flow.json"
    found = json.loads(run(folder, "--json", "--write", out).stdout)

    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["stretto_flow"] == 2
    assert written["thresholds"] == found["thresholds"]
    assert read_flow(out).thresholds.keys() == {str(s) for s in FLOW.sites.next}
    pooled = round(found["pooled"]["theta"]["value"], 4)
    assert set(found["thresholds"].values()) == {pooled}

    own = json.loads(run(folder, "--json", "--write", out, "--at-least", 1).stdout)
    theta = own["sites"]["get_order"]["theta"]["value"]
    assert own["thresholds"]["get_order"] == round(theta, 4) != pooled


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--price", "1,2"], "not three numbers: OUT,READ,WRITE"),
        (["--price", "1,nan,2"], "nan is no finite number"),
        (["--price", "1,-1,2"], "not in the range"),
        (["--price", "1e300,1,1"], "not in the range"),
        (["--pooled"], "--pooled says what --write writes"),
    ],
)
def test_options_that_say_nothing_are_refused_in_a_line(folder, args, says):
    result = run(folder, *args)

    assert result.exit_code == 2
    assert says in result.output


def test_sessions_without_tokens_end_in_a_line_and_a_hint(folder):
    result = run(folder, sessions="silent.json")

    assert result.exit_code == 1
    assert "the sessions record no tokens" in result.output
    assert "hint:" in result.output
