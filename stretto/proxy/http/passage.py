"""
What stands between a client and a server for the length of one HTTP request.

It hears the request, what comes back, and how that ends; it may send something else
on, or answer by itself. Without one, everything passes as it is.
"""

from collections.abc import Callable, Coroutine
from enum import Enum, auto
from typing import Any, NamedTuple, Protocol, TypeAlias

from stretto.proxy.http.asgi import Request
from stretto.proxy.http.headers import Headers


class Reply(NamedTuple):
    """What answers a request in the server's place."""

    said: Coroutine[Any, Any, bytes]
    """Gives the message, once there is one; an empty one if there will be none."""


class Outcome(Enum):
    """How a request ended."""

    DONE = auto()
    """All that the server had to say has been passed on."""
    LEFT = auto()
    """The client did not wait for it."""
    BROKEN = auto()
    """The server cannot be reached, or stopped in the middle."""


class Passage(Protocol):
    """One request on its way, and what comes back."""

    async def asked(self, body: bytes) -> bytes | Reply:
        """What the server gets for a body, or what the client gets without it."""

    async def began(self, status: int, headers: Headers) -> None:
        """Hear with what the server begins its answer."""

    async def said(self, message: bytes) -> bytes | None:
        """What the client gets for a message of the server's; None for nothing."""

    async def ended(self, outcome: Outcome) -> None:
        """Hear that it is over."""


Opens: TypeAlias = Callable[[Request], Passage]
"""Made once for each request."""
