"""The main job from the command line: learn, show, audit, replay, simulate."""

import gzip
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.demo.record import play, record
from stretto.demo.served import play_again, serve, write
from stretto.demo.world import build
from stretto.flow.deciders.decider import decider
from stretto.flow.wire import read_flow
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Exploration, Serving
from tests.claims import claim

MANIFEST = {
    "domain": "shop",
    "tools": {"find": "read", "get": "read", "cancel": "write"},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions of the demo's shop, and a flow learned from them."""
    folder = tmp_path_factory.mktemp("shop")
    record(folder / "sessions", sessions=20, seed=7)
    record(folder / "new", sessions=8, seed=7, first=20)
    assert (
        run("learn", folder / "sessions", "-o", folder / "shop.flow.json").exit_code
        == 0
    )
    return folder


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def test_learning_says_what_it_read_and_what_it_took_on_trust(shop, tmp_path):
    result = run("learn", shop / "sessions", "-o", tmp_path / "f.json", "--no-features")

    assert result.exit_code == 0, result.output
    assert "sessions   20 read, 20 to learn from, 20 used" in result.output
    assert "on trust   20 of the sessions used carry no reward" in result.output
    assert "by grid" in result.output
    assert json.loads((tmp_path / "f.json").read_text())["stretto_flow"] in (1, 2)


def test_learning_twice_gives_the_same_flow_but_for_its_time(shop, tmp_path):
    flows = []
    for name in ("a", "b"):
        assert run("learn", shop / "sessions", "-o", tmp_path / name).exit_code == 0
        flows.append(json.loads((tmp_path / name).read_text()))
        del flows[-1]["provenance"]["compiled_unix_ms"]

    assert flows[0] == flows[1]


def test_rewards_choose_the_sessions_that_teach(shop, tmp_path):
    ids = sorted(path.stem for path in (shop / "sessions").iterdir())
    rewards = tmp_path / "rewards.json"
    rewards.write_text(json.dumps({i: float(n % 2) for n, i in enumerate(ids)}))

    result = run(
        "learn",
        shop / "sessions",
        "-o",
        tmp_path / "f.json",
        "--rewards",
        rewards,
        "--json",
    )

    summary = json.loads(result.stdout)
    assert (summary["episodes"], summary["habit_episodes"]) == (20, 10)
    assert summary["on_trust"] == 0


def test_a_fixed_concentration_is_the_flows(shop, tmp_path):
    out = tmp_path / "f.json"
    result = run("learn", shop / "sessions", "-o", out, "--alpha", 3.5, "--json")

    assert json.loads(result.stdout)["concentration"] is None
    assert json.loads(out.read_text())["habit"]["base"]["alpha"] == 3.5


def test_sessions_without_kinds_need_a_manifest(tmp_path):
    chat = tmp_path / "chat.jsonl"
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "yes"},
    ]
    chat.write_text(json.dumps({"messages": messages}) + "\n")

    result = run("learn", chat, "-o", tmp_path / "f.json")

    assert result.exit_code == 1
    assert "error: no tool is known to only read" in result.stderr
    assert "hint: name the tools' kinds with `--manifest FILE`" in result.stderr
    assert not (tmp_path / "f.json").exists()


def test_a_flow_that_cannot_be_written_is_one_line(shop):
    result = run("learn", shop / "sessions", "-o", shop / "missing" / "f.json")

    assert result.exit_code == 1
    assert "cannot be written" in result.stderr


def test_an_audit_prints_the_numbers_its_json_holds(shop):
    text = run("audit", shop / "shop.flow.json", shop / "new")
    found = json.loads(
        run("audit", shop / "shop.flow.json", shop / "new", "--json").stdout
    )

    assert f"**{found['agreement']:.1%}** of decisions" in text.stdout
    assert found["episodes"] == 8
    assert sum(site["decisions"] for site in found["sites"]) == found["decisions"]
    assert sum(b["decisions"] for b in found["calibration"]) == found["decisions"]
    assert found["log_prob"] == pytest.approx(
        found["mean_log_prob"] * found["decisions"]
    )


def test_a_replay_prints_its_counting_rule_and_its_interval(shop):
    text = run("replay", shop / "shop.flow.json", shop / "new", "--sweep")
    found = json.loads(
        run("replay", shop / "shop.flow.json", shop / "new", "--sweep", "--json").stdout
    )

    assert "Counting rule: current." in text.stdout
    assert "95% interval" in text.stdout
    assert found["counting"] == "current"
    assert len(found["thresholds"]) == 9
    assert found["totals"]["detours"] == found["totals"]["unrecorded"]
    saved = [episode["turns_saved"] for episode in found["episodes"]]
    assert sum(saved) == found["totals"]["turns_saved"] > 0


def test_a_replay_is_about_the_first_of_several_thresholds(shop):
    args = ("replay", shop / "shop.flow.json", shop / "new", "--json")
    first, other, both = (
        json.loads(run(*args, *options).stdout)
        for options in (
            ("--threshold", 0.6),
            ("--threshold", 0.05),
            ("--threshold", 0.6, "--threshold", 0.05, "--jobs", 2),
        )
    )

    assert both["totals"] == first["totals"] != other["totals"]
    assert both["thresholds"] == other["thresholds"] + first["thresholds"]
    assert both["episodes"] == first["episodes"]


def test_a_replay_by_site_changes_one_threshold_and_no_other(shop, tmp_path):
    flow, changed = shop / "shop.flow.json", tmp_path / "changed.flow.json"
    found = json.loads(run("replay", flow, shop / "new", "--sites", "--json").stdout)
    site, points = max(
        found["sites"].items(), key=lambda item: -item[1][-1]["turns_saved"]
    )
    file = json.loads(flow.read_text())
    changed.write_text(
        json.dumps({**file, "stretto_flow": 2, "thresholds": {site: 2.0}})
    )

    alone = json.loads(run("replay", changed, shop / "new", "--json").stdout)

    off = points[-1]
    assert off.pop("threshold") == 2.0
    assert off == {name: alone["totals"][name] for name in off}
    assert off["turns_saved"] < found["totals"]["turns_saved"]
    assert set(found["sites"]) > {site}


def test_a_replay_by_site_leaves_out_thresholds_that_change_nothing(shop):
    args = ("replay", shop / "shop.flow.json", shop / "new", "--sites")
    text, found = run(*args).stdout, json.loads(run(*args, "--json").stdout)

    here = tuple(found["totals"][name] for name in ("turns_saved", "detours"))
    moved = {
        site
        for site, points in found["sites"].items()
        if any((p["turns_saved"], p["detours"]) != here for p in points)
    }
    table = text.split("## Sites")[1].split("## Counts")[0]
    assert {row.split("|")[1].strip() for row in table.splitlines()[6:] if row} == moved


def test_a_simulation_is_the_same_for_the_same_seed(shop):
    args = ("simulate", shop / "shop.flow.json", shop / "new", "-n", 50, "--json")

    first, again = run(*args), run(*args, "--seed", 0)

    assert first.stdout == again.stdout
    assert run(*args, "--seed", 1).stdout != first.stdout
    assert 0.0 <= json.loads(first.stdout)["tail"] <= 1.0


@pytest.mark.parametrize("command", ["audit", "replay", "simulate"])
def test_a_page_is_one_file_that_fetches_nothing(shop, tmp_path, command):
    page = tmp_path / "page.html"
    result = run(
        command, shop / "shop.flow.json", shop / "new", "--html", page,
        *(["--sweep", "--sites"] if command == "replay" else []),
    )  # fmt: skip

    text = page.read_text()
    assert result.exit_code == 0, result.output
    assert "<svg" in text
    assert "<script" not in text
    assert "://" not in text.replace("http://www.w3.org", "")


@pytest.mark.parametrize("command", ["audit", "replay", "simulate"])
def test_nothing_to_measure_is_an_error_with_a_hint(shop, command):
    result = run(command, shop / "shop.flow.json", shop / "new", "--tasks", "nobody")

    assert result.exit_code == 1
    assert "error: there is no session to measure" in result.stderr


def test_a_flow_file_that_is_none_is_one_line(shop, tmp_path):
    no_flow = tmp_path / "x.flow.json"
    no_flow.write_text("[1, 2]")

    result = run("audit", no_flow, shop / "new")

    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert str(no_flow) in result.stderr


def test_an_unknown_decider_names_the_installed_ones(shop):
    result = run("audit", shop / "shop.flow.json", shop / "new", "--decider", "oracle")

    assert result.exit_code == 1
    assert "hint: installed: arbiter, habit, reach" in result.stderr


@claim("data:splits", "sample:named")
def test_a_named_task_outside_the_split_is_a_usage_error(shop, tmp_path):
    split = tmp_path / "split.json"
    split.write_text(json.dumps({"train": ["1"], "test": ["2"]}))

    result = run(
        "audit", shop / "shop.flow.json", shop / "new", "--split", split, "--tasks", "1"
    )

    assert result.exit_code == 2
    assert "not among the split's test tasks: 1" in result.stderr


def test_bad_lines_are_warned_of_and_cost_no_session(shop, tmp_path):
    broken = tmp_path / "logs"
    broken.mkdir()
    for log in (shop / "new").iterdir():
        (broken / f"{log.name}.gz").write_bytes(gzip.compress(log.read_bytes()))
    (broken / "20270101T000000.000Z-1.jsonl").write_text('{"stretto_mcp_log": 9}\n')

    result = run("audit", shop / "shop.flow.json", broken, "--json")

    assert json.loads(result.stdout)["episodes"] == 8
    assert "warning:" in result.stderr
    assert "9" in result.stderr


def test_strict_makes_the_first_problem_an_error(shop, tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"stretto_mcp_log": 9}\n')

    result = run("audit", shop / "shop.flow.json", shop / "new", bad, "--strict")

    assert result.exit_code == 1
    assert str(bad) in result.stderr


def test_the_demo_ends_with_what_the_flow_would_save_and_what_it_saved(tmp_path):
    result = run("demo", "--out", tmp_path / "tour")

    assert result.exit_code == 0, result.output
    promised, kept = result.output.strip().splitlines()[-2:]
    assert promised.startswith("Behind this agent's calls the flow would save ")
    assert kept.startswith("Served in the same sessions, it saved ")
    report = (tmp_path / "tour" / "report.html").read_text()
    assert len(report) > 20_000
    assert "And when it is served?" in report


@claim("thresholds:search")
def test_a_search_is_written_rescored_and_served_as_it_was_found(shop, tmp_path):
    found, flow = tmp_path / "search.json", tmp_path / "found.flow.json"
    graphs = ("--graphs", tmp_path / "graphs")
    args = ("search", shop / "shop.flow.json", shop / "new", "--coordinates")

    text = run(*args, *graphs, "-o", found, "--write", flow).stdout
    again = json.loads(run(*args, *graphs, "--json").stdout)
    rescored = run(*args, "--rescore", found, "--json").stdout
    chosen = json.loads(run("replay", flow, shop / "new", "--json").stdout)

    assert "settings scored" in text
    assert json.loads(found.read_text()) == again
    assert json.loads(rescored)["held_out"]["front"] == again["front"]
    assert [chosen["totals"][n] for n in ("turns_saved", "detours")] == [
        again["chosen"][n] for n in ("turns_saved", "detours")
    ]
    assert len(list((tmp_path / "graphs").iterdir())) == 2


def test_a_folder_for_graphs_that_cannot_be_is_an_error_before_any_searching(
    shop, tmp_path
):
    (tmp_path / "file").touch()
    args = ("search", shop / "shop.flow.json", shop / "new", "--coordinates")

    result = run(*args, "--graphs", tmp_path / "file" / "graphs")

    assert result.exit_code == 1
    assert "cannot be made: Not a directory" in result.stderr


def test_a_search_without_a_train_task_is_an_error_with_a_hint(shop, tmp_path):
    split = tmp_path / "split.json"
    split.write_text(json.dumps({"train": ["nobody"], "test": ["nobody else"]}))

    result = run("search", shop / "shop.flow.json", shop / "new", "--split", split)

    assert result.exit_code == 1
    assert "hint:" in result.stderr


def test_nsga_without_pymoo_is_an_error_that_names_the_extra(shop, monkeypatch):
    monkeypatch.setitem(sys.modules, "pymoo", None)
    monkeypatch.delitem(sys.modules, "stretto.learn.nsga", raising=False)
    for name in [name for name in sys.modules if name.startswith("pymoo.")]:
        monkeypatch.delitem(sys.modules, name)

    result = run("search", shop / "shop.flow.json", shop / "new")

    assert result.exit_code == 1
    assert "pip install 'stretto[search]'" in result.stderr


def test_a_promoted_flow_acts_at_the_sites_that_its_file_promotes(shop, tmp_path):
    flow, out = shop / "shop.flow.json", tmp_path / "promoted.flow.json"

    bar = ("--min-used", 0.9)

    text = run("promote", flow, shop / "new", *bar, "-o", out)
    found = json.loads(run("promote", flow, shop / "new", *bar, "--json").stdout)

    assert text.exit_code == 0, text.output
    promoted = json.loads(out.read_text())["promoted"]
    assert promoted == found["promoted"]
    assert promoted["bar"] == {
        "threshold": 0.3, "min_used": 0.9, "min_lower": 0.5, "min_tasks": 3,
    }  # fmt: skip
    sites = promoted["sites"]
    yes = {site for site, record in sites.items() if record["promoted"]}
    assert yes < set(sites)
    before, after = (
        json.loads(run("replay", path, shop / "new", "--json").stdout)["totals"]
        for path in (flow, out)
    )
    assert 0 < after["turns_saved"] < before["turns_saved"]
    assert after["detours"] <= before["detours"]


def test_with_holm_a_site_needs_its_corrected_p_too_and_the_file_says_so(
    shop, tmp_path
):
    out = tmp_path / "promoted.flow.json"
    args = ("promote", shop / "shop.flow.json", shop / "new")

    plain = json.loads(run(*args, "--json").stdout)
    strict = json.loads(run(*args, "--holm", "--json", "-o", out).stdout)

    before, after = (
        {s for s, r in found["promoted"]["sites"].items() if r["promoted"]}
        for found in (plain, strict)
    )
    sure = {s for s, e in strict["evidence"].items() if (e["corrected"] or 1) <= 0.05}
    assert after == before & sure
    assert after < before
    assert strict["bootstrap"] == {"draws": 4000, "seed": 0, "unit": "task"}
    assert json.loads(out.read_text())["promoted"]["bar"]["holm"] is True
    assert "too unsure of several" in run(*args, "--holm").stdout
    assert "Holm's correction" in run("flow-show", out).stdout


@pytest.mark.parametrize("option", ["--min-used", "--min-lower"])
def test_a_bar_that_is_no_share_is_refused(shop, option):
    result = run("promote", shop / "shop.flow.json", shop / "new", option, "70")

    assert result.exit_code == 2
    assert "range" in result.stderr


def test_a_rule_estimated_from_its_own_decisions_is_its_own_replay(shop, tmp_path):
    log = tmp_path / "log.jsonl"
    args = ("replay", shop / "shop.flow.json", shop / "new", "--json")
    replayed = json.loads(run(*args, "--decisions", log).stdout)
    rule = ("--target", f"same={replayed['decider']}@0.3", "--metric", "used")

    same = json.loads(run("evaluate", log, *rule, "--json").stdout)
    assert run(*args, "--decisions", log, "--explore", 0.3).stdout == run(*args).stdout
    explored = json.loads(run("evaluate", log, *rule, "--json").stdout)

    [own], [other] = same["targets"], explored["targets"]
    used = replayed["totals"]["used_next"] + replayed["totals"]["used_later"]
    for name in ("direct", "ips", "snips", "dr"):
        assert own["total"][name]["value"] == pytest.approx(used)
    assert own["total"]["ess"] == pytest.approx(own["total"]["looks"])
    assert other["total"]["ess"] < other["total"]["looks"]
    assert other["total"]["ips"]["value"] != other["total"]["direct"]["value"]


@pytest.mark.parametrize(
    ("target", "code", "says"),
    [
        ("habit@0.3", 2, "is not NAME=DECIDER@THRESHOLD"),
        ("a=habit@nan", 2, "no finite number"),
        ("a=oracle@0.3", 1, "holds no probabilities of 'oracle'"),
    ],
)
def test_a_target_that_the_log_cannot_price_is_refused(
    shop, tmp_path, target, code, says
):
    log = tmp_path / "log.jsonl"
    run("replay", shop / "shop.flow.json", shop / "new", "--decisions", log)

    result = run("evaluate", log, "--target", target)

    assert result.exit_code == code
    assert says in result.stderr


@pytest.fixture(scope="module")
def served(shop: Path) -> Path:
    """The eight new customers served again, the flow exploring: in shadow, and live."""
    flow, world = read_flow(shop / "shop.flow.json"), build(7)
    for name in ("shadow", "live"):
        sessions = []
        for index in range(20, 28):
            exploring = Exploration(0.3, 3, str(index))
            serving = Serving("demo", shadow=name == "shadow", exploration=exploring)
            engine = Engine(flow, decider(flow), serving)
            recorded = play(world, seed=7, index=index)
            sessions.append(play_again(world, recorded, engine, seed=7, index=index))
        write(shop / "served" / name, sessions)
    return shop / "served"


RULE = ("--target", "same=reach@0.3", "--target", "low=reach@0.1")


def test_a_shadow_flows_log_and_sessions_come_to_estimates_and_to_a_replay(
    shop, served
):
    shadow, flow = served / "shadow", shop / "shop.flow.json"

    found = json.loads(run("evaluate", shadow, *RULE, "--flow", flow, "--json").stdout)
    text = run("evaluate", shadow, *RULE).stdout
    replayed = json.loads(run("replay", flow, shadow, "--json").stdout)["totals"]

    assert (found["live"], found["unplaced"]) == (False, 0)
    same = found["targets"][0]
    assert same["along_sessions"] is None
    assert same["total"]["direct"]["value"] > 0
    assert same["replayed"] == replayed["used_next"] + replayed["used_later"]
    assert "no chain of it is in the log" in text
    assert "along sessions" not in text


def test_a_flow_that_acted_is_estimated_from_what_it_took_alone(served):
    found = json.loads(run("evaluate", served / "live", *RULE, "--json").stdout)
    text = run("evaluate", served / "live", *RULE, "--min-ess", 1).stdout

    assert found["live"] is True
    for each in found["targets"]:
        assert each["total"]["direct"] is None
        assert each["along_sessions"]["sessions"] == 8
    assert "along sessions" in text
    assert "counts as a detour" in text


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    ("log", "options", "code", "says"),
    [
        ("served/live", ["--metric", "turns"], 1, "leaves no turns to share out"),
        ("served/live", ["--flow", "shop.flow.json"], 1, "works without them"),
        ("new", [], 1, "has its decisions beside it"),
        ("log.jsonl", ["--flow", "shop.flow.json"], 2, "needs --sessions"),
        ("log.jsonl", ["--sessions", "new"], 2, "give that"),
        ("log.jsonl", ["--manifest", "shop.flow.json"], 2, "of served sessions"),
    ],
)
def test_what_a_log_does_not_hold_is_not_estimated(
    shop, monkeypatch, log, options, code, says
):
    monkeypatch.chdir(shop)
    run("replay", "shop.flow.json", "new", "--decisions", "log.jsonl")

    result = run("evaluate", log, *RULE, *options)

    assert result.exit_code == code
    assert says in " ".join(result.stderr.split())


def test_a_folder_without_sessions_is_not_said_to_lack_a_manifest(tmp_path):
    result = run("evaluate", tmp_path, *RULE)

    assert result.exit_code == 1
    assert "has its decisions beside it" in " ".join(result.stderr.split())


def test_a_served_log_without_propensities_says_how_to_get_some(shop, tmp_path):
    flow = read_flow(shop / "shop.flow.json")
    write(tmp_path, serve(build(7), flow, sessions=2, seed=7, first=20))

    result = run("evaluate", tmp_path, *RULE)

    assert result.exit_code == 1
    assert "--flow-explore" in result.stderr


def test_a_curve_ends_where_the_whole_flow_is(shop, tmp_path):
    page = tmp_path / "curve.html"
    found = json.loads(
        run("curve", shop / "sessions", "--size", 3, "--size", 14, "--draws", 2,
            "--json", "--html", page).stdout
    )  # fmt: skip

    assert [x["tasks"] for x in found["lessons"]] == [3, 3, 14]
    assert found["held_out"] == 6
    assert found["lessons"][-1]["totals"]["episodes"] == 6
    assert "<svg" in page.read_text()
    text = run("curve", shop / "sessions", "--size", 2, "--draws", 1)
    assert "# Learning curve" in text.stdout


@pytest.mark.parametrize("size", [0, 15])
def test_a_curve_of_more_tasks_than_there_are_is_refused(shop, size):
    assert run("curve", shop / "sessions", "--size", size).exit_code == 2
