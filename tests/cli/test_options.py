"""The options that several commands share."""

import click
import pytest
from click.testing import CliRunner

from stretto.cli.options import Sessions, labelled_sessions


def chosen(*args: object) -> Sessions:
    """What a command that takes sessions is given for these arguments."""
    given = []

    @click.command()
    @click.option("--own")
    @labelled_sessions
    def command(sessions: Sessions, own: str | None) -> None:
        given.append((sessions, own))

    result = CliRunner().invoke(command, [*map(str, args), "--own", "x"])
    assert result.exit_code == 0, result.output
    [(found, own)] = given
    assert own == "x"
    return found


@pytest.mark.parametrize("name", ["domain", "agent", "reward_field"])
def test_a_named_option_reaches_the_reading(name, tmp_path):
    option = f"--{name.replace('_', '-')}"
    assert getattr(chosen(tmp_path, option, "shop").options, name) == "shop"
    assert getattr(chosen(tmp_path).options, name) is None


@pytest.mark.parametrize("name", ["strict", "recursive", "strip_stop"])
def test_a_flag_reaches_the_reading(name, tmp_path):
    option = f"--{name.replace('_', '-')}"
    assert getattr(chosen(tmp_path, option).options, name) is True
    assert getattr(chosen(tmp_path).options, name) is False


def test_paths_and_reader_are_kept_in_order(tmp_path):
    (tmp_path / "a").mkdir()
    found = chosen(tmp_path / "a", tmp_path, "--reader", "tau2")
    assert found.paths == (tmp_path / "a", tmp_path)
    assert found.reader == "tau2"


@pytest.mark.parametrize("option", ["--sessions", "--results", "--otel"])
def test_sessions_may_be_named_by_an_option_too(option, tmp_path):
    (tmp_path / "a").mkdir()
    assert chosen(option, tmp_path / "a").paths == (tmp_path / "a",)
    found = chosen(tmp_path, option, tmp_path / "a", option, tmp_path)
    assert found.paths == (tmp_path, tmp_path / "a", tmp_path)


def test_two_commands_do_not_share_a_ledger(tmp_path):
    assert chosen(tmp_path).ledger is not chosen(tmp_path).ledger


def test_a_command_without_paths_is_a_usage_error():
    @click.command()
    @labelled_sessions
    def command(sessions: Sessions) -> None:
        raise AssertionError(sessions)

    result = CliRunner().invoke(command, [])
    assert result.exit_code == 2
    assert "PATHS" in result.stderr
