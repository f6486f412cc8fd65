"""`stretto completions`: what a shell needs to complete stretto's command lines."""

import os
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from stretto.cli.completions import SHELLS
from stretto.cli.main import cli


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_each_shell_is_told_to_ask_stretto(shell: str):
    result = CliRunner().invoke(cli, ["completions", shell], prog_name="stretto")

    assert result.exit_code == 0
    assert f"_STRETTO_COMPLETE={shell}_complete" in result.stdout


def test_a_shell_without_completions_is_told_those_that_have_them():
    result = CliRunner().invoke(cli, ["completions", "elvish"])

    assert result.exit_code == 2
    assert "there are no completions for 'elvish', but for bash, fish" in result.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_takes_what_is_printed():
    printed = CliRunner().invoke(cli, ["completions", "bash"], prog_name="stretto")

    done = subprocess.run(
        ["bash", "-c", f"{printed.stdout}\ncomplete -p stretto"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "_stretto_completion stretto" in done.stdout


def test_a_shell_that_asks_is_given_the_commands_and_nothing_heavy_is_loaded():
    environment = {
        **os.environ,
        "_STRETTO_COMPLETE": "bash_complete",
        "COMP_WORDS": "stretto com",
        "COMP_CWORD": "1",
    }
    script = (
        "import sys\n"
        "from stretto.cli.main import main\n"
        "sys.argv = ['stretto']\n"
        "try:\n    main()\n"
        "finally:\n    print(*sorted(sys.modules), file=sys.stderr)"
    )

    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )

    assert done.stdout == "plain,compile\nplain,completions\n"
    assert not {"jax", "numpy", "mcp", "pydantic"} & {*done.stderr.split()}


def test_printing_completions_loads_nothing_heavy():
    script = "import sys, stretto.cli.completions; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert not {"jax", "numpy", "mcp", "rich", "pydantic"} & {*done.stdout.split()}
    assert "elvish" not in SHELLS
