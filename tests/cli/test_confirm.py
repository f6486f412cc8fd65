"""`stretto confirm`: recorded writes put to an oracle, as a report and as JSON."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from stretto.cli.main import cli
from tests.conftest import shared

SESSIONS = "sessions/tau2-sierra-prs/retail__gpt-4.1__40.json.gz"
MOCK = ("--oracle", "mock", "--domain", "retail")


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, ["confirm", *map(str, args)])


def test_the_report_and_the_json_tell_the_same_counts(tmp_path: Path) -> None:
    path, page = shared(SESSIONS), tmp_path / "judge.html"
    report = run(path, *MOCK, "--threshold", 0.6, "--html", page)
    told = run(path, *MOCK, "--threshold", 0.6, "--json", "--examples", 1)
    found = json.loads(told.stdout)

    assert (report.exit_code, told.exit_code) == (0, 0)
    assert found["counts"]["accepted_successful"] == {
        "writes": 44, "word_list": 0, "judge": 44, "two_questions": 0, "both": 0,
        "unanswered": 0, "proposal_check": 2,
    }  # fmt: skip
    assert found["counts"]["refused"]["both"] == 2
    row = next(x for x in report.stdout.splitlines() if "| accepted; succeeded " in x)
    assert [cell.strip() for cell in row.split("|")[2:5]] == ["44", "0", "44"]
    assert [len(found["examples"][kind]) for kind in found["examples"]] == [1, 0, 0]
    assert len(found["examples"]["judge_only"][0]["agent"]) <= 160
    assert "54 requests" not in told.stderr
    assert "<script" not in page.read_text()


def test_what_was_asked_is_one_question_a_request_and_can_be_kept(tmp_path) -> None:
    dump = tmp_path / "asked.jsonl"
    result = run(
        shared(SESSIONS), *MOCK, "--second", "described", "--oracle-dump", dump,
        "--json",
    )  # fmt: skip
    asked = [json.loads(line)["request"] for line in dump.read_text().splitlines()]

    assert result.exit_code == 0
    questions = {id for request in asked for id in request["questions"]}
    assert questions == {"confirmed", "described"}
    assert all(len(request["questions"]) == 1 for request in asked)
    assert f"asking {len(asked)} requests" in result.stderr


def test_answers_that_were_not_kept_fail_nothing(tmp_path: Path) -> None:
    result = run(
        shared(SESSIONS), "--domain", "retail", "--oracle", "replay",
        "--oracle-cache", tmp_path, "--oracle-limit", 5, "--json",
    )  # fmt: skip
    counts = json.loads(result.stdout)["counts"]

    assert result.exit_code == 0
    assert sum(group["unanswered"] for group in counts.values()) == 61
    assert sum(group["judge"] for group in counts.values()) == 0
    assert "has no answer" in result.stderr


def test_the_word_list_and_the_records_are_held_to_without_asking_anybody() -> None:
    report = run(shared(SESSIONS), "--domain", "retail", "--oracle", "none")
    told = run(shared(SESSIONS), "--domain", "retail", "--oracle", "none", "--json")
    asked = run(shared(SESSIONS), *MOCK, "--json")
    found, known = json.loads(told.stdout), json.loads(asked.stdout)

    assert (report.exit_code, report.stderr, told.stderr) == (0, "", "")
    assert (found["oracle"], found["model"]) == (None, None)
    for group, counts in known["counts"].items():
        for count in ("writes", "word_list", "proposal_check"):
            assert found["counts"][group][count] == counts[count]
    assert "Nobody was asked." in report.stdout
    row = next(x for x in report.stdout.splitlines() if "| accepted; succeeded " in x)
    assert [cell.strip() for cell in row.split("|")[2:-1]] == ["44", "0", "2"]


def test_without_a_key_one_line_says_so_and_another_what_to_do(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        cli,
        ["confirm", str(shared(SESSIONS)), "--domain", "retail",
         "--oracle-cache", str(tmp_path)],
        env={"TYPESAFE_API_KEY": None, "TYPESAFE_API_KEY_FILE": None},
    )  # fmt: skip

    assert result.exit_code == 1
    *_, error, hint = result.stderr.splitlines()
    assert error.startswith("error: ")
    assert error.endswith("there is no key: TYPESAFE_API_KEY is not set")
    assert hint.startswith("hint: set TYPESAFE_API_KEY")


def test_rules_must_be_said_and_without_writes_the_report_says_so() -> None:
    unsaid = run(shared(SESSIONS), "--oracle", "mock")
    telecom = shared("sessions/tau2-sierra-prs/telecom__gpt-4o__20.json.gz")
    empty = run(telecom, "--rules", "retail", "--oracle", "mock")

    assert (unsaid.exit_code, empty.exit_code) == (1, 0)
    assert "hint: give --domain" in unsaid.stderr
    assert "no write to judge" in empty.stdout
