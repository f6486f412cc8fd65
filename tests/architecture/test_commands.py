"""What every command's help is held to."""

import importlib

import click
import pytest
from click.testing import CliRunner

from stretto.cli.main import COMMANDS


def _command(name: str) -> click.Command:
    module, attribute = COMMANDS[name][0].split(":")
    command = getattr(importlib.import_module(module), attribute)
    assert isinstance(command, click.Command)
    return command


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_shows_an_example(name: str) -> None:
    result = CliRunner().invoke(_command(name), ["--help"])

    assert result.exit_code == 0
    assert f"stretto {name} " in result.output.split("Example", 1)[-1]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_list_of_commands_says_what_the_command_says(name: str) -> None:
    said = (_command(name).help or "").strip().splitlines()[0]

    assert said == COMMANDS[name][1]
