"""`stretto compile`: which of a benchmark's sessions teach, and what comes of them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from tests.claims import claim
from tests.conftest import shared
from tests.evaluate.sessions import MANIFEST, episodes
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


def test_only_the_first_trials_of_each_task_are_taken(folder, tmp_path):
    told, _ = compiled(tmp_path, *by_file(folder), "--trials", 1)

    assert (told["episodes"], told["training"]) == (20, 14)


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
    ):
        result = run("compile", *args, *out)
        assert result.exit_code in (1, 2), args
        assert words in result.output
    assert not (tmp_path / "f.json").exists()
