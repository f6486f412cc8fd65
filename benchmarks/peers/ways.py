"""The ways to a server that are measured: by which proxy, over which transports."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.paths import free_port, started

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ECHO = (sys.executable, str(ROOT / "tests" / "proxy" / "servers" / "echo.py"))
SDK_ECHO = (sys.executable, str(HERE / "sdk_echo.py"))
STRETTO = (sys.executable, "-c", "from stretto.cli.proxy import main; main()")
PEERS = {"mcp-proxy": "mcp-proxy==0.13.0", "fastmcp": "fastmcp==4.2.3"}
"""What is installed, each into a venv of its own."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are while a path is measured."""

    venvs: Path
    logs: Path
    flow: Path
    sdk_port: int

    @property
    def url(self) -> str:
        """The SDK's server."""
        return f"http://127.0.0.1:{self.sdk_port}/mcp"

    def program(self, peer: str, name: str) -> str:
        """A program in a peer's venv."""
        return str(self.venvs / peer / "bin" / name)


@dataclass(frozen=True, slots=True)
class Way:
    """One way: who is on it, and the command of what the client speaks to."""

    by: str
    command: Callable[[Places, int], Sequence[str]]
    """Given the port to listen at, which only those on HTTP heed."""


def _stretto(*options: str) -> Callable[[Places, int], Sequence[str]]:
    def command(places: Places, port: int) -> list[str]:
        known = {"port": port, "logs": places.logs, "flow": places.flow}
        words = [*options, *ECHO] if options[-1] == "--" else options
        return [*STRETTO, *(w.format(**known, url=places.url) for w in words)]

    return command


def _fastmcp(front: str, to_sdk: bool) -> Callable[[Places, int], Sequence[str]]:
    def command(places: Places, port: int) -> list[str]:
        target = [places.url] if to_sdk else [*ECHO]
        python = places.program("fastmcp", "python")
        script = str(HERE / "fastmcp_proxy.py")
        return [python, script, front.format(port=port), *target]

    return command


def _mcp_proxy(*words: str) -> Callable[[Places, int], Sequence[str]]:
    def command(places: Places, port: int) -> list[str]:
        said = [word.format(port=port, url=places.url) for word in words]
        return [places.program("mcp-proxy", "mcp-proxy"), *said]

    return command


def _of(command: Sequence[str]) -> Callable[[Places, int], Sequence[str]]:
    return lambda _, port: [word.format(port=port) for word in command]


RECORD, LISTEN = ("--record", "{logs}"), ("--listen", "127.0.0.1:{port}")
STDIO_TO_STDIO = (
    Way("direct", _of(ECHO)),
    Way("stretto, recorded", _stretto(*RECORD, "--")),
    Way("stretto, recorded and served", _stretto(*RECORD, "--flow", "{flow}", "--")),
    Way("FastMCP", _fastmcp("stdio", to_sdk=False)),
)
STDIO_TO_HTTP = (
    Way("stretto, recorded", _stretto(*RECORD, "--upstream", "{url}")),
    Way("mcp-proxy", _mcp_proxy("--transport", "streamablehttp", "{url}")),
    Way("FastMCP", _fastmcp("stdio", to_sdk=True)),
)
HTTP_TO_STDIO = (
    Way("stretto, recorded", _stretto(*RECORD, *LISTEN, "--")),
    Way("mcp-proxy", _mcp_proxy("--port", "{port}", "--", *ECHO)),
    Way("FastMCP", _fastmcp("{port}", to_sdk=False)),
)
HTTP_TO_HTTP = (
    Way("direct", _of((*SDK_ECHO, "{port}"))),
    Way("stretto, recorded", _stretto(*RECORD, *LISTEN, "--upstream", "{url}")),
    Way("FastMCP", _fastmcp("{port}", to_sdk=True)),
)


@contextmanager
def listening(path: Way, places: Places) -> Iterator[int]:
    """The port at which a path's front listens, for the length of the block."""
    port = free_port()
    with started(port, *path.command(places, port)):
        yield port


def installed(venvs: Path) -> None:
    """Has each peer in a venv of its own, made where it is missing."""
    for name, wanted in PEERS.items():
        python = venvs / name / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", venvs / name], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", wanted]
        subprocess.run(pip, check=True)
