"""What a server at a URL lists, in both of the protocol's eras."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from stretto.client import reached
from stretto.doctor.reach import reached_tools
from stretto.errors import StrettoError
from tests.doctor.servers import TOOLS

SESSION = "mcp-session-id"
STATELESS = "2026-07-28"


class Asked(BaseHTTPRequestHandler):
    """Answers as the server's `way` has it, and remembers the methods it was asked."""

    way: Callable[["Asked", Any], tuple[int, Any]]
    asked: list[str]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append(message["method"])
        if "id" not in message:
            self._say(202, b"")
            return
        status, outcome = type(self).way(self, message)
        whole = json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome}).encode()
        self._say(status, whole if outcome else b"")

    def do_GET(self) -> None:
        self._say(405, b"")

    def do_DELETE(self) -> None:
        self.asked.append("DELETE")
        self._say(200, b"")

    def _say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if self.asked[-1:] == ["initialize"] and status == 200:
            self.send_header(SESSION, "s-1")
        with suppress(OSError):  # the doctor has left
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(way: Callable[[Asked, Any], tuple[int, Any]]) -> Iterator[Any]:
    asked: list[str] = []
    handler = type("Handler", (Asked,), {"way": way, "asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads, server.block_on_close = True, False
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mcp", asked
        finally:
            server.shutdown()
            thread.join()


def error(code: int, why: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": why}}


def with_sessions(request: Asked, message: Any) -> tuple[int, Any]:
    if request.headers["authorization"] != "Bearer s3cret":
        return 401, {}
    if message["method"] == "initialize":
        return 200, {"result": {"protocolVersion": "2025-11-25"}}
    if request.headers[SESSION] != "s-1":
        return 400, error(-32600, "no session")
    if "cursor" not in message["params"]:
        return 200, {"result": {"tools": TOOLS[:1], "nextCursor": ""}}
    return 200, {"result": {"tools": TOOLS[1:]}}


def stateless(request: Asked, message: Any) -> tuple[int, Any]:
    meta = message["params"].get("_meta", {})
    if message["method"] == "initialize":
        return 400, error(-32022, "there is no initialize")
    said = (request.headers["mcp-protocol-version"], request.headers["mcp-method"])
    if said != (STATELESS, "tools/list"):
        return 400, error(-32020, "the headers say something else")
    if meta.get("io.modelcontextprotocol/protocolVersion") != STATELESS:
        return 400, error(-32602, "which revision?")
    return 200, {"result": {"resultType": "complete", "tools": TOOLS}}


def names(url: str, **headers: str) -> list[Any]:
    return [tool["name"] for tool in reached_tools(url, headers, patience_s=10)]


def test_a_server_with_sessions_is_greeted_and_its_session_ended():
    with serving(with_sessions) as (url, asked):
        assert names(url, Authorization="Bearer s3cret") == ["find", "get"]

    opening = ["initialize", "notifications/initialized"]
    assert asked == [*opening, "tools/list", "tools/list", "DELETE"]


def test_a_server_of_the_stateless_era_is_asked_with_the_headers_it_wants():
    with serving(stateless) as (url, asked):
        assert names(url) == ["find", "get"]

    assert asked == ["initialize", "tools/list"]


def test_a_server_that_lets_nobody_in_says_so():
    with (
        serving(with_sessions) as (url, _),
        pytest.raises(StrettoError, match=r"list its tools: .* HTTP 401"),
    ):
        names(url)


def test_a_server_that_is_not_there_is_not_waited_for():
    with serving(stateless) as (url, _):
        pass

    with pytest.raises(StrettoError, match="list its tools: the server does not ans"):
        names(url)


def test_a_server_at_a_url_that_says_nothing_is_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr(reached, "_GRACE_S", 0.1)
    answered = threading.Event()

    def silent(*_: Any) -> tuple[int, Any]:
        answered.wait(30)
        return 200, {}

    with (
        serving(silent) as (url, _),
        pytest.raises(StrettoError, match="did not answer `initialize`"),
    ):
        reached_tools(url, {}, patience_s=0.3)
    answered.set()


def test_what_is_no_url_is_refused_before_anything_is_asked():
    with pytest.raises(StrettoError, match="no address of a server"):
        names("shop.example/mcp")
