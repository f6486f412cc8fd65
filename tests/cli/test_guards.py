"""`stretto guards`: the audit, rule files, and what an audit lets be enforced."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from stretto.cli.guards import HELPS, guards
from stretto.cli.main import cli
from stretto.guards.rules import read_rules
from tests.conftest import ROOT, shared

EXAMPLE = ROOT / "docs" / "examples" / "retail.rules.json"
SESSIONS = "sessions/tau2-sierra-prs/retail__gpt-4.1__40.json.gz"


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, ["guards", *map(str, args)])


def asking(folder: Path, *rules: str) -> Path:
    """The example, with these rules asking to be enforced."""
    document = json.loads(EXAMPLE.read_text())
    for rule in document["rules"]:
        rule["enforced"] = rule["id"] in rules
    path = folder / "mine.rules.json"
    path.write_text(json.dumps(document))
    return path


def test_the_audit_is_a_report_and_the_same_numbers_as_json(tmp_path: Path) -> None:
    path, page = shared(SESSIONS), tmp_path / "guards.html"
    report = run(path, "--domain", "retail", "--html", page)
    found = json.loads(run("audit", path, "--rules", "retail", "--json").stdout)

    assert report.exit_code == 0
    pending = next(r for r in found["rules"] if r["rule"] == "retail.pending")
    cells = ["/".join(map(str, n)) for n in pending["counts"].values() if sum(n)]
    row = next(x for x in report.stdout.splitlines() if "| retail.pending " in x)
    assert [cell for cell in cells if cell not in row] == []
    assert found["sessions"]["accepted_successful"]["read"] == 34
    assert found["sessions"]["accepted_failed"]["read"] == 6
    assert "<svg" in page.read_text()
    assert "<script" not in page.read_text()


def test_no_rules_and_unknown_rules_are_one_line_and_a_hint() -> None:
    path = shared(SESSIONS)
    unsaid, unknown = run(path), run(path, "--rules", "bakery")

    assert (unsaid.exit_code, unknown.exit_code) == (1, 1)
    assert "hint: give --domain" in unsaid.stderr
    assert "installed: airline, retail" in unknown.stderr


def test_a_rule_is_enforced_once_it_was_audited_and_allowed(tmp_path: Path) -> None:
    path = asking(tmp_path, "retail.pending", "retail.delivered")
    before = run("check", path)
    audited = run(
        shared(SESSIONS), "--rules", path, "--allow", "retail.pending", "--json"
    )
    after = run("check", path, "--json")

    assert "12 rules, 0 of them enforced" in before.stdout
    assert audited.exit_code == 0
    assert "wrote what was found" in audited.stderr
    checked = json.loads(after.stdout)
    assert [r["rule"] for r in checked["rules"] if r["enforced"]] == ["retail.pending"]
    assert len(checked["warnings"]) == 1
    assert "retail.delivered" in checked["warnings"][0]
    evidence = read_rules(path).evidence["retail.pending"]
    assert (evidence.read, evidence.sessions) == (
        40, json.loads(audited.stdout)["digest"],
    )  # fmt: skip


def test_the_audit_judges_a_files_rules_as_the_file_asks(tmp_path: Path) -> None:
    path = asking(tmp_path, "retail.confirmed")
    found = json.loads(run(shared(SESSIONS), "--rules", path, "--json").stdout)

    assert [r["rule"] for r in found["rules"] if r["enforced"]] == ["retail.confirmed"]
    sessions = found["sessions"]
    confirmed = next(r for r in found["rules"] if r["enforced"])
    assert {g: s["refused"] for g, s in sessions.items()} == confirmed["sessions"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--domain", "retail", "--allow", "retail.pending"), "needs a rule file"),
        (("--rules", EXAMPLE, "--allow", "retail.no"), "has no rule 'retail.no'"),
        (("--rules", EXAMPLE, "--allow", "retail.once", "--now", "2024-05-15"),
         "as their file has them"),
        (("--domain", "retail", "--only-listed"), "needs --manifest"),
    ],
)  # fmt: skip
def test_what_cannot_be_allowed_is_said_and_nothing_is_written(args, says) -> None:
    before = EXAMPLE.read_bytes()
    result = run(shared(SESSIONS), *args)

    assert result.exit_code == 1
    assert says in result.stderr
    assert EXAMPLE.read_bytes() == before


def test_records_can_be_held_to_the_tools_that_a_manifest_lists() -> None:
    path = shared(SESSIONS)

    def passes(*args: object) -> int:
        found = json.loads(run(path, "--domain", "retail", "--json", *args).stdout)
        counts = {r["rule"]: r["counts"] for r in found["rules"]}
        return counts["retail.status_checked"]["accepted_successful"][0]

    listed = ("--manifest", shared("manifests/retail.json"), "--only-listed")
    assert passes(*listed) == passes() > 0


def test_time_can_be_said() -> None:
    path = shared("sessions/tau2-sierra-prs/airline__gpt-4.1__20.json.gz")

    def fails(*args: object) -> int:
        found = json.loads(run(path, "--domain", "airline", "--json", *args).stdout)
        rule = next(r for r in found["rules"] if r["rule"] == "airline.cancel_allowed")
        return sum(n[1] for n in rule["counts"].values())

    assert fails("--now", "2030-01-01") > fails()


def test_a_file_that_is_none_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    result = run("check", tmp_path / "x.json")

    assert result.exit_code == 1
    assert "has no `stretto_rules` field" in result.stderr


def test_the_groups_help_is_its_commands_and_loads_neither_of_them() -> None:
    for name, says in HELPS.items():
        command = guards.get_command(click.Context(guards), name)
        assert command is not None
        assert command.get_short_help_str(200) == says
    script = (
        "import sys; from stretto.cli.main import main\n"
        "try: main()\nexcept SystemExit: print(*sys.modules, file=sys.stderr)"
    )
    for args in (("--help",), ("check", str(EXAMPLE))):
        ran = subprocess.run(
            [sys.executable, "-c", script, "guards", *args],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        loaded = {*ran.stderr.split()}
        assert "stretto.cli.guards" in loaded
        assert loaded.isdisjoint({"numpy", "jinja2", "matplotlib", "jax", "mcp"})


def test_without_writes_the_report_says_so() -> None:
    path = shared("sessions/tau2-sierra-prs/telecom__gpt-4o__20.json.gz")
    result = run(path, "--rules", "retail")

    assert "no write to check" in result.stdout
