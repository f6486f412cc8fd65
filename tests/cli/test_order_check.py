"""`stretto order-check`: the favour of a place, as a table and as JSON."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.oracle.dump import dump_lines
from stretto.oracle.question import Noul, Request
from tests.evaluate.test_positions import requests


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    by_key = {one.key: one for one in requests(4)}
    path = tmp_path / "asked.jsonl"
    path.write_text("".join(f"{line}\n" for line in dump_lines(by_key)))
    return path


def run(path: Path, *args: object) -> Result:
    given = ["order-check", "--requests", str(path), *map(str, args)]
    return CliRunner().invoke(cli, given)


def test_the_table_and_the_json_tell_the_same(asked: Path) -> None:
    shown, told = (
        run(asked, "--oracle", "mock"),
        run(asked, "--oracle", "mock", "--json"),
    )
    found = json.loads(told.stdout)

    assert (shown.exit_code, told.exit_code) == (0, 0)
    assert (found["choices"], found["unanswered"]) == (4, 0)
    assert found["first"]["mean"] == pytest.approx(0.4)
    assert found["first"]["interval"] == pytest.approx([0.4, 0.4])
    row = next(x for x in shown.stdout.splitlines() if x.startswith("| 1 "))
    assert [cell.strip() for cell in row.split("|")[2:-1]] == [
        "4", "+0.400", "[+0.400, +0.400]",
    ]  # fmt: skip
    assert "changes 100.0% of the picks" in shown.stdout
    assert "asking 20 requests" in told.stderr


def test_a_limit_is_of_requests_as_they_were_given(asked: Path) -> None:
    told = run(asked, "--oracle", "mock", "--oracle-limit", 1, "--json")

    assert json.loads(told.stdout)["choices"] == 1
    assert "asking 5 requests" in told.stderr


def test_requests_without_a_choice_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "asked.jsonl"
    one = Request("m", {}, {"go": Noul("?")})
    path.write_text("".join(dump_lines({one.key: one})))

    result = run(path, "--oracle", "mock")

    assert result.exit_code == 1
    assert "no choice was answered" in result.stderr
    assert "hint: only choices of 2 to 16 options are asked" in result.stderr
