"""
Whether clients of other makers take results that lookups were added to.

    python -m benchmarks.proxy_clients --venvs FOLDER --out docs/results

Each client is installed in FOLDER, where it is missing; that of TypeScript by npm.
It lists the tools of a server behind the proxy, and calls one behind which a flow looks
up. Clients hold results to the schema that the list has. Writes `proxy-clients.md`.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from benchmarks.peers import ways
from stretto.files import write_text
from stretto.flow.wire import write_flow
from stretto.markdown import table
from stretto.proxy.appendix import HEADER
from stretto.proxy.schema import RESERVED
from tests.proxy.engine.shop import FLOW

SCHEMAS = ("none", "open", "closed", "broken")
TYPESCRIPT = "@modelcontextprotocol/sdk@1.32.2"
PATIENCE_S = 60.0


class Client(NamedTuple):
    """A client, and how it is started before the server's command."""

    name: str
    command: Callable[[Path], Sequence[str]]
    """Given the folder that things are installed in."""


def _python(peer: str | None, script: str, *words: str) -> Callable[[Path], list[str]]:
    """A script, run by the Python of a peer's venv, or by this one."""

    def command(venvs: Path) -> list[str]:
        own = sys.executable if peer is None else str(venvs / peer / "bin" / "python")
        return [own, str(ways.HERE / script), *words]

    return command


CLIENTS = (
    Client("Python SDK 2, in a session", _python(None, "sdk_client.py", "legacy")),
    Client("Python SDK 2, stateless", _python(None, "sdk_client.py", "2026-07-28")),
    Client("Python SDK 1.30", _python("mcp-proxy", "sdk1_client.py")),
    Client("FastMCP 4.2.3", _python("fastmcp", "fastmcp_client.py")),
    Client("TypeScript SDK 1.32.2", lambda _: ["node", "client.mjs"]),
)


def outcome(client: Client, schema: str, venvs: Path, flow: Path) -> str:
    """What a client makes of a result with lookups, in words."""
    server = [sys.executable, str(ways.HERE / "typed_server.py"), schema]
    proxied = [*ways.STRETTO, "--flow", str(flow), "--", *server]
    done = subprocess.run(
        [*client.command(venvs), *proxied],
        cwd=venvs / "typescript",
        env=_without_own_path(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    if done.returncode:
        return "refused"
    return seen(json.loads(done.stdout))


def seen(said: Mapping[str, Any]) -> str:
    """Where the lookups are in what a client gives its program."""
    is_text = any(HEADER in text for text in said["texts"])
    structured = said["structured"] or {}
    is_structured = HEADER in structured.get(RESERVED, "")
    where = [
        name
        for name, is_there in (("text", is_text), ("structured", is_structured))
        if is_there
    ]
    return " and ".join(where) or "lost"


def _without_own_path() -> dict[str, str]:
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(ways.ROOT)}


def page(rows: Sequence[Sequence[str]]) -> str:
    """The page."""
    header = ["client", "no schema", "open schema", "closed schema", "not kept to"]
    return "\n".join(
        [
            "# What clients make of lookups",
            "",
            "    python -m benchmarks.proxy_clients --venvs FOLDER --out docs/results",
            "",
            "Each client lists the tools of a server behind the proxy, and calls one "
            "that returns structured content and behind which a flow makes three "
            "lookups.",
            "The tool's `outputSchema` is missing, or lets other members in, or does "
            "not; a client that gets what its schema does not allow refuses it.",
            "The cell says where the lookups are in what the client gives its program.",
            "In the last column the server itself returns what a closed schema does "
            "not allow, so that a client which looks at schemas has to refuse it.",
            "",
            table(header, rows),
            "",
        ]
    )


def _install_typescript(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "client.mjs", (ways.HERE / "client.mjs").read_text("utf-8"))
    if not (folder / "node_modules").exists():
        npm = ["npm", "install", "--no-audit", "--no-fund", "--silent", TYPESCRIPT]
        subprocess.run(npm, cwd=folder, check=True)


@click.command()
@click.option("--venvs", type=click.Path(path_type=Path), required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True)
def main(venvs: Path, out: Path) -> None:
    """Install, ask, and write the page."""
    venvs = venvs.absolute()
    ways.installed(venvs)
    _install_typescript(venvs / "typescript")
    with tempfile.TemporaryDirectory() as folder:
        write_flow(FLOW, flow := Path(folder) / "shop.flow.json")
        rows = [
            [client.name, *(outcome(client, s, venvs, flow) for s in SCHEMAS)]
            for client in CLIENTS
        ]
    write_text(out / "proxy-clients.md", page(rows))


if __name__ == "__main__":
    main()
