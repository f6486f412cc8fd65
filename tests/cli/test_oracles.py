"""The options that say which model is asked, and what."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from stretto.cli.asking import ask_choice
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import questions
from stretto.oracle.dump import read_requests
from stretto.oracle.lines import json_lines
from stretto.oracle.omit import Omission
from stretto.oracle.order import Orders, Shuffled
from stretto.oracle.predicates import shipped_predicates
from stretto.oracle.question import Noul, Request
from stretto.oracle.temperature import Temperatures, Tempered
from stretto.oracle.wording import shipped_wording


def run(*args: object) -> tuple[Result, list[OracleChoice]]:
    chosen: list[OracleChoice] = []

    @click.command()
    @questions(dollars=2.0)
    def command(choice: OracleChoice) -> None:
        chosen.append(choice)

    return CliRunner().invoke(command, [*map(str, args)]), chosen


def test_left_out_nothing_is_asked_and_the_words_are_those_shipped() -> None:
    _, [choice] = run()

    assert choice.kind is None
    assert choice.budget == 2.0
    assert choice.wording() is shipped_wording()
    assert choice.asked_predicates() is shipped_predicates()
    with pytest.raises(click.UsageError, match="--oracle NAME"):
        choice.oracle()


def test_the_options_make_one_choice(tmp_path: Path) -> None:
    _, [choice] = run(
        "--oracle", "replay", "--oracle-model", "m-1", "--oracle-cache", tmp_path,
        "--oracle-limit", 3, "--oracle-budget", 0, "--temperature", 2,
        "--omit", "*:email", "--omit", "get:$", "--orders", 3, "--order-seed", 1,
    )  # fmt: skip

    assert choice.oracle().model == "m-1"
    assert isinstance(choice.oracle(), Tempered)
    assert isinstance(choice.oracle().inner, Shuffled)
    assert choice.orders == Orders(3, 1)
    assert choice.temperatures == Temperatures(2.0, 2.0, 2.0)
    assert choice.omit == (Omission("*", ("email",)), Omission("get", ()))
    assert (choice.limit, choice.budget) == (3, 0.0)


def test_a_temperature_is_a_number_within_range_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(
        json.dumps({"stretto_temperatures": 1, "noul": 3, "choice": 2, "score": 1})
    )

    assert run("--temperature", path)[1][0].temperatures == Temperatures(3, 2, 1)
    for bad in ("0.01", "nan", "-1", "1e9"):
        result, _ = run("--temperature", bad)
        assert result.exit_code == 2
        assert "is not from 0.05 to 20" in result.stderr


def test_no_choice_shows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPESAFE_API_KEY", "c4n4ry-0123456789")

    assert "c4n4ry" not in repr(run("--oracle", "jev")[1])


def test_the_requests_are_dumped_as_they_are_asked(tmp_path: Path) -> None:
    dump = tmp_path / "dump.jsonl"
    _, [choice] = run("--oracle", "mock", "--oracle-dump", dump)
    requests = [Request("mock", n, {"n": Noul("Done?")}) for n in range(3)]

    asked = ask_choice(choice, requests)

    assert {r.key for r in read_requests(json_lines(dump))} == {*asked.responses}
    assert len(asked.responses) == 3


def test_a_wrong_omission_is_an_error_with_a_hint() -> None:
    result, chosen = run("--omit", "nonsense")
    assert chosen == []
    assert "does not say what to leave out" in str(result.exception)
