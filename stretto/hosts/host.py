"""The hosts: where each keeps its servers, and how it spells an entry."""

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stretto.canonical import Json
from stretto.hosts.jsonc import JSONC
from stretto.hosts.server import Entry
from stretto.hosts.syntax import Syntax
from stretto.hosts.toml import TOML


@dataclass(frozen=True, slots=True)
class Host:
    """A program that starts MCP servers, as its files have it."""

    name: str
    title: str
    file: Callable[[], Path]
    """Where it keeps its servers, unless told otherwise."""
    section: str = "mcpServers"
    """The file's key for the servers."""
    syntax: Syntax = JSONC
    is_typed: bool = False
    """Whether an entry says how the server is reached."""
    takes_urls: bool = True
    """Whether an entry may be an address."""
    has_command: bool = False
    """Whether a command of its own enters a server: `claude mcp add`."""
    has_shells_path: bool = True
    """Whether it looks for programs where a shell does."""

    def starting(self, words: tuple[str, ...], env: Mapping[str, str]) -> Entry:
        """The entry of a server that the host starts."""
        how: dict[str, Json] = {"type": "stdio"} if self.is_typed else {}
        given: dict[str, Json] = {"env": {**env}} if env else {}
        return {**how, "command": words[0], "args": [*words[1:]], **given}

    def reaching(self, url: str) -> Entry:
        """The entry of a server that is there already."""
        return {**({"type": "http"} if self.is_typed else {}), "url": url}

    def shown(self, name: str, entry: Entry) -> str:
        """What to give the host: a command of its own, or what its file has to hold."""
        if self.has_command:
            return shlex.join(_adding(name, entry)) + "\n"
        return self.syntax.spelled((self.section, name), {**entry})


def _adding(name: str, entry: Entry) -> Iterator[str]:
    yield from ("claude", "mcp", "add")
    if "url" in entry:
        yield from ("--transport", "http", name, str(entry["url"]))
        return
    env, arguments = entry.get("env"), entry.get("args")
    for variable, value in (env if isinstance(env, dict) else {}).items():
        yield from ("--env", f"{variable}={value}")
    # `--env` takes every word up to the next option.
    yield from ("--transport", "stdio", name, "--", str(entry["command"]))
    yield from map(str, arguments if isinstance(arguments, list) else [])


def _desktop() -> Path:
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "Claude" / "claude_desktop_config.json"


def _codex() -> Path:
    folder = os.environ.get("CODEX_HOME")
    return (Path(folder) if folder else Path.home() / ".codex") / "config.toml"


HOSTS: Mapping[str, Host] = {
    host.name: host
    for host in (
        Host(
            "claude-code",
            "Claude Code",
            lambda: Path(".mcp.json"),
            is_typed=True,
            has_command=True,
        ),
        Host(
            "claude-desktop",
            "Claude Desktop",
            _desktop,
            takes_urls=False,
            has_shells_path=False,
        ),
        Host("cursor", "Cursor", lambda: Path.home() / ".cursor" / "mcp.json"),
        Host(
            "vscode",
            "VS Code",
            lambda: Path(".vscode") / "mcp.json",
            section="servers",
            is_typed=True,
        ),
        Host("codex", "Codex", _codex, section="mcp_servers", syntax=TOML),
    )
}
