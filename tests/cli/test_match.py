"""`stretto match`: recorded picks put to an oracle, as a report and as JSON."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from stretto.cli.main import cli
from tests.conftest import shared

SESSIONS = "sessions/tau2-sierra-prs/airline__gpt-4.1__20.json.gz"
MOCK = ("--domain", "airline", "--oracle", "mock")


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, ["match", *map(str, args)])


def test_the_report_and_the_json_tell_the_same_counts(tmp_path: Path) -> None:
    path, page = shared(SESSIONS), tmp_path / "match.html"
    report, told = run(path, *MOCK, "--html", page), run(path, *MOCK, "--json")
    found = json.loads(told.stdout)

    assert (report.exit_code, told.exit_code) == (0, 0)
    assert (found["sessions"], found["without_task"], found["unexpected"]) == (20, 2, 1)
    picks = found["picks"]["reservation"]
    assert [*picks.values()] == [13, 0, 13, 6, 12, 10, 0, 0, 0]
    assert "- **46.2%** of the picks asked about, the model is right" in report.stdout
    assert "- **92.3%** of all picks, the agent is right" in report.stdout
    row = next(x for x in report.stdout.splitlines() if "| reservation " in x)
    assert [int(cell) for cell in row.split("|")[2:7]] == [13, 0, 13, 6, 12]
    assert "<script" not in page.read_text()


def test_the_agents_are_held_to_what_was_expected_without_asking_anybody() -> None:
    given = shared(SESSIONS), "--domain", "airline", "--oracle", "none"
    report, told = run(*given), run(*given, "--json")
    found = json.loads(told.stdout)

    assert (report.exit_code, report.stderr, told.stderr) == (0, "", "")
    assert (found["oracle"], found["model"]) == (None, None)
    picks = found["picks"]["reservation"]
    assert (picks["choices"], picks["agent_right"], picks["answered"]) == (13, 12, 0)
    assert "- **92.3%** of all picks, the agent is right" in report.stdout
    row = next(x for x in report.stdout.splitlines() if "| reservation " in x)
    assert [int(cell) for cell in row.split("|")[2:-1]] == [13, 0, 12]


def test_the_manifests_words_say_what_the_write_does(tmp_path: Path) -> None:
    def asked(*args: object) -> list[str]:
        dump = tmp_path / "asked.jsonl"
        run(shared(SESSIONS), *MOCK, "--oracle-dump", dump, *args)
        lines = map(json.loads, dump.read_text().splitlines())
        about = [r["request"]["state"]["the_agent_is_about_to"] for r in lines]
        return [one["write"] for one in about]

    manifest = shared("manifests/airline.json")
    docs = json.loads(manifest.read_text())["docs"]
    assert "cancel_reservation" in asked()
    summary = docs["cancel_reservation"]["summary"][:300]
    assert summary in asked("--manifest", manifest)


def test_a_budget_of_nothing_is_refused_before_anything_is_asked(tmp_path) -> None:
    result = CliRunner().invoke(
        cli,
        ["match", str(shared(SESSIONS)), "--domain", "airline", "--oracle-budget", "0",
         "--oracle-cache", str(tmp_path)],
        env={"TYPESAFE_API_KEY": "none"},
    )  # fmt: skip

    assert result.exit_code == 1
    assert "the budget is $0.00" in result.stderr


def test_sessions_without_such_writes_are_a_sentence() -> None:
    path = shared("sessions/tau2-sierra-prs/telecom__gpt-4o__20.json.gz")
    result = run(path, "--rules", "retail", "--oracle", "mock")

    assert result.exit_code == 0
    assert "There was nothing to ask." in result.stdout
