"""A server of the tests' own, a sender without one, and time that passes when told."""

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from stretto.oracle.http.attempt import NoReply, Reply
from stretto.oracle.http.patience import Clock
from stretto.oracle.http.secret import Secret


@dataclass
class Time:
    """Passes while something sleeps, and not otherwise."""

    at: float = 100.0
    slept: list[float] = field(default_factory=list)
    luck: float = 0.0

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.at, self.sleep, lambda: 1e9, lambda: self.luck)


@dataclass
class Scripted:
    """A sender that gives its replies in order; the last one for ever."""

    replies: Sequence[Reply | NoReply | Callable[[], Reply]]
    sent: list[tuple[bytes, Secret | None, float]] = field(default_factory=list)

    def post(self, body: bytes, key: Secret | None, timeout_s: float) -> Reply:
        self.sent.append((body, key, timeout_s))
        reply = self.replies[min(len(self.sent), len(self.replies)) - 1]
        if isinstance(reply, NoReply):
            raise reply
        return reply if isinstance(reply, Reply) else reply()


@dataclass
class Heard:
    """One request as a server heard it."""

    path: str
    headers: Mapping[str, str]
    body: bytes


Answering = Callable[[Heard, BaseHTTPRequestHandler], None]
"""Replies to one request."""


@dataclass
class Server:
    """A server that listens on this machine."""

    url: str
    heard: list[Heard]


@contextmanager
def listening(answer: Answering, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A server that replies as `answer` does, behind TLS where that is given."""
    heard: list[Heard] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            one = Heard(self.path, dict(self.headers), self.rfile.read(length))
            heard.append(one)
            answer(one, self)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        scheme = "http" if tls is None else "https"
        yield Server(f"{scheme}://127.0.0.1:{server.server_port}", heard)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def reply(
    handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str
) -> None:
    """A whole reply."""
    handler.send_response(status)
    for name, value in {**headers, "content-length": str(len(body))}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)
