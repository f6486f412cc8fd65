"""`stretto phase0`: its three ways in, its four ways out, and what it refuses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.traces.reader import read
from tests.evaluate.sessions import MANIFEST, episodes
from tests.models import newton
from tests.traces.benchmark import checkout, results

TASKS = [str(n) for n in range(24)]
KINDS = {"domain": "shop", "tools": {t: str(k) for t, k in MANIFEST.tools.items()}}


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, ["phase0", *map(str, args)])


def told(*args: object) -> dict:
    result = run(*args, "--json")
    assert result.exit_code == 0, result.output
    [domain] = json.loads(result.stdout)["domains"]
    return domain


def sessions(seed: int):
    made = episodes(seed, len(TASKS))
    return [replace(e, task=task) for task, e in zip(TASKS, made, strict=True)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("phase0")
    agents = {"openai/gpt-4.1-2025-04-14": sessions(1), "o4": sessions(2)}
    checkout(root / "tau2-bench", MANIFEST, agents, TASKS[:16], TASKS[16:])
    (root / "shop.json").write_text(json.dumps(KINDS))
    (root / "split.json").write_text(
        json.dumps({"train": TASKS[:16], "test": TASKS[16:]})
    )
    for name, seed in (("a", 1), ("b", 2), ("c", 3)):
        text = json.dumps(results(sessions(seed), "shop", f"agent-{name}"))
        (root / f"{name}.json").write_text(text)
    return root


def test_a_checkout_and_its_files_one_by_one_come_to_the_same(folder):
    at = folder / "tau2-bench"
    final = at / "data/tau2/results/final"
    by_checkout = told("--tau2", at, "--domains", "shop")
    by_file = told(
        *sorted(final.iterdir()), "--manifest", folder / "shop.json",
        "--split", folder / "split.json",
    )  # fmt: skip

    assert by_checkout == by_file
    assert by_checkout["test"] == {"tasks": 8, "episodes": 16}
    assert [a["agent"] for a in by_checkout["agents"]] == [
        "all",
        "o4",
        "openai/gpt-4.1-2025-04-14",
    ]


def test_a_checkouts_domains_are_reported_one_after_the_other(tmp_path):
    root = tmp_path / "tau2-bench"
    for domain, seed in (("shop", 1), ("depot", 5)):
        manifest = replace(MANIFEST, domain=domain)
        checkout(root, manifest, {f"{domain}-agent": sessions(seed)}, TASKS[:16],
                 TASKS[16:])  # fmt: skip
    args = ("--tau2", root, "--domains", "depot, shop", "--no-features")
    both = json.loads(run(*args, "--json").stdout)["domains"]
    text = run(*args).stdout

    assert [one["domain"] for one in both] == ["depot", "shop"]
    assert [one["agents"][0]["agent"] for one in both] == ["depot-agent", "shop-agent"]
    assert text.startswith("# Phase 0: depot, shop\n\n## depot: Overview")
    assert "## shop: Where arguments come from" in text


def test_targets_are_measured_and_in_no_pooled_figure(folder):
    manifest = ("--manifest", folder / "shop.json", "--split", folder / "split.json")
    alone = told(folder / "a.json", folder / "b.json", *manifest)
    beside = told(
        folder / "a.json", "--results", folder / "b.json",
        "--target", folder / "c.json", *manifest,
    )  # fmt: skip

    assert [a["agent"] for a in beside["agents"] if a["target"]] == ["agent-c"]
    assert beside["agents"][0] == alone["agents"][0]
    assert beside["foresight"]["orders"] == alone["foresight"]["orders"]
    assert beside["origins"] == alone["origins"]
    transfer = beside["foresight"]["transfer"]
    assert transfer["agents"] == ["agent-a", "agent-b", "agent-c"]
    assert transfer["habits"] == ["agent-a", "agent-b", "all", "its own"]


def test_every_file_is_read_once_targets_too(folder, monkeypatch):
    opened = []

    def counted(paths, **how):
        opened.extend(path.name for path in paths)
        return read(paths, **how)

    monkeypatch.setattr("stretto.cli.options.read", counted)
    told(
        folder / "a.json", folder / "b.json", "--target", folder / "c.json",
        "--manifest", folder / "shop.json",
    )  # fmt: skip

    assert opened == ["a.json", "b.json", "c.json"]


def test_a_name_on_the_command_line_is_whose_the_sessions_are(folder):
    found = told(
        f"same={folder / 'a.json'}", f"same={folder / 'b.json'}",
        "--manifest", folder / "shop.json",
    )  # fmt: skip

    assert [a["agent"] for a in found["agents"]] == ["same"]
    assert found["agents"][0]["episodes"] == 48


def test_without_a_split_three_tasks_of_ten_are_held_out(folder):
    found = told(folder / "a.json", "--manifest", folder / "shop.json")

    assert (found["train"]["tasks"], found["test"]["tasks"]) == (17, 7)


def test_where_no_tools_kind_is_known_arguments_are_told_of_all_calls(folder):
    known = told(folder / "a.json", "--manifest", folder / "shop.json")
    unknown, text = told(folder / "a.json"), run(folder / "a.json").stdout
    kinds = ("writes", "reads", "others")
    whole = [
        sum(found["origins"][0][kind]["whole"] for kind in kinds)
        for found in (known, unknown)
    ]

    assert whole[0] == whole[1] == unknown["origins"][0]["others"]["whole"] > 0
    assert f"of all calls ({whole[1]:,})" in text
    assert "lookups and writes among them cannot be told" in text
    assert "all calls, whole words |" in text
    assert "writes, whole words" not in text


def test_every_form_of_the_report_says_the_same_headroom(folder, tmp_path):
    args = (folder / "a.json", "--manifest", folder / "shop.json", "--no-features")
    out, page = tmp_path / "report.md", tmp_path / "report.html"
    result = run(*args, "-o", out, "--html", page)
    assert result.exit_code == 0, result.output
    [domain] = json.loads((tmp_path / "report.json").read_text())["domains"]
    share = f"{domain['agents'][0]['headroom']['share']:.1%}"

    assert result.stdout == ""
    assert f"- **{share}** of LLM turns" in out.read_text()
    html = page.read_text()
    assert f"<b>{share}</b>" in html
    assert html.count("<svg") == 4
    assert "http://" not in html.replace("http://www.w3.org", "")
    assert run(*args).stdout.strip() == out.read_text().strip()


def test_an_oracle_that_is_named_is_asked_and_its_answers_are_projected(
    folder, tmp_path
):
    args = (
        folder / "a.json", "--manifest", folder / "shop.json", "--no-features",
        "--oracle", "mock", "--oracle-cache", tmp_path / "kept",
    )  # fmt: skip
    plain = told(*args[:4])
    asked = told(*args)

    assert plain["oracle"] is None
    assert asked["oracle"]["model"] == "mock"
    assert 0 < asked["oracle"]["answered"] <= asked["oracle"]["decisions"]
    assert asked["savings"][: len(plain["savings"])] == plain["savings"]
    assert {row["threshold"] for row in asked["savings"]} == {
        None, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 0.95, 0.99,
    }  # fmt: skip
    assert "## What an oracle adds" in run(*args).stdout


@pytest.fixture
def without_jax(monkeypatch):
    """Fits by loops, which compile nothing."""
    for command in ("phase0_oracle", "refine"):
        monkeypatch.setattr(f"stretto.cli.{command}.fitter", lambda: newton.fitter)


@pytest.mark.usefixtures("without_jax")
def test_candidates_are_asked_alone_and_logged_for_a_refinement(folder, tmp_path):
    new, log, kept = (tmp_path / n for n in ("new.json", "log.jsonl", "kept.json"))
    predicate = {"id": "over", "favors": "hand_back", "question": "Is it over?",
                 "yes": "It is.", "no": "It is not."}  # fmt: skip
    new.write_text(json.dumps({"about": "a test's", "predicates": [predicate]}))
    asked = told(
        folder / "a.json", "--target", folder / "c.json",
        "--manifest", folder / "shop.json", "--no-features", "--oracle", "mock",
        "--candidates", new, "--oracle-log", log,
    )["oracle"]  # fmt: skip
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    steps = [line for line in lines if line["kind"] == "Next"]
    values = [line for line in lines if line["kind"] != "Next"]

    assert sum(not line["target"] for line in steps) == asked["answered"]
    assert {line["model"] for line in steps if line["target"]} == {"agent-c"}
    assert all("over" in line["predicates"] for line in steps)
    assert sum(not line["target"] for line in values) == (
        asked["values"]["asked"] + asked["values"]["fixed"]
    )
    assert {tuple(line["kind"]) for line in values} <= {("Arg",)}
    refined = CliRunner().invoke(
        cli, ["refine", str(log), "--candidates", str(new), "-o", str(kept)]
    )
    assert refined.exit_code == 0, refined.output
    assert "over" in refined.output


@pytest.mark.usefixtures("without_jax")
def test_any_tool_is_asked_about_where_that_is_wanted(folder):
    args = (
        folder / "a.json", "--manifest", folder / "shop.json", "--no-features",
        "--oracle", "mock",
    )  # fmt: skip
    plain, more = told(*args), told(*args, "--any-tool")
    writing = [
        row for row in more["savings"]
        if row["design"] == "any tool" and row["threshold"] is not None
    ]  # fmt: skip

    assert plain["oracle"]["any_tool"] is None
    assert more["oracle"]["any_tool"]["asked"] == more["oracle"]["decisions"]
    assert more["savings"][: len(plain["savings"])] == plain["savings"]
    assert more["savings"][len(plain["savings"]) :] == writing
    assert len(writing) == 10
    text = run(*args, "--any-tool").stdout
    assert "| of any tool" in text
    assert "with a wrong call" in text


@pytest.mark.usefixtures("without_jax")
def test_each_domain_of_a_checkout_has_a_log_of_its_own(tmp_path):
    root = tmp_path / "tau2-bench"
    for domain, seed in (("shop", 1), ("depot", 5)):
        manifest = replace(MANIFEST, domain=domain)
        checkout(root, manifest, {f"{domain}-agent": sessions(seed)}, TASKS[:16],
                 TASKS[16:])  # fmt: skip
    result = run(
        "--tau2", root, "--domains", "depot,shop", "--no-features", "--json",
        "--oracle", "mock", "--oracle-log", tmp_path / "log.jsonl",
    )  # fmt: skip

    assert result.exit_code == 0, result.output
    names = {"log-depot.jsonl", "log-shop.jsonl"}
    assert {p.name for p in tmp_path.glob("*.jsonl")} == names


def test_sessions_of_which_none_succeeded_are_still_counted(folder, tmp_path):
    failed = [replace(e, reward=0.0) for e in sessions(4)]
    (tmp_path / "f.json").write_text(json.dumps(results(failed, "shop", "x")))
    args = (tmp_path / "f.json", "--manifest", folder / "shop.json")
    found = told(*args)

    assert found["foresight"] is None
    assert found["savings"] == []
    assert found["agents"][0]["headroom"]["whole"] > 0
    assert "nothing can be foretold" in run(*args).stdout


def test_what_is_refused_is_said_in_a_line_with_a_hint(folder, tmp_path):
    (tmp_path / "o.json").write_text(json.dumps(results(sessions(1), "zoo", "a")))
    assert run(folder / "a.json", tmp_path / "o.json").exit_code == 1
    for args, words in (
        ((), "name sessions, or a checkout"),
        ((tmp_path / "none.json",), "none.json does not exist"),
        ((f"x={tmp_path / 'none.json'}",), "none.json does not exist"),
        (("--tau2", tmp_path), "is no checkout of τ²-bench"),
        (
            ("--tau2", folder / "tau2-bench", "--split", folder / "split.json"),
            "brings its own split",
        ),
        ((folder / "a.json", "--target", folder / "a.json"), "both learned from and"),
        ((folder / "a.json", tmp_path / "o.json"), "of 2 domains: shop, zoo"),
        ((folder / "a.json", "--any-tool"), "--any-tool needs --oracle NAME"),
        ((folder / "a.json", "--oracle-log", "x"), "--oracle-log needs --oracle NAME"),
    ):
        result = run(*args)
        assert result.exit_code in (1, 2)
        assert words in result.output
        assert "Traceback" not in result.output
