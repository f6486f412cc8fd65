"""
An MCP client that speaks a line at a time and keeps every line as a session log does.

Its clock is simulated, so that a recording takes no longer than the server does and
comes out the same each time.
"""

import json
import random
from collections.abc import Mapping
from typing import TextIO

from stretto.canonical import Json

THINKING_MS = (900, 3_000)
"""How long a language model takes over one turn."""
SPEAKING_MS = (4_000, 30_000)
"""How long a customer takes to answer."""
SERVING_MS = (20, 180)
"""How long the server takes over one call."""


class Wire:
    """
    One client's end of a connection, and the log of what passed over it.

    Args:
        reads: Where the server's lines come from.
        writes: Where the client's lines go.
        rng: Draws how long things take.
    """

    def __init__(self, reads: TextIO, writes: TextIO, rng: random.Random) -> None:
        self._reads, self._writes, self._rng = reads, writes, rng
        self._now = 0
        self._sent = 0
        self.entries: list[str] = []
        """The log's lines so far, without the header."""

    def wait(self, span: tuple[int, int]) -> None:
        """Let between `span[0]` and `span[1]` milliseconds pass."""
        self._now += self._rng.randint(*span)

    def said(self, role: str, text: str) -> None:
        """Log a line of the conversation."""
        line = {"role": role, "content": text}
        self._keep("context", json.dumps(line, ensure_ascii=False))

    def notify(self, method: str) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method})

    def ask(self, method: str, *params: Mapping[str, Json]) -> list[dict[str, Json]]:
        """
        The responses to requests sent side by side, in the requests' order.

        They are logged in the order of their simulated arrival.

        Raises:
            ConnectionError: the server closed its end.
        """
        due: dict[int, int] = {}
        for given in params:
            self._sent += 1
            self._send(
                {
                    "jsonrpc": "2.0",
                    "id": self._sent,
                    "method": method,
                    "params": {**given},
                }
            )
            due[self._sent] = self._now + self._rng.randint(*SERVING_MS)
        lines = dict(self._receive() for _ in params)
        for number in sorted(due, key=lambda number: due[number]):
            self._now = max(self._now, due[number])
            self._keep("server", lines[number])
        return [json.loads(lines[number]) for number in due]

    def _receive(self) -> tuple[int, str]:
        line = self._reads.readline().rstrip("\n")
        if not line:
            raise ConnectionError("the demo server closed its end")
        return json.loads(line)["id"], line

    def _send(self, message: Mapping[str, Json]) -> None:
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        self._writes.write(f"{line}\n")
        self._writes.flush()
        self._keep("client", line)

    def _keep(self, sender: str, line: str) -> None:
        self.entries.append(
            f'{{"t_ms":{self._now},"from":"{sender}","message":{line}}}'
        )
