"""The modes as processes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

from tests.conftest import ROOT
from tests.proxy.host import PATIENCE_S, PROXY, Host

TOLD = str(Path(__file__).parent.parent / "servers" / "told.py")
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}}


class Plain(BaseHTTPRequestHandler):
    """Answers every request with its method, in a session."""

    asked: list[str]

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = {"jsonrpc": "2.0", "id": said["id"], "result": said["method"]}
        self._answer(200, json.dumps(answer).encode())

    def do_DELETE(self) -> None:
        self._answer(200, b"")

    def _answer(self, status: int, body: bytes) -> None:
        self.server.asked.append(self.command)  # type: ignore[attr-defined]
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.send_header("mcp-session-id", "s")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def plain() -> Iterator[tuple[str, list[str]]]:
    """A server's URL, and the methods that it was asked with."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Plain)
    server.asked = []  # type: ignore[attr-defined]
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", server.asked  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


@contextmanager
def proxied(*arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    command = (sys.executable, "-m", "tests.conformance.proxied", *arguments)
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: "subprocess.Popen[bytes]") -> bytes:
    assert process.stdout is not None
    return process.stdout.readline()


def says(process: "subprocess.Popen[bytes]", message: object) -> Any:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    return json.loads(line(process))


def test_a_host_on_standard_input_speaks_to_a_server_at_a_url() -> None:
    with plain() as (url, asked), proxied("upstream", url) as process:
        assert says(process, INITIALIZE)["result"] == "initialize"
        assert says(process, CALL)["result"] == "tools/call"
        process.communicate(timeout=10)

        assert process.returncode == 0
        assert asked == ["POST", "POST", "DELETE"]


def test_a_signal_ends_the_host_side_with_its_number() -> None:
    with plain() as (url, _), proxied("upstream", url) as process:
        says(process, INITIALIZE)
        process.send_signal(signal.SIGTERM)

        assert process.wait(10) == 128 + signal.SIGTERM


def _listens(process: "subprocess.Popen[bytes]") -> str:
    return line(process).decode().strip()


def test_a_listener_says_where_it_is_and_leaves_no_process_behind() -> None:
    with proxied("listen", "0", "--", sys.executable, TOLD) as process:
        url = _listens(process)
        opened = httpx2.post(url, json=INITIALIZE)
        pid = opened.json()["result"]["pid"]
        os.kill(pid, 0)
        process.send_signal(signal.SIGTERM)

        assert process.wait(10) == 0
    assert not _is_there(pid)


def test_what_a_relay_passes_is_in_a_log_with_the_address(tmp_path: Path) -> None:
    logs = str(tmp_path)
    with plain() as (url, _):
        secret = url.replace("127.0.0.1", "user:pass@127.0.0.1") + "?api_key=k"
        with proxied("--record", logs, "relay", "0", secret) as process:
            httpx2.post(_listens(process), json=INITIALIZE)
            process.send_signal(signal.SIGINT)

            assert process.wait(10) == 0
    (log,) = tmp_path.iterdir()
    header, *entries = map(json.loads, log.read_text().splitlines())
    assert header["server_command"] == [url + "?api_key=<redacted>"]
    assert [entry["message"]["id"] for entry in entries] == [0, 0]


def test_a_session_ends_when_it_is_idle_and_nobody_asks_for_anything() -> None:
    command = (*PROXY, "--listen", "0", "--listen-idle", "0.002")
    with Host([*command, "--", sys.executable, TOLD]) as listener:
        url = listener.line().decode().strip()
        pid = httpx2.post(url, json=INITIALIZE).json()["result"]["pid"]
        deadline = time.monotonic() + PATIENCE_S
        while _is_there(pid):
            assert time.monotonic() < deadline
            time.sleep(0.02)


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
