"""An address listened at, until the process is told to end."""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from stretto.errors import StrettoError
from stretto.proxy.http.accepted import Accepted
from stretto.proxy.http.access import Address
from stretto.proxy.http.asgi import App
from stretto.proxy.http.relay import PATHS
from stretto.proxy.notes import note

GRACE_S = 10.0
"""How long requests may take to be answered once the end has come."""

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_BACKLOG = 1024
_IDLE_CONNECTION_S = 75


def bound(where: Address) -> socket.socket:
    """
    A socket at that address.

    Raises:
        StrettoError: it cannot be had.
    """
    family = socket.AF_INET6 if ":" in where.host else socket.AF_INET
    # Only where the protocol is named is what is written sent without a delay.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((where.host, where.port))
    except OSError as cause:
        listening.close()
        raise StrettoError(
            f"cannot listen at {where.spelled}: {cause.strerror}",
            hint="port 0 takes any that is free",
        ) from cause
    return listening


async def listen(
    app: App, at: socket.socket, *, on_end: Callable[[], None], grace_s: float = GRACE_S
) -> None:
    """
    Serve an application until the first signal that ends processes.

    The URL is printed on standard output as soon as requests are taken.

    Args:
        on_end: Called with the first signal, to end what would wait for ever. A second
            signal ends everything at once.
    """
    config = uvicorn.Config(
        app,
        interface="asgi3",
        loop="asyncio",
        http=Accepted,
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=_IDLE_CONNECTION_S,
        timeout_graceful_shutdown=int(grace_s),
    )
    server = _Server(config)
    loop = asyncio.get_running_loop()

    def end() -> None:
        server.force_exit = server.should_exit
        server.should_exit = True
        on_end()

    for number in _SIGNALS:
        loop.add_signal_handler(number, end)
    at.listen(_BACKLOG)
    _announce(Address(*at.getsockname()[:2]))
    try:
        await server.serve(sockets=[at])
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the proxy, whose exit status they decide."""
        yield


def _announce(where: Address) -> None:
    url = f"http://{where.spelled}{PATHS[0]}"
    print(url, flush=True)
    note(f"listening at {url}")
