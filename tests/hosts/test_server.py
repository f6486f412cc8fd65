"""Entries with the proxy before a server, and without."""

from pathlib import Path

import pytest

from stretto.hosts.doubts import doubts
from stretto.hosts.host import HOSTS
from stretto.hosts.naming import derived
from stretto.hosts.server import Address, Command, Wrapped, behind, wrapped

SHOP = Command(("npx", "-y", "shop"))
REMOTE = Address("https://shop.example/mcp", ("Authorization=TOKEN", "X-Shop=SHOP"))
PROXY = ("/opt/bin/stretto-proxy", "--record", "~/.stretto/logs/shop")


@pytest.mark.parametrize(
    "server", [SHOP, REMOTE, Command(("docker", "run", "--", "x"))]
)
@pytest.mark.parametrize("proxy", [PROXY, PROXY[:1]])
def test_what_was_put_behind_the_proxy_is_found_behind_it(server, proxy):
    program, *arguments = behind(proxy, server)

    found = wrapped({"command": program, "args": arguments, "env": {"A": "b"}})

    assert found == Wrapped(server, proxy)


@pytest.mark.parametrize(
    ("entry", "server"),
    [
        ({"command": "npx", "args": ["-y", "shop"]}, SHOP),
        ({"command": "shop-server"}, Command(("shop-server",))),
        ({"url": "https://x.example"}, Address("https://x.example")),
    ],
)
def test_a_server_that_the_host_starts_itself_has_no_proxy(entry, server):
    assert wrapped(entry) == Wrapped(server, None)


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"command": 3},
        {"command": "x", "args": "y"},
        {"command": "x", "args": [1]},
        {"command": "stretto-proxy", "args": ["--record", "d"]},
        {"command": "stretto-proxy", "args": ["--"]},
        {"command": "stretto-proxy", "args": ["--upstream"]},
        {"url": "https://x.example", "headers": {"Authorization": "Bearer s3cret"}},
    ],
)
def test_an_entry_that_is_not_plain_is_not_guessed_at(entry):
    assert wrapped(entry) is None


@pytest.mark.parametrize(
    ("server", "name"),
    [
        (SHOP, "shop"),
        (Command(("npx", "-y", "@acme/shop-server@1.2")), "shop-server"),
        (Command(("uvx", "mcp-server-git==2026.10")), "mcp-server-git"),
        (Command(("uv", "run", "server.py")), "server"),
        (Command(("/usr/bin/python3.11", "-m", "shop.server")), "shop.server"),
        (Command(("/opt/shop-server", "--port", "1")), "shop-server"),
        (Command(("docker", "run", "-e", "KEY", "acme/shop")), ""),
        (Command(("npx", "-y")), ""),
        (REMOTE, "shop.example"),
    ],
)
def test_a_server_is_called_after_what_runs(server, name):
    assert derived(server) == name


def test_a_program_on_path_is_given_its_full_path(tmp_path, monkeypatch):
    program = tmp_path / "shop-server"
    program.write_text("")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert Command(("shop-server", "x")).located() == Command((str(program), "x"))
    assert Command(("nowhere", "x")).located() == Command(("nowhere", "x"))


def test_what_a_host_may_not_find_is_doubted(tmp_path, monkeypatch):
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "index.js").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")

    program, argument = doubts(Command(("node", "build/index.js", "-x/y")), {})
    [variable] = doubts(REMOTE, {"SHOP": "1"})

    assert "node is not on PATH" in program
    assert "build/index.js is relative to this folder" in argument
    assert "the variable TOKEN" in variable


def test_claudes_own_command_has_its_options_before_the_name():
    claude = HOSTS["claude-code"]
    entry = claude.starting(("/bin/stretto-proxy", "--", "a b"), {"KEY": "x y"})

    assert claude.shown("shop", entry) == (
        "claude mcp add --env 'KEY=x y' --transport stdio shop -- "
        "/bin/stretto-proxy -- 'a b'\n"
    )
    assert claude.shown("shop", claude.reaching("http://localhost:1/mcp")) == (
        "claude mcp add --transport http shop http://localhost:1/mcp\n"
    )


@pytest.mark.parametrize(
    ("platform", "file"),
    [
        ("linux", ".config/Claude/claude_desktop_config.json"),
        (
            "darwin",
            "Library/Application Support/Claude/claude_desktop_config.json",
        ),
    ],
)
def test_claude_desktops_file_is_where_the_system_has_it(
    platform: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr("sys.platform", platform)

    assert HOSTS["claude-desktop"].file() == tmp_path / file
