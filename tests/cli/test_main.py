"""The command line's front door."""

import importlib
import json
import os
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from stretto import __version__
from stretto.cli.main import COMMANDS, Entry, cli
from stretto.errors import StrettoError

HEAVY = {"jax", "numpyro", "mcp", "scipy", "numpy", "rich", "pydantic"}


def command(name: str) -> click.Command:
    module, attribute = COMMANDS[name].home.split(":")
    return getattr(importlib.import_module(module), attribute)


def stretto(*args: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stretto", *args],
        check=False,
        capture_output=True,
        text=True,
        **options,
    )


def run(name: str, monkeypatch, attribute: str):
    """The command `name`, with a function of this module in its place."""
    monkeypatch.setitem(COMMANDS, name, Entry(f"{__name__}:{attribute}", ""))
    return CliRunner().invoke(cli, [name])


@click.command()
def fails() -> None:
    raise StrettoError("the shop is closed", hint="come back tomorrow")


@click.command()
def fails_without_a_hint() -> None:
    raise StrettoError("the shop is closed")


@click.command()
def is_interrupted() -> None:
    raise KeyboardInterrupt


@click.command()
def has_a_bug() -> None:
    raise ZeroDivisionError


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_table_says_what_the_command_itself_says(name):
    first = (command(name).help or "").strip().partition("\n")[0]
    assert COMMANDS[name].help == first


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_commands_help_ends_in_an_example_of_it(name):
    result = CliRunner().invoke(cli, [name, "--help"])
    _, found, example = result.stdout.partition("\n  Example:\n")
    assert found
    assert example.startswith(f"    stretto {name} ")


def test_help_lists_every_command_and_loads_none():
    code = (
        "import json, sys\n"
        "from stretto.cli.main import cli\n"
        "cli(['--help'], standalone_mode=False)\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    *help_, modules = done.stdout.splitlines()
    listed = {line.split()[0] for line in help_ if line.startswith("  ")}
    assert set(COMMANDS) <= listed
    loaded = set(json.loads(modules))
    assert not loaded & HEAVY
    assert not loaded & {entry.home.split(":")[0] for entry in COMMANDS.values()}


def test_the_short_help_option_is_the_long_one_everywhere():
    for args in ([], ["episodes"]):
        short, long = (
            CliRunner().invoke(cli, [*args, option]).stdout
            for option in ("-h", "--help")
        )
        assert short == long != ""


def test_the_version_is_the_packages():
    done = stretto("--version")
    assert done.stdout == f"stretto {__version__}\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize(("args", "code"), [(["--help"], 1), (["flow-diff", "-h"], 2)])
def test_a_full_disk_is_one_line_and_not_an_answer(args, code):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "stretto", *args],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )

    assert done.returncode == code
    assert done.stderr == (
        "error: an output cannot be written: No space left on device\n"
    )


def test_a_commands_other_name_is_not_listed_and_runs_it():
    listed, other = (CliRunner().invoke(cli, args) for args in (["-h"], ["flow-serve"]))
    assert "flow-serve" not in listed.stdout
    assert "Usage: cli flow-serve [OPTIONS] FLOW" in other.stderr


@pytest.mark.parametrize(
    ("typed", "meant"), [("lern", "learn"), ("flowshow", "flow-show")]
)
def test_a_mistyped_command_is_told_its_neighbour(typed, meant):
    result = CliRunner().invoke(cli, [typed])
    assert result.exit_code == 2
    assert f"there is no command {typed!r}. Did you mean {meant}?" in result.stderr


def test_a_command_like_no_other_is_told_none():
    result = CliRunner().invoke(cli, ["xyzzy"])
    assert "there is no command 'xyzzy'.\n" in result.stderr


def test_an_error_is_two_plain_lines_on_standard_error(monkeypatch):
    result = run("audit", monkeypatch, "fails")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "error: the shop is closed\nhint: come back tomorrow\n"


def test_an_error_without_a_hint_is_one_line(monkeypatch):
    result = run("audit", monkeypatch, "fails_without_a_hint")
    assert result.stderr == "error: the shop is closed\n"


def test_an_error_is_coloured_only_where_colour_is_shown(monkeypatch):
    monkeypatch.setitem(COMMANDS, "audit", Entry(f"{__name__}:fails", ""))
    result = CliRunner().invoke(cli, ["audit"], color=True)
    assert "\x1b[31m" in result.stderr


def test_the_command_that_answers_by_exit_code_keeps_its_errors_apart(monkeypatch):
    assert run("flow-diff", monkeypatch, "fails").exit_code == 2


def test_an_interruption_is_one_line_and_exits_130(monkeypatch):
    result = run("learn", monkeypatch, "is_interrupted")
    assert result.exit_code == 130
    assert result.stderr == "interrupted; no output was left half-written\n"


def test_a_bug_keeps_its_traceback(monkeypatch):
    result = run("learn", monkeypatch, "has_a_bug")
    assert isinstance(result.exception, ZeroDivisionError)


def test_a_reader_that_stops_reading_hears_nothing_of_it():
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "stretto", "--help"],
            check=False,
            stdout=gone,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.stderr == ""


def test_a_terminal_without_the_letters_gets_others_in_their_place():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = stretto("episodes", "нет", env=environment)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_names_complete_without_loading_the_commands():
    found = cli.shell_complete(click.Context(cli), "flow")
    assert [item.value for item in found] == ["flow-diff", "flow-show"]
