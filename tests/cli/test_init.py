"""`stretto init`: a host's configuration that starts a server through the proxy."""

import json
import shlex
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.cli.proxy_options import parsed
from stretto.flow.wire import write_flow
from stretto.hosts.config import COPY
from stretto.hosts.host import HOSTS
from tests.toys import TOY, taught

SERVER = ("npx", "-y", "@acme/shop")
SECRET = "s3cret"


@pytest.fixture(autouse=True)
def _machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a home folder, and the proxy and npx on PATH."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("stretto-proxy", "npx"):
        (programs / name).write_text("")
        (programs / name).chmod(0o700)
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(programs))
    for name in ("STRETTO_HOME", "XDG_CONFIG_HOME", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def flow() -> Path:
    """A flow with reach counts, in the folder of the project."""
    write_flow(taught(TOY).flow, path := Path("shop.flow.json"))
    return path


def init(*args: object, host: str = "cursor") -> Result:
    return CliRunner().invoke(cli, ["init", "--host", host, *map(str, args)])


def done(*args: object, host: str = "cursor") -> Result:
    result = init(*args, host=host)
    assert result.exit_code == 0, result.output
    return result


def written(tmp_path: Path) -> dict:
    """The servers in Cursor's file."""
    return json.loads((tmp_path / ".cursor" / "mcp.json").read_text())["mcpServers"]


def give(tmp_path: Path, servers: object) -> Path:
    """Cursor's file with these servers in it."""
    path = tmp_path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"theme": "dark", "mcpServers": servers}))
    return path


def behind(tmp_path: Path, *options: str, server: Sequence[str] = SERVER) -> dict:
    """The entry that starts the server through the proxy."""
    programs = tmp_path / "bin"
    command = (str(programs / server[0]), *server[1:])
    return {
        "command": str(programs / "stretto-proxy"),
        "args": [*options, "--server-name", "shop", "--", *command],
    }


def test_a_server_is_recorded_at_first(tmp_path: Path):
    found = json.loads(done("--", *SERVER).stdout)

    entry = behind(tmp_path, "--record", "~/.stretto/logs/shop")
    assert found == {"mcpServers": {"shop": entry}}
    assert not (tmp_path / ".cursor").exists()


def test_a_flow_that_watches_is_recorded_apart_and_served_later(
    flow: Path, tmp_path: Path
):
    full = str(tmp_path / "project" / flow)

    done("--write", "--", *SERVER)
    done("--name", "shop", "--flow", flow, "--shadow", "--write")
    shadow = written(tmp_path)["shop"]["args"]
    done("--name", "shop", "--flow", flow, "--write")
    served = written(tmp_path)["shop"]["args"]

    server = [str(tmp_path / "bin" / "npx"), "-y", "@acme/shop"]
    assert shadow == [
        *("--record", "~/.stretto/shadow/shop", "--server-name", "shop"),
        *("--flow", full, "--flow-decider", "reach", "--flow-shadow", "--", *server),
    ]
    assert served == ["--server-name", "shop", "--flow", full, "--", *server]


def test_logs_are_kept_where_they_are_wanted(monkeypatch, flow: Path):
    monkeypatch.setenv("STRETTO_HOME", "/srv/stretto")

    at_home = done("--", *SERVER).stdout
    named = done("--record", "here", "--flow", flow, "--", *SERVER).stdout

    assert '"/srv/stretto/logs/shop"' in at_home
    assert '"~/project/here"' in named


def test_the_proxy_takes_the_options_that_record():
    entry = json.loads(done("--domain", "shop", "--", *SERVER).stdout)["mcpServers"]
    options = parsed(entry["shop"]["args"])

    assert options.command[1:] == SERVER[1:]
    assert options.record == "~/.stretto/logs/shop"
    assert options.about["server_name"] == options.about["domain"] == "shop"


def test_the_domain_is_told_and_names_a_server_that_nobody_named():
    args = json.loads(done("--domain", "trade", "--", *SERVER).stdout)
    entry = args["mcpServers"]["trade"]

    assert entry["args"][2:6] == ["--domain", "trade", "--server-name", "trade"]


def test_a_server_over_http_has_no_command():
    url = "https://shop.example/mcp"
    options = ("--upstream", url, "--upstream-header", "Authorization=TOKEN")
    result = done(*options, "--env", f"TOKEN=Bearer {SECRET}")

    entry = json.loads(result.stdout)["mcpServers"]["shop-example"]
    assert entry["args"][-4:] == [*options]
    assert entry["env"] == {"TOKEN": f"Bearer {SECRET}"}
    assert "warning" not in result.stderr


def test_the_program_may_stand_without_dashes_before_it():
    assert done(*SERVER).stdout == done("--", *SERVER).stdout


@pytest.mark.parametrize("host", HOSTS)
def test_every_host_has_the_server_in_its_file(host: str, tmp_path: Path):
    done("--write", "--", *SERVER, host=host)

    path = HOSTS[host].file()
    text = path.read_text()
    held = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    entry = held[HOSTS[host].section]["shop"]
    assert {
        "type": "stdio",
        **behind(tmp_path, "--record", "~/.stretto/logs/shop"),
    } == {
        "type": "stdio",
        **entry,
    }


def test_writing_twice_changes_nothing_the_second_time(tmp_path: Path):
    give(tmp_path, {"other": {"command": "x"}})
    done("--write", "--", *SERVER)
    path = tmp_path / ".cursor" / "mcp.json"
    copy, text = path.with_name(path.name + COPY), path.read_text()
    kept = copy.read_text()

    again = done("--write", "--", *SERVER)

    assert "has shop like that already" in again.stdout
    assert (path.read_text(), copy.read_text()) == (text, kept)
    assert json.loads(text)["theme"] == "dark"
    assert written(tmp_path)["other"] == {"command": "x"}


def test_a_server_that_the_host_has_is_put_behind_the_proxy_and_taken_out_again(
    tmp_path: Path,
):
    entry = {"command": "npx", "args": [*SERVER[1:]], "env": {"KEY": SECRET}, "x": 1}
    give(tmp_path, {"shop": entry})

    wrapped = done("--name", "shop", "--write")
    inside = written(tmp_path)["shop"]
    unwrapped = done("--unwrap", "shop", "--write")

    assert inside == {
        **behind(tmp_path, "--record", "~/.stretto/logs/shop"),
        "env": {"KEY": SECRET},
        "x": 1,
    }
    program = str(tmp_path / "bin" / "npx")
    assert written(tmp_path)["shop"] == {**entry, "command": program}
    assert SECRET not in wrapped.output + unwrapped.output


def test_an_entry_without_the_proxy_has_nothing_to_be_taken_out_of(tmp_path: Path):
    give(tmp_path, {"shop": {"command": "npx"}})

    assert "like that already" in done("--unwrap", "shop", "--write").stdout


def test_an_address_is_put_behind_the_proxy_and_taken_out_again(tmp_path: Path):
    give(tmp_path, {"shop": {"url": "https://shop.example/mcp"}})

    done("--name", "shop", "--write")
    inside = written(tmp_path)["shop"]
    done("--unwrap", "shop", "--write")

    assert inside["args"][-2:] == ["--upstream", "https://shop.example/mcp"]
    assert written(tmp_path)["shop"] == {"url": "https://shop.example/mcp"}


def test_another_server_of_that_name_is_replaced_only_by_force(tmp_path: Path):
    path = give(tmp_path, {"shop": {"command": "old", "env": {"KEY": SECRET}}})
    before = path.read_text()

    refused = init("--write", "--name", "shop", "--", *SERVER)
    assert refused.exit_code == 1
    assert "is another server" in refused.stderr
    assert "--force replaces the other" in refused.stderr
    assert path.read_text() == before

    done("--write", "--force", "--name", "shop", "--", *SERVER)
    entry = behind(tmp_path, "--record", "~/.stretto/logs/shop")
    assert written(tmp_path)["shop"] == entry


def test_the_same_server_keeps_its_environment_even_by_force(tmp_path: Path):
    give(tmp_path, {"shop": {"command": "npx", "args": ["s"], "env": {"A": "1"}}})

    done("--write", "--force", "--name", "shop", "--env", "B=2", "--", "npx", "s")

    assert written(tmp_path)["shop"]["env"] == {"A": "1", "B": "2"}


LISTEN = ("--listen", "127.0.0.1:7070")


def test_a_listening_proxy_is_reached_by_its_address(tmp_path: Path):
    result = done(*LISTEN, "--", *SERVER)

    assert json.loads(result.stdout)["mcpServers"]["shop"] == {
        "url": "http://127.0.0.1:7070/mcp"
    }
    assert f"--listen 127.0.0.1:7070 -- {tmp_path}/bin/npx -y" in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="another keeper of services")
def test_a_listening_proxy_is_kept_running_by_a_service(tmp_path: Path):
    args = (*LISTEN, "--env", f"KEY={SECRET}", "--write", "--", *SERVER)
    first, again = done(*args), done(*args)

    path = tmp_path / ".config" / "systemd" / "user" / "stretto-shop.service"
    assert f"{path} starts the proxy, once you say:" in first.stdout
    assert f"{path} starts the proxy already" in again.stdout
    assert SECRET not in first.output + again.output
    assert f"Environment=KEY={SECRET}\n" in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert written(tmp_path)["shop"] == {"url": "http://127.0.0.1:7070/mcp"}


def test_where_nothing_is_known_to_keep_programs_running_the_command_is_told(
    monkeypatch,
):
    monkeypatch.setattr("sys.platform", "freebsd14")

    told = done(*LISTEN, "--", *SERVER).stderr

    assert "keep this running for the host:\n  " in told


def test_a_listening_proxy_is_started_with_the_flow_that_it_is_to_serve(flow: Path):
    result = done("--listen", "127.0.0.1:7070", "--flow", flow, "--", *SERVER)

    [line] = [line for line in result.stderr.splitlines() if "--listen" in line]
    options = parsed(shlex.split(line)[1:])
    assert options.http.listen == "127.0.0.1:7070"
    assert options.acting.flow == str(flow.absolute())


@pytest.mark.parametrize(
    ("args", "host", "why"),
    [
        (("--shadow", "--", *SERVER), "cursor", "--shadow needs --flow FILE"),
        (("--upstream-header", "A=B"), "cursor", "needs --upstream URL"),
        (("--upstream", "u", "--", "x"), "cursor", "takes the place of"),
        ((), "cursor", "the server needs a name: --name NAME"),
        (("--", "docker", "run", "x"), "cursor", "needs a name"),
        (("--unwrap", "a", "--name", "b"), "cursor", "--unwrap goes with"),
        (("--listen", "1:0", "--", "x"), "cursor", "a port that stays the same"),
        (("--listen", "1:2", "--", "x"), "claude-desktop", "takes no address"),
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(args, host, why):
    result = init(*args, host=host)

    assert result.exit_code == 2
    assert why in result.stderr


def test_a_server_that_is_not_in_the_file_is_an_error_that_names_those_that_are(
    tmp_path: Path,
):
    give(tmp_path, {"other": {"command": "x"}, "more": {"command": "y"}})

    result = init("--name", "shop")

    assert result.exit_code == 1
    assert result.stderr.splitlines()[0].endswith("has no server 'shop'")
    assert result.stderr.splitlines()[1] == "hint: it has other, more"


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "https://x.example", "headers": {"Authorization": SECRET}},
        {"command": "x", "args": [SECRET, 3]},
    ],
)
@pytest.mark.parametrize("option", ["--name", "--unwrap"])
def test_an_entry_that_is_not_understood_is_not_quoted(entry, option, tmp_path: Path):
    give(tmp_path, {"shop": entry})

    result = init(option, "shop", "--write")

    assert result.exit_code == 1
    assert "is not read as a command or a plain address" in result.stderr
    assert SECRET not in result.output


def test_a_variable_without_a_value_is_not_quoted():
    result = init("--env", SECRET, "--", *SERVER)

    assert result.exit_code == 2
    assert SECRET not in result.output


def test_a_server_behind_headers_stays_behind_the_proxy():
    header = ("--upstream-header", "Authorization=TOKEN")
    done("--upstream", "https://x.example", *header, "--name", "x", "--write")

    result = init("--unwrap", "x", "--write")

    assert result.exit_code == 1
    assert "through the proxy alone" in result.stderr


def test_a_file_that_is_no_flow_is_refused_before_anything_is_written(tmp_path: Path):
    Path("no.flow.json").write_text("{}")

    result = init("--flow", "no.flow.json", "--write", "--", *SERVER)

    assert result.exit_code == 1
    assert not (tmp_path / ".cursor").exists()


def test_without_the_proxy_there_is_nothing_to_configure(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sysconfig.get_path", lambda _: "nowhere")

    result = init("--", *SERVER)

    assert result.exit_code == 1
    assert "stretto-proxy is neither beside stretto nor on PATH" in result.stderr
    assert "hint: install stretto again" in result.stderr


def test_what_the_host_may_not_find_is_warned_of():
    result = done("--", "nowhere-server")

    assert "warning: nowhere-server is not on PATH" in result.stderr
