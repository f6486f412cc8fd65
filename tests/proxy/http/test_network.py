"""The relay between real connections."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
import uvicorn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stretto.proxy.http.access import Access, Address
from stretto.proxy.http.asgi import App, Receive, Request, Scope, Send, taken
from stretto.proxy.http.listen import bound
from stretto.proxy.http.relay import Relay
from stretto.proxy.http.upstream import Upstream

TYPES = st.sampled_from(["application/json", "text/event-stream", "text/plain"])


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Says again what it was sent, in two parts, and in a header what it was asked."""
    if scope["path"] == "/moved":
        place = [(b"location", b"/mcp")]
        await send({"type": "http.response.start", "status": 307, "headers": place})
        await send({"type": "http.response.body"})
        return
    request = await taken(scope, receive, 2**20)
    headers = [
        (b"content-type", request.header(b"content-type") or b"text/plain"),
        (b"x-asked", _told(request)),
    ]
    pairs = [(k, v if isinstance(v, bytes) else v.encode()) for k, v in headers]
    await send({"type": "http.response.start", "status": 201, "headers": pairs})
    half = len(request.body) // 2
    for part in (request.body[:half], request.body[half:]):
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body"})


def _told(request: Request) -> bytes:
    hidden = (b"host", b"accept-encoding", b"connection", b"user-agent")
    told = [pair for pair in sorted(request.headers) if pair[0] not in hidden]
    return repr((request.method, told)).encode()


class Loop:
    """An event loop in a thread, with servers in it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._servers: list[uvicorn.Server] = []
        self._serving: list[Any] = []
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def serve(self, app: App, at: socket.socket) -> None:
        config = uvicorn.Config(
            app, lifespan="off", ws="none", log_level="error", server_header=False
        )
        at.listen()
        self._servers.append(uvicorn.Server(config))
        serving = self._servers[-1].serve(sockets=[at])
        self._serving.append(asyncio.run_coroutine_threadsafe(serving, self._loop))

    def close(self) -> None:
        for server in self._servers:
            server.should_exit = True
        for serving in self._serving:
            serving.result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    """Where the server is, directly, behind the relay, and by a redirect behind it."""
    loop = Loop()
    here = Address("127.0.0.1", 0)
    sockets = {name: bound(here) for name in ("direct", "relayed", "moved")}
    ports = {name: at.getsockname()[1] for name, at in sockets.items()}
    upstreams = []
    loop.serve(echo, sockets["direct"])
    for name, path in {"relayed": "mcp", "moved": "moved"}.items():

        async def relay(name: str = name, path: str = path) -> Relay:
            upstreams.append(Upstream(f"http://127.0.0.1:{ports['direct']}/{path}"))
            return Relay(upstreams[-1], Access(ports[name]))

        loop.serve(loop.run(relay()), sockets[name])
    yield {name: f"http://127.0.0.1:{port}/mcp" for name, port in ports.items()}
    for upstream in upstreams:
        loop.run(upstream.__aexit__(None, None, None))
    loop.close()


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.binary(max_size=2_000), TYPES, st.sampled_from(["relayed", "moved"]))
def test_through_the_relay_a_server_says_what_it_says_directly(
    urls: dict[str, str], body: bytes, kind: str, path: str
) -> None:
    headers = {"content-type": kind, "mcp-session-id": "s", "last-event-id": "4"}
    with httpx2.Client() as client:
        direct, through = (
            client.post(urls[name], content=body, headers=headers)
            for name in ("direct", path)
        )

    assert through.content == direct.content == body
    assert through.status_code == direct.status_code == 201
    assert through.headers["x-asked"] == direct.headers["x-asked"]
    assert through.headers["content-type"] == direct.headers["content-type"]


def test_every_method_is_passed_on(urls: dict[str, str]) -> None:
    with httpx2.Client() as client:
        for method in ("GET", "DELETE", "OPTIONS"):
            direct, through = (
                client.request(method, urls[name], headers={"accept": "a"})
                for name in ("direct", "relayed")
            )

            assert through.headers["x-asked"] == direct.headers["x-asked"]
