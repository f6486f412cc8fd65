"""Arbiters from the command line: fitted, taken over, exported, measured, refined."""

import json
import os

import pytest
from click.testing import CliRunner

from stretto.cli.main import cli
from stretto.demo.record import record
from stretto.flow.arbiter_file import read_arbiter
from stretto.flow.wire import read_flow
from stretto.oracle.bundle import import_lines
from stretto.oracle.cache import Cache
from stretto.oracle.lines import json_lines
from tests.conftest import shared
from tests.models import newton


def run(*args):
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def succeeded(*args):
    result = run(*args)
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Sessions of the demo's shop, and a flow whose arbiter asks the mock."""
    folder = tmp_path_factory.mktemp("shop")
    record(folder / "sessions", sessions=20, seed=7)
    record(folder / "new", sessions=6, seed=7, first=20)
    (folder / "new.json").write_text(
        json.dumps(
            {
                "about": "a test's",
                "predicates": [
                    {
                        "id": "over",
                        "favors": "hand_back",
                        "question": "Is it over?",
                        "yes": "It is.",
                        "no": "It is not.",
                    }
                ],
            }
        )
    )
    result = succeeded(
        *("learn", folder / "sessions", "-o", folder / "shop.flow.json"),
        *("--oracle", "mock", "--oracle-log", folder / "decisions.jsonl"),
        *("--candidates", folder / "new.json", "--oracle-dump", folder / "asked.jsonl"),
        *("--dataflow-hints", "--no-features"),
    )
    (folder / "said.txt").write_text(result.output)
    return folder


def test_learning_with_an_oracle_says_what_the_arbiter_was_fitted_on(shop):
    said = (shop / "said.txt").read_text()
    flow = read_flow(shop / "shop.flow.json")

    assert "held-out decisions (by fold:" in said
    assert f"fitted on {flow.provenance.arbiter_cases} " in said
    assert "model      mock" in said
    assert flow.model == "mock"
    assert len(flow.folds) == 5
    assert len({fit.weights for fit in flow.folds}) == 1
    assert flow.sites.feeds


def test_every_decision_is_in_the_log_and_every_question_in_the_dump(shop):
    log = (shop / "decisions.jsonl").read_text().splitlines()
    dump = [
        json.loads(line) for line in (shop / "asked.jsonl").read_text().splitlines()
    ]
    asked = {one["key"]: one["request"]["questions"].keys() for one in dump}

    assert len(log) == read_flow(shop / "shop.flow.json").provenance.arbiter_cases
    assert {json.loads(line)["key"] for line in log} <= asked.keys()
    assert sum(questions == {"pred_over"} for questions in asked.values()) == len(
        {json.loads(line)["key"] for line in log}
    )


def test_learning_by_fold_gives_each_fold_a_fit_of_its_own(shop, tmp_path):
    out = tmp_path / "f.json"
    found = json.loads(
        succeeded(
            *("learn", shop / "sessions", "-o", out, "--oracle", "mock", "--json"),
            *("--by-fold", "--refit-habit", "--no-features"),
        ).stdout
    )

    flow = read_flow(out)
    assert len({fit.weights for fit in flow.folds}) > 1
    assert sum(found["arbiter"]["cases_by_fold"]) == found["arbiter"]["cases"]
    assert flow.provenance.habit_episodes == 20


def test_a_shipped_arbiter_is_served_with_a_habit_learned_here(shop, tmp_path):
    out = tmp_path / "f.json"
    lent = shared("reference/arbiters/retail.json")

    result = succeeded("learn", shop / "sessions", "-o", out, "--arbiter-from", lent)

    flow = read_flow(out)
    assert flow.folds == (read_arbiter(lent).fitted,) * 5
    assert flow.provenance.arbiter_cases == 4513
    assert "taken over, fitted on 4,513 decisions" in result.output
    assert flow.provenance.habit_episodes == 20


def test_an_exported_arbiter_can_be_taken_over_and_started_from(shop, tmp_path):
    arbiter, out = tmp_path / "a.json", tmp_path / "f.json"
    succeeded("export-arbiter", shop / "shop.flow.json", "-o", arbiter)

    succeeded("learn", shop / "sessions", "-o", out, "--arbiter-from", arbiter)
    assert read_flow(out).folds == read_flow(shop / "shop.flow.json").folds

    succeeded(
        *("learn", shop / "sessions", "-o", out, "--oracle", "mock"),
        *("--prior-from", arbiter, "--no-features"),
    )
    assert read_flow(out).folds != read_flow(shop / "shop.flow.json").folds


def test_a_prior_of_other_predicates_is_refused(shop, tmp_path):
    arbiter = tmp_path / "a.json"
    succeeded("export-arbiter", shop / "shop.flow.json", "-o", arbiter)

    result = run(
        *("learn", shop / "sessions", "-o", tmp_path / "f.json", "--oracle", "mock"),
        *("--prior-from", arbiter, "--predicates", shop / "new.json"),
    )

    assert result.exit_code == 1
    assert "and the fit weighs over" in result.stderr
    assert not (tmp_path / "f.json").exists()


@pytest.fixture
def without_jax(monkeypatch):
    """Fits by loops, which compile nothing."""
    for command in ("fit_arbiter", "refine"):
        monkeypatch.setattr(f"stretto.cli.{command}.fitter", lambda: newton.fitter)


@pytest.mark.usefixtures("without_jax")
def test_arbiters_of_several_logs_are_one_fit(shop, tmp_path):
    out, log = tmp_path / "a.json", shop / "decisions.jsonl"

    found = json.loads(
        succeeded(
            *("fit-arbiter", log, log, "--domain", "shop", "--model", "mock"),
            *("-o", out, "--json"),
        ).stdout
    )

    arbiter = read_arbiter(out)
    n = len(log.read_text().splitlines())
    assert found["cases"] == arbiter.provenance.arbiter_cases == 2 * n
    assert arbiter.fitted.weights == tuple(found["weights"])
    result = run(
        *("fit-arbiter", log, "--domain", "s", "--model", "m", "-o", out),
        "--no-predicate-features",
    )
    assert result.exit_code == 1
    assert "weighs 3 predicates" in result.stderr


def test_an_audit_and_a_replay_ask_and_say_who_decides(shop):
    flow, new = shop / "shop.flow.json", shop / "new"

    audit = json.loads(
        succeeded("audit", flow, new, "--oracle", "mock", "--json").stdout
    )
    replay = json.loads(
        succeeded("replay", flow, new, "--oracle", "mock", "--json").stdout
    )
    simulated = json.loads(
        succeeded(
            *("simulate", flow, new, "--decider", "arbiter", "--oracle", "mock"),
            *("-n", 50, "--json"),
        ).stdout
    )

    assert audit["decider"] == replay["decider"] == "arbiter"
    assert audit["unanswered"] == replay["totals"]["unanswered"] == 0
    assert audit["decisions"] == simulated["decisions"] > 0
    assert audit["log_prob"] == pytest.approx(simulated["log_prob"])


def test_answers_that_were_kept_are_replayed_and_missing_ones_counted(shop, tmp_path):
    flow, new, cache = shop / "shop.flow.json", shop / "new", tmp_path / "cache"
    dump, answers = tmp_path / "asked.jsonl", tmp_path / "answers.jsonl"
    mocked = json.loads(
        succeeded(
            *("audit", flow, new, "--oracle", "mock", "--oracle-dump", dump, "--json")
        ).stdout
    )
    succeeded("ask", "--requests", dump, "--out", answers, "--oracle", "mock")
    lines = [*json_lines(answers)]
    import_lines(Cache(cache), lines[::2])

    found = json.loads(
        succeeded("audit", flow, new, "--oracle-cache", cache, "--json").stdout
    )

    assert 0 < found["unanswered"] == mocked["decisions"] - found["decisions"]
    assert found["skipped"]["oracle_failed"] == found["unanswered"]
    text = succeeded("audit", flow, new, "--oracle-cache", cache).output
    assert "had no answer; nothing here is about those" in text


@pytest.mark.usefixtures("without_jax")
def test_a_refinement_says_what_was_tried_and_what_is_hard(shop, tmp_path):
    kept = tmp_path / "kept.json"

    text = succeeded(
        *("refine", shop / "decisions.jsonl", "--candidates", shop / "new.json"),
        *("-o", kept),
    ).output
    found = json.loads(succeeded("refine", shop / "decisions.jsonl", "--json").stdout)

    assert "| 1     | over      | no" in text
    assert "## Hardest decisions" in text
    assert json.loads(kept.read_text())["predicates"] == []
    assert found["rounds"] == []
    assert found["sites"][0]["hardest"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--refit-habit"], "--refit-habit needs --oracle"),
        (["--posterior", "laplace"], "--posterior needs --oracle"),
        (["--oracle", "mock", "--habit-only"], "takes no --oracle"),
        (["--oracle", "mock", "--arbiter-from", os.devnull], "name one"),
    ],
)
def test_options_that_do_not_go_together_are_refused(shop, tmp_path, options, said):
    result = run("learn", shop / "sessions", "-o", tmp_path / "f.json", *options)

    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["export-arbiter", "habit.json", "-o", "x"], "the flow has no arbiter"),
        (["refine", "empty.jsonl"], "no decision whose step was on offer"),
        (
            ["fit-arbiter", "empty.jsonl", "--domain", "d", "--model", "m", "-o", "x"],
            "no decision that an arbiter may be fitted on",
        ),
        (["refine", "broken.jsonl"], "broken.jsonl:1"),
    ],
)
def test_a_mistake_is_one_line_with_a_hint(shop, tmp_path, monkeypatch, args, said):
    monkeypatch.chdir(tmp_path)
    succeeded("learn", shop / "sessions", "-o", "habit.json", "--no-features")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "broken.jsonl").write_text('{"kind": "Next", "case": {}}\n')

    result = run(*args)

    assert result.exit_code == 1
    assert said in result.stderr
    assert "Traceback" not in result.output
