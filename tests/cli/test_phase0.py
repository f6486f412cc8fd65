"""`stretto phase0`: its three ways in, its four ways out, and what it refuses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from tests.evaluate.sessions import MANIFEST, episodes
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
    ):
        result = run(*args)
        assert result.exit_code in (1, 2)
        assert words in result.output
        assert "Traceback" not in result.output
