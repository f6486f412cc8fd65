"""The command line: what it means, what is wrong with it, and how that is told."""

import json
import subprocess
import sys

import pytest

from stretto.cli.proxy import run
from stretto.cli.proxy_options import Options, parsed
from tests.proxy.host import PROXY

NOTHING = {"domain": None, "agent_model": None, "server_name": None}


def _options(*command: str, **given) -> Options:
    about = {key: given.pop(key, None) for key in NOTHING}
    defaults = {"record": None, "retain_days": None, "grace_s": 5.0}
    return Options(command, **{**defaults, **given}, about=about)


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("-- srv", _options("srv")),
        ("srv --port 1", _options("srv", "--port", "1")),
        ("-- srv -- --record d", _options("srv", "--", "--record", "d")),
        (
            "--domain a npx -y s -- -v",
            _options(*["npx", "-y", "s", "--", "-v"], domain="a"),
        ),
        ("--record d -- srv", _options("srv", record="d")),
        ("--record=d --domain shop srv", _options("srv", record="d", domain="shop")),
        (
            "--agent-model m --server-name s --grace 0.5 -- srv",
            _options("srv", agent_model="m", server_name="s", grace_s=0.5),
        ),
        (
            "--record d --retain-days 7 -- srv",
            _options("srv", record="d", retain_days=7),
        ),
    ],
)
def test_a_command_line_means(line: str, options: Options) -> None:
    assert parsed(line.split()) == options


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "no server"),
        ("--record d --", "no server"),
        ("--recrod d -- srv", "unrecognized arguments: --recrod"),
        ("--rec d -- srv", "unrecognized arguments: --rec"),
        ("--record -- srv", "--record: expected one argument"),
        ("--retain-days 7 -- srv", "--retain-days needs --record DIR"),
        ("--record d --retain-days 0 -- srv", "'0' is no number of days from 1"),
        ("--record d --retain-days x -- srv", "'x' is no number of days from 1"),
        ("--grace -1 -- srv", "'-1' is no number of seconds from 0"),
        ("--grace nan -- srv", "'nan' is no number of seconds from 0"),
        ("--grace soon -- srv", "'soon' is no number of seconds from 0"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(
    line: str, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(line.split()) == 2

    (told,) = capfd.readouterr().err.splitlines()
    assert told.startswith("stretto-proxy: ")
    assert why in told


def test_help_shows_an_example(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0

    out = capfd.readouterr().out
    assert "stretto-proxy --record ~/sessions" in out
    assert max(map(len, out.splitlines())) <= 88


def test_help_reaches_a_pipe() -> None:
    told = subprocess.run([*PROXY, "--help"], capture_output=True, check=True)

    assert b"Example:" in told.stdout


def test_a_folder_that_cannot_be_recorded_to_is_the_proxys_failure(
    tmp_path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()

    assert run(["--record", str(tmp_path / "file"), "--", "true"]) == 125

    (told,) = capfd.readouterr().err.splitlines()
    assert told.startswith("stretto-proxy: ")


def test_a_session_name_that_cannot_be_used_is_told(
    tmp_path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STRETTO_SESSION", "two words")
    monkeypatch.setattr("stretto.cli.proxy.serve", lambda *_, **__: 0)

    assert run(["--record", str(tmp_path), "--", "true"]) == 0
    assert "STRETTO_SESSION is not used" in capfd.readouterr().err


def test_a_bug_is_told_with_the_proxys_own_status(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object, **__: object) -> int:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("stretto.cli.proxy.serve", fails)

    assert run(["--", "true"]) == 125
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_serving_imports_nothing_that_takes_long() -> None:
    script = (
        "import sys, json\n"
        "from stretto.cli.proxy import run\n"
        "status = run(sys.argv[1:])\n"
        "print(json.dumps([status, *sys.modules]), file=sys.stderr)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", script, "--", "true"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    status, *modules = json.loads(told.stderr)

    assert status == 0
    heavy = {"click", "mcp", "pydantic", "numpy", "jax", "rich", "asyncio", "anyio"}
    assert {module.split(".")[0] for module in modules} & heavy == set()
    assert {m for m in modules if m.startswith("stretto.")} <= {
        "stretto.canonical",
        "stretto.cli",
        "stretto.cli.proxy",
        "stretto.cli.proxy_arguments",
        "stretto.cli.proxy_options",
        "stretto.cli.proxy_values",
        "stretto.episodes",
        "stretto.episodes.content",
        "stretto.errors",
        *(m for m in modules if m.startswith("stretto.proxy")),
    }
