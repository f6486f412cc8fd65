"""The ways to the fixture that the suite takes, each started and ended."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

from stretto.flow.wire import write_flow
from tests.proxy.engine.shop import FLOW

FIXTURE = (sys.executable, "-m", "tests.conformance.fixture")
PROXIED = (sys.executable, "-m", "tests.conformance.proxied")
_PROXY = (sys.executable, "-c", "from stretto.cli.proxy import main; main()")
_PATIENCE_S = 30.0
_POLL_S = 0.05

Start: TypeAlias = Callable[[ExitStack, Path], int]
"""Starts what a path consists of, logs in a folder, and gives the port it ends at."""


def _direct(running: ExitStack, _: Path) -> int:
    port = free_port()
    running.enter_context(started(port, *FIXTURE, "--port", str(port)))
    return port


def _relayed(running: ExitStack, logs: Path) -> int:
    url = f"http://127.0.0.1:{_direct(running, logs)}/mcp"
    port = free_port()
    proxy = (*PROXIED, "--record", str(logs), "relay", str(port), url)
    running.enter_context(started(port, *proxy))
    return port


def _listening(*command: str) -> Start:
    def start(running: ExitStack, logs: Path) -> int:
        port = free_port()
        proxy = (*PROXIED, "--record", str(logs), "listen", str(port), "--", *command)
        running.enter_context(started(port, *proxy))
        return port

    return start


def _outbound(running: ExitStack, logs: Path) -> int:
    url = f"http://127.0.0.1:{_direct(running, logs)}/mcp"
    return _listening(*PROXIED, "upstream", url)(running, logs)


def _served(running: ExitStack, logs: Path, *server: str) -> int:
    """A proxy that serves the shop's flow, which knows of no tool of the fixture's."""
    write_flow(FLOW, logs / "shop.flow.json")
    port = free_port()
    options = ("--flow", str(logs / "shop.flow.json"), "--record", str(logs))
    proxy = (*_PROXY, "--listen", str(port), *options, *server)
    running.enter_context(started(port, *proxy))
    return port


def served_before_http(running: ExitStack, logs: Path) -> int:
    """A proxy with a flow, before the fixture at a URL."""
    url = f"http://127.0.0.1:{_direct(running, logs)}/mcp"
    return _served(running, logs, "--upstream", url)


def _served_before_stdio(running: ExitStack, logs: Path) -> int:
    return _served(running, logs, "--", *FIXTURE)


PATHS: Mapping[str, Start] = {
    "direct": _direct,
    "HTTP → stretto → HTTP": _relayed,
    "HTTP → stretto with a flow → HTTP": served_before_http,
    "HTTP → stretto → stdio": _listening(*FIXTURE),
    "HTTP → stretto with a flow → stdio": _served_before_stdio,
    "HTTP → stretto → stdio → stretto → stdio": _listening(*_PROXY, "--", *FIXTURE),
    "HTTP → stretto → stdio → stretto → HTTP": _outbound,
}


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextmanager
def started(port: int, *command: str) -> Iterator[None]:
    """A process that listens at a port, for the length of the block."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while not _is_listening(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command} does not listen at {port}")
            time.sleep(_POLL_S)
        yield
    finally:
        process.terminate()
        process.wait()


def _is_listening(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
