"""
What answers HTTP requests: a server at a URL, or processes that the proxy runs.

Whatever stands in front treats both alike.
"""

from collections.abc import AsyncIterator
from typing import Protocol

from stretto.proxy.http.headers import Headers


class Unreachable(Exception):
    """A server that does not answer, or stops in the middle of it."""


class Answer(Protocol):
    """An answer that has begun."""

    @property
    def status(self) -> int:
        """Its status."""

    @property
    def headers(self) -> Headers:
        """Its headers."""

    def body(self) -> AsyncIterator[bytes]:
        """
        Its bytes as they come, once.

        Raises:
            Unreachable: no more of them will.
        """

    async def aclose(self) -> None:
        """Let go of it; whoever answers sees that nobody waits any more."""


class Answers(Protocol):
    """A server, as far as those who ask it see."""

    async def ask(self, method: str, headers: Headers, body: bytes) -> Answer:
        """
        What it answers, to be closed by whom it is given to.

        Raises:
            Unreachable: it does not answer.
        """
