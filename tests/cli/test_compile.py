"""`stretto compile`: which of a benchmark's sessions teach, and what comes of them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.episodes.tasks import fold
from stretto.flow.case import Case
from stretto.flow.deciders.arbiter import Asker, arbiter
from stretto.flow.fitting import Fitting
from stretto.flow.flow import Flow
from stretto.flow.wire import read_flow
from stretto.harness.query import Desk
from stretto.learn.cases import answered, steps_asked
from stretto.learn.decisionlog import read_log
from stretto.oracle.mock import Mock
from tests.claims import claim
from tests.conftest import shared
from tests.evaluate.sessions import MANIFEST, episodes
from tests.models import newton
from tests.traces.benchmark import checkout, results

TASKS = [str(n) for n in range(20)]
TRAIN, TEST = TASKS[:14], TASKS[14:]


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def sessions(seed: int, trial: int = 0):
    made = episodes(seed, len(TASKS))
    return [
        replace(e, id=f"{seed}-{e.id}", task=task, trial=trial, reward=1.0)
        for task, e in zip(TASKS, made, strict=True)
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("compile")
    agents = {"a": [*sessions(1), *sessions(2, trial=1)]}
    checkout(root / "tau2-bench", MANIFEST, agents, TRAIN, TEST)
    kinds = {t: str(k) for t, k in MANIFEST.tools.items()}
    docs = {"track": {"summary": "Where a parcel is.",
                      "args": {"order_id": "", "user_id": ""}}}  # fmt: skip
    (root / "shop.json").write_text(
        json.dumps({"domain": "shop", "tools": kinds, "docs": docs})
    )
    (root / "split.json").write_text(json.dumps({"train": TRAIN, "test": TEST}))
    (root / "a.json").write_text(json.dumps(results(agents["a"], "shop", "a")))
    (root / "b.json").write_text(json.dumps(results(sessions(3), "shop", "b")))
    (root / "one.json").write_text(json.dumps(results(sessions(1), "shop", "a")))
    (root / "both.json").write_text(json.dumps({"train": TRAIN, "test": TASKS}))
    return root


def compiled(tmp_path: Path, *args: object) -> tuple[dict, dict]:
    """What the command says, and the flow's file without its time."""
    out = tmp_path / "shop.flow.json"
    result = run("compile", *args, "-o", out, "--json")
    assert result.exit_code == 0, result.output
    flow = json.loads(out.read_text())
    del flow["provenance"]["compiled_unix_ms"]
    told = json.loads(result.stdout)
    return {"train_tasks": told["train_tasks"], **told["learned"]}, flow


def by_file(folder: Path) -> tuple[object, ...]:
    return (
        folder / "a.json", "--manifest", folder / "shop.json",
        "--split", folder / "split.json",
    )  # fmt: skip


@claim("manifest:benchmark")
def test_a_checkout_its_files_and_learning_from_its_split_give_one_flow(
    folder, tmp_path
):
    tau2 = ("--tau2", folder / "tau2-bench", "--domain", "shop")
    told, from_checkout = compiled(tmp_path, *tau2)
    _, from_files = compiled(tmp_path, *by_file(folder))
    learned = tmp_path / "learned.json"
    assert run("learn", *by_file(folder), "-o", learned).exit_code == 0
    flow = json.loads(learned.read_text())
    del flow["provenance"]["compiled_unix_ms"]

    assert from_checkout == from_files == flow
    assert (told["episodes"], told["training"]) == (40, 28)
    assert told["train_tasks"] == sorted(TRAIN)
    assert from_checkout["provenance"]["sources"] == ["a"]


def test_results_may_be_named_by_an_option(folder, tmp_path):
    by_path = compiled(tmp_path, *by_file(folder), folder / "b.json")
    by_option = compiled(tmp_path, *by_file(folder), "--results", folder / "b.json")

    assert by_option == by_path
    assert by_option[1]["provenance"]["sources"] == ["a", "b"]


def test_only_the_first_trials_of_each_task_are_taken(folder, tmp_path):
    told, _ = compiled(tmp_path, *by_file(folder), "--trials", 1)

    assert (told["episodes"], told["training"]) == (20, 14)


def test_a_tasks_first_trial_is_its_lowest_whatever_its_number(folder, tmp_path):
    numbered = [replace(e, trial=int(e.task)) for e in sessions(1)]
    late = [replace(e, id=f"late-{e.id}", trial=e.trial + 100) for e in numbered]
    (tmp_path / "t.json").write_text(
        json.dumps(results([*late, *numbered], "shop", "a"))
    )
    _, *how = by_file(folder)
    first, only = (
        compiled(tmp_path, *given, *how)
        for given in ((tmp_path / "t.json", "--trials", 1), (folder / "one.json",))
    )

    assert first == only


def test_named_training_tasks_are_learned_from_alone(folder, tmp_path):
    told, _ = compiled(
        tmp_path, *by_file(folder), "--train-tasks", "3, 1", "--trials", 1
    )

    assert (told["train_tasks"], told["habit_episodes"]) == (["1", "3"], 2)


def test_smaller_shares_of_the_training_tasks_are_part_of_larger_ones(folder, tmp_path):
    drawn = [
        set(
            compiled(tmp_path, *by_file(folder), "--train-fraction", f)[0][
                "train_tasks"
            ]
        )
        for f in (0.2, 0.5, 1)
    ]

    assert [len(tasks) for tasks in drawn] == [3, 7, 14]
    assert drawn[0] < drawn[1] < drawn[2]


def test_a_share_of_retails_training_tasks_is_the_published_draw(tmp_path):
    file = "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"
    result = run(
        "compile", f"gpt-4.1-mini={shared(file)}", "--domain", "retail",
        "--manifest", shared("manifests/retail.json"),
        "--split", shared("splits/retail.json"), "--train-fraction", 0.0676,
        "--no-features", "-o", tmp_path / "five.flow.json", "--json",
    )  # fmt: skip

    assert json.loads(result.stdout)["train_tasks"] == ["15", "24", "76", "88", "99"]


def test_what_is_refused_is_said_in_a_line(folder, tmp_path):
    out = ("-o", tmp_path / "f.json")
    files = by_file(folder)
    tau2 = ("--tau2", folder / "tau2-bench")
    for args, words in (
        ((), "name result files, or a checkout"),
        ((folder / "a.json",), "say which tasks to learn from"),
        (tau2, "name the checkout's domain"),
        ((*tau2, "--domain", "shop", "--split", folder / "split.json"), "its own"),
        ((*tau2, "--domain", "zoo"), "holds no results of zoo"),
        ((*files, "--train-tasks", "1,99"), "not among the training tasks: 99"),
        ((*files, "--train-tasks", ""), "to learn from succeeded"),
        ((*files, "--pooled-arbiter"), "--pooled-arbiter needs --oracle NAME"),
        ((*files, "--target", folder / "a.json"), "both learned from and a target"),
        (
            (*files[:3], "--split", folder / "both.json", "--oracle", "mock"),
            "on both sides of the split: 0, 1, 10",
        ),
    ):
        result = run("compile", *args, *out)
        assert result.exit_code in (1, 2), args
        assert words in result.output
    assert not (tmp_path / "f.json").exists()


@pytest.fixture
def without_jax(monkeypatch):
    """Fits by loops, which compile nothing."""
    monkeypatch.setattr("stretto.cli.arbitration.fitter", lambda: newton.fitter)


def arbitrated(tmp_path: Path, *args: object) -> tuple[dict, Flow]:
    """What the command says, and the flow it wrote, the mock having been asked."""
    told, _ = compiled(tmp_path, *args, "--oracle", "mock", "--no-features")
    return told, read_flow(tmp_path / "shop.flow.json")


def literal_cases(flow: Flow) -> list[Case]:
    """The decisions of the split's test tasks, in reading order."""
    asker = Asker.of(flow)
    read = [*sessions(1), *sessions(2, trial=1)]
    steps = [s for e in read if e.task in TEST for s in steps_asked(flow, asker, e)]
    return [one.case for one in answered(flow, steps, Mock())]


@pytest.mark.usefixtures("without_jax")
@claim("folds:five")
def test_each_fold_of_the_test_tasks_is_judged_by_a_fit_on_the_others(folder, tmp_path):
    told, flow = arbitrated(tmp_path, *by_file(folder))
    cases = literal_cases(flow)

    assert flow.folds == newton.fitter(cases, 3, Fitting(by_fold=True))
    assert len({fit.weights for fit in flow.folds}) > 1
    assert flow.provenance.arbiter_cases == len(cases) == told["arbiter"]["cases"] > 20
    assert told["arbiter"]["held_out_tasks"] == len({case.group for case in cases})
    plain, _ = compiled(tmp_path, *by_file(folder), "--no-features")
    habit = read_flow(tmp_path / "shop.flow.json")
    assert (flow.habit, flow.sites, flow.bindings) == (
        habit.habit, habit.sites, habit.bindings,
    )  # fmt: skip
    assert plain["arbiter"] is None


@pytest.mark.usefixtures("without_jax")
@claim("folds:five")
def test_a_pooled_arbiter_is_one_fit_that_can_be_exported_and_taken_over(
    folder, tmp_path
):
    _, flow = arbitrated(tmp_path, *by_file(folder), "--pooled-arbiter")
    arbiter = tmp_path / "a.json"
    out = tmp_path / "shop.flow.json"
    result = run("export-arbiter", out, "-o", arbiter)
    assert result.exit_code == 0, result.output
    compiled(tmp_path, *by_file(folder), "--no-features", "--arbiter-from", arbiter)

    assert flow.folds == newton.fitter(literal_cases(flow), 3, Fitting())
    assert flow.folds == (flow.folds[0],) * 5
    assert read_flow(out).folds == flow.folds


@pytest.mark.usefixtures("without_jax")
def test_targets_are_judged_and_logged_and_nothing_is_learned_from_them(
    folder, tmp_path
):
    log = tmp_path / "log.jsonl"
    target = (f"other={folder / 'b.json'}", "--oracle-log", log)
    _, alone = arbitrated(tmp_path, *by_file(folder))
    told, beside = arbitrated(tmp_path, *by_file(folder), "--target", *target)
    logged = [*read_log(log)]

    assert replace(beside, provenance=alone.provenance, vocab=alone.vocab) == alone
    assert beside.provenance.sources == ("a",)
    assert beside.provenance.arbiter_cases == alone.provenance.arbiter_cases
    of_targets = [one for one in logged if one.agent == "other"]
    assert {one.case.fittable for one in of_targets} == {False}
    assert len(of_targets) == told["arbiter"]["of_targets"] > 0
    assert len(logged) - len(of_targets) == told["arbiter"]["cases"]
    assert {one.task for one in of_targets} <= set(TEST)


@pytest.mark.usefixtures("without_jax")
def test_fewer_training_tasks_leave_the_arbiter_its_test_tasks(folder, tmp_path):
    log = tmp_path / "log.jsonl"
    _, flow = arbitrated(
        tmp_path, *by_file(folder), "--train-tasks", "3,1", "--oracle-log", log
    )

    assert {one.task for one in read_log(log)} <= set(TEST)
    assert flow.provenance.arbiter_cases > 5
    assert flow.provenance.habit_episodes == 4


@pytest.mark.usefixtures("without_jax")
def test_a_served_query_is_judged_by_the_fold_that_held_its_task_out(folder, tmp_path):
    _, flow = arbitrated(tmp_path, *by_file(folder))
    messages = [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "1", "name": "user", "arguments": {"id": "u_11"}}],
        },
        {"role": "tool", "id": "1", "content": '{"orders": ["W101", "W102"]}'},
    ]
    reasons = set()
    for f in range(5):
        task = next(task for task in TASKS if fold(task) == f)
        alone = replace(flow, folds=(flow.folds[f],) * 5)
        answers = [
            Desk(of, arbiter(of), 1.0, oracle=Mock()).answer(
                {"task_id": task, "messages": messages}
            )
            for of in (flow, alone)
        ]
        assert answers[0] == answers[1]
        reasons.add(answers[0].json()["reason"])

    assert all("below 1" in reason for reason in reasons)
    assert len(reasons) > 1
