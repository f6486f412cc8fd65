"""`stretto doctor`: what works, what is worth knowing, and what does not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto import __version__
from stretto.cli.main import cli
from stretto.flow.wire import write_flow
from tests.doctor.test_ask import server
from tests.doctor.test_reach import serving, with_sessions
from tests.toys import TOY, taught

SECRET = "s3cret"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder where all is well, and the proxy on PATH."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("STRETTO_HOME", "XDG_CONFIG_HOME", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("TYPESAFE_API_KEY", "TYPESAFE_API_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    programs = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(programs))
    programs.mkdir()
    proxy(programs, __version__)
    return tmp_path


def proxy(folder: Path, version: str) -> None:
    """A proxy that says it is of that version."""
    path = folder / "stretto-proxy"
    path.write_text(f"#!/bin/sh\necho stretto-proxy {version}\n")
    path.chmod(0o700)


def doctor(*args: object) -> Result:
    return CliRunner().invoke(cli, ["doctor", *map(str, args)])


def well(*args: object) -> list[str]:
    """The lines, of which none is a problem."""
    result = doctor(*args)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def ill(*args: object) -> str:
    """The one problem."""
    result = doctor(*args)
    assert result.exit_code == 1, result.output
    found = [x for x in result.stdout.splitlines() if x.startswith("problem ")]
    assert len(found) == 1, found
    return found[0].removeprefix("problem ")


def log(path: Path, **header: object) -> None:
    """A session log without entries."""
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"stretto_mcp_log": 2, "session": "s", "started_unix_ms": 0}
    path.write_text(json.dumps({**about, **header}) + "\n")


def configure(home: Path, *args: str, file: str = ".cursor/mcp.json", **env) -> None:
    """A host, Cursor if not another, with a server behind the proxy."""
    path = home / file
    path.parent.mkdir(parents=True, exist_ok=True)
    entry = {"command": args[0], "args": [*args[1:]], "env": {"KEY": SECRET, **env}}
    path.write_text(json.dumps({"mcpServers": {"shop": entry, "other": {}}}))


def test_a_fresh_installation_is_well_and_says_what_comes_next(home: Path):
    lines = well()

    assert lines[0].startswith(f"ok stretto {__version__}, Python ")
    assert lines[1:] == [
        f"ok {home}/bin/stretto-proxy, {__version__}",
        "note no oracle's key is set; the deciders habit and reach need none",
        f"note {home}/.stretto is not there yet; the first recording makes it",
        "note no host starts a server through the proxy; see `stretto init`",
    ]


def test_the_same_findings_are_printed_as_json():
    found = json.loads(doctor("--json").stdout)

    assert found["ok"] is True
    assert [f"{x['status']} {x['text']}" for x in found["findings"]] == well()


def test_another_version_of_the_proxy_is_a_problem(home: Path):
    proxy(home / "bin", "0.0.9")

    assert (
        ill() == f"{home}/bin/stretto-proxy is stretto-proxy 0.0.9, not {__version__}"
    )


def test_a_proxy_that_does_not_start_is_a_problem(home: Path):
    (home / "bin" / "stretto-proxy").write_text("#!/bin/sh\nexit 1\n")

    assert ill() == f"{home}/bin/stretto-proxy does not start"


def test_no_proxy_at_all_is_a_problem(home: Path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    (home / "bin" / "stretto-proxy").unlink()

    assert ill().startswith("stretto-proxy is neither beside stretto nor on PATH")


def test_a_proxy_that_is_not_on_path_is_a_note(monkeypatch):
    monkeypatch.setenv("PATH", "/bin:/usr/bin")

    assert well()[1].startswith("note stretto-proxy is not on PATH")


def test_a_key_is_seen_and_not_shown(home: Path, monkeypatch):
    monkeypatch.setenv("TYPESAFE_API_KEY_FILE", str(home / "none"))
    assert ill() == "TYPESAFE_API_KEY_FILE names a file that cannot be read"

    monkeypatch.setenv("TYPESAFE_API_KEY", SECRET)
    lines = well()

    assert "ok TYPESAFE_API_KEY is set" in lines
    assert SECRET not in "".join(lines)


def test_flows_and_logs_are_counted_three_folders_deep(home: Path):
    data = home / "kept"
    log(data / "logs" / "shop" / "a.jsonl")
    log(data / "b.jsonl")
    log(data / "x" / "y" / "z" / "too-deep.jsonl", stretto_mcp_log=99)
    log(data / "oracle-cache" / "aside.jsonl", stretto_mcp_log=99)
    (data / "logs" / "shop" / "a.flow.jsonl").write_text("{}\n")
    (data / "notes.jsonl").write_text("{}\n")
    write_flow(taught(TOY).flow, data / "shop.flow.json")

    lines = well("--data", data)

    assert f"ok {data} can be written to" in lines
    assert "ok 1 flow" in lines
    assert "ok 2 session logs" in lines


def test_the_data_folder_is_the_variables(home: Path, monkeypatch):
    monkeypatch.setenv("STRETTO_HOME", str(home / "kept"))
    (home / "kept").mkdir()

    assert f"ok {home}/kept can be written to" in well()


def test_a_flow_that_does_not_load_is_a_problem(home: Path):
    data = home / ".stretto"
    data.mkdir()
    (data / "old.flow.json").write_text('{"stretto_flow": 99}')

    assert "`stretto_flow` is 99" in ill()


def test_a_log_of_another_version_is_a_problem(home: Path):
    log(home / ".stretto" / "new.jsonl", stretto_mcp_log=99)

    assert "`stretto_mcp_log` is 99" in ill()


def test_a_data_folder_that_is_a_file_is_a_problem(home: Path):
    (home / ".stretto").write_text("")

    assert ill() == f"{home}/.stretto is no folder"


@pytest.mark.parametrize("closed", [".stretto", ".stretto/logs/shop"])
def test_a_folder_that_cannot_be_written_to_is_a_problem(
    closed: str, home: Path, monkeypatch
):
    (home / ".stretto" / "logs" / "shop").mkdir(parents=True)
    allowed = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: path != home / closed and allowed(path, mode)
    )

    assert ill() == f"{home}/{closed} cannot be written to"


def test_a_server_that_a_host_starts_through_the_proxy_is_well(home: Path):
    write_flow(taught(TOY).flow, flow := home / "shop.flow.json")
    options = ("--record", "~/.stretto/logs/shop", "--flow", str(flow))
    configure(home, "stretto-proxy", *options, "--", "sh")

    assert "ok Cursor: shop goes through the proxy" in well()


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("/old/stretto-proxy", "--", "sh"), "/old/stretto-proxy is not there, or"),
        (("stretto-proxy", "--", "nowhere"), "nowhere is not there, or cannot be run"),
        (("stretto-proxy", "--record=file/x", "--", "sh"), "file/x cannot be written"),
        (("stretto-proxy", "--flow", "none", "--", "sh"), "none: cannot be read"),
    ],
)
def test_what_a_hosts_entry_names_and_is_not_there_is_a_problem(
    args: tuple[str, ...], why: str, home: Path
):
    (home / "file").write_text("")
    configure(home, *args)

    found = ill()

    assert found.startswith(f"Cursor: shop: {why}")
    assert SECRET not in found


def test_programs_are_sought_where_the_entry_says(home: Path):
    configure(home, "stretto-proxy", "--", "sh", PATH=str(home / "bin"))
    assert ill() == (
        "Cursor: shop: sh is not there on the PATH of its entry, or cannot be run"
    )

    configure(home, "stretto-proxy", "--", "shop", PATH=str(home / "bin"))
    (home / "bin" / "shop").write_text("#!/bin/sh\n")
    (home / "bin" / "shop").chmod(0o700)
    assert "ok Cursor: shop goes through the proxy" in well()


def test_the_hosts_own_proxy_is_of_this_version(home: Path):
    (home / "old").mkdir()
    proxy(home / "old", "0.0.9")
    configure(home, f"{home}/old/stretto-proxy", "--", "sh")

    assert ill() == (
        f"Cursor: shop: {home}/old/stretto-proxy is stretto-proxy 0.0.9, "
        f"not {__version__}"
    )


def test_what_a_host_puts_in_by_itself_is_not_sought(home: Path):
    configure(home, "stretto-proxy", "--", "${workspaceFolder}/server")

    assert "ok Cursor: shop goes through the proxy" in well()


@pytest.mark.skipif(sys.platform != "linux", reason="the host's file is elsewhere")
def test_a_host_without_a_shells_path_is_doubted_where_it_has_names_alone(home: Path):
    file = ".config/Claude/claude_desktop_config.json"
    configure(home, "stretto-proxy", "--", "sh", file=file)

    assert well()[-1] == (
        "note Claude Desktop: shop: it has no shell's PATH, "
        "so give it the full path of stretto-proxy"
    )


def test_a_header_that_neither_the_entry_nor_the_shell_has_is_doubted(home: Path):
    header = ("--upstream-header", "Authorization=TOKEN")
    entry = ("stretto-proxy", "--upstream", "https://shop.example/mcp", *header)

    configure(home, *entry)
    assert well()[-1].startswith("note Cursor: shop: TOKEN is not in its entry")

    configure(home, *entry, TOKEN=SECRET)
    assert well()[-1] == "ok Cursor: shop goes through the proxy"


def test_a_hosts_broken_file_is_a_problem_and_not_quoted(home: Path):
    (home / ".mcp.json").write_text(f'{{"env": "{SECRET}" 1}}')

    found = ill()

    assert found.startswith("Claude Code: .mcp.json: is not JSON")
    assert SECRET not in found


def test_a_flow_is_compared_with_a_live_server(home: Path):
    write_flow(taught(TOY).flow, flow := home / "shop.flow.json")

    lines = well("--flow", flow, "--", *server("plain"))

    assert lines[-1] == (
        "ok shop.flow.json: 2 of 2 lookups are listed as read-only, "
        "with the inputs they had"
    )


def test_a_server_that_does_not_answer_is_a_problem(home: Path):
    write_flow(taught(TOY).flow, flow := home / "shop.flow.json")

    assert ill("--flow", flow, "--", *server("ends")).startswith("the server ended")


def test_a_flow_is_compared_with_a_server_at_a_url(home: Path, monkeypatch):
    monkeypatch.setenv("TOKEN", "Bearer s3cret")
    write_flow(taught(TOY).flow, flow := home / "shop.flow.json")
    header = ("--upstream-header", "Authorization=TOKEN")

    with serving(with_sessions) as (url, _):
        lines = well("--flow", flow, "--upstream", url, *header)

    assert lines[-1].startswith("ok shop.flow.json: 2 of 2 lookups are listed")


def test_a_header_without_its_variable_is_a_problem_that_names_it(home: Path):
    write_flow(taught(TOY).flow, flow := home / "shop.flow.json")
    header = ("--upstream-header", "Authorization=NO_TOKEN")

    found = ill("--flow", flow, "--upstream", "http://127.0.0.1:9/mcp", *header)

    assert found == "the environment has no NO_TOKEN"


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("--flow", "f"), "go together"),
        (("--", "server"), "go together"),
        (("--upstream", "http://x"), "go together"),
        (("--upstream", "http://x", "--flow", "f", "--", "s"), "takes the place"),
        (("--upstream-header", "A=B", "--flow", "f", "--", "s"), "needs --upstream"),
        (("--upstream", "http://x", "--upstream-header", SECRET), "NAME=VARIABLE"),
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(args, why):
    result = doctor(*args)

    assert result.exit_code == 2
    assert why in result.stderr
    assert SECRET not in result.stderr


def test_it_loads_nothing_heavy():
    script = "import sys, stretto.cli.doctor; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert not {"jax", "numpy", "mcp", "pydantic", "httpx2"} & {*done.stdout.split()}
