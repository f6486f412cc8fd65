"""
An MCP client with a proxy's engine between itself and the server, all in one process.

Its clock is simulated, as a recording's is, and the log is what the engine records.
"""

import json
import random
from collections.abc import Mapping
from heapq import heappop, heappush
from typing import NamedTuple, TextIO

from stretto.canonical import Json
from stretto.demo.acts import Call
from stretto.demo.wire import SERVING_MS
from stretto.proxy.actions import Action, Forward, Log, Record, Send, Side
from stretto.proxy.engine import Engine
from stretto.proxy.entry import as_message


class _Arrival(NamedTuple):
    """A line of the server's that is under way to the engine."""

    ms: int
    place: int
    """Among all lines of the server's, so that two at a time keep their order."""
    line: bytes


class Between:
    """
    One client's end of a connection that an engine looks something up on.

    Nothing wakes the engine: no lookup of the shop's takes a tenth of the time that an
    engine has patience for.

    Args:
        reads: Where the server's lines come from.
        writes: Where the lines for the server go.
        rng: Draws how long things take.
    """

    def __init__(
        self, engine: Engine, reads: TextIO, writes: TextIO, rng: random.Random
    ) -> None:
        self._engine, self._rng = engine, rng
        self._reads, self._writes = reads, writes
        self._now = 0
        self._asked = self._answered = 0
        self._due: list[_Arrival] = []
        self._arrived: dict[int, dict[str, Json]] = {}
        self.entries: list[str] = []
        """The session log's lines so far, without the header."""
        self.decisions: list[str] = []
        """The lines of the log of the flow's decisions."""
        self.lookups: list[Call] = []
        """The calls that the engine made."""

    def wait(self, span: tuple[int, int]) -> None:
        """Let between `span[0]` and `span[1]` milliseconds pass."""
        self._now += self._rng.randint(*span)

    def said(self, role: str, text: str) -> None:
        """Tell the engine a line of the conversation."""
        line = _line({"role": role, "content": text})
        self._do(self._engine.context_line(line, self._seconds))

    def notify(self, method: str) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method})

    def ask(self, method: str, *params: Mapping[str, Json]) -> list[dict[str, Json]]:
        """
        The responses to requests sent side by side, in the requests' order.

        Raises:
            ConnectionError: the server closed its end.
        """
        numbers = range(self._asked + 1, self._asked + len(params) + 1)
        self._asked += len(params)
        for number, given in zip(numbers, params, strict=True):
            request: dict[str, Json] = {"jsonrpc": "2.0", "id": number}
            self._send({**request, "method": method, "params": {**given}})
        while not self._arrived.keys() >= {*numbers}:
            self._now, _, line = heappop(self._due)
            self._do(self._engine.server_line(line, self._seconds))
        return [self._arrived.pop(number) for number in numbers]

    @property
    def _seconds(self) -> float:
        return self._now / 1_000

    def _send(self, message: Mapping[str, Json]) -> None:
        self._do(self._engine.host_line(_line(message), self._seconds))

    def _do(self, actions: list[Action]) -> None:
        """Do what the engine wants done, in order."""
        for action in actions:
            match action:
                case Record(sender, line):
                    entry = as_message(self._now, sender, line.rstrip(b"\n"))
                    self.entries.append(entry.decode().rstrip("\n"))
                case Log(line):
                    self.decisions.append(line.decode().rstrip("\n"))
                case Forward(Side.SERVER, line):
                    self._give(json.loads(line), line)
                case Send(Side.SERVER, line):
                    message = json.loads(line)
                    if message["method"] == "tools/call":
                        made = message["params"]
                        self.lookups.append(Call(made["name"], made["arguments"]))
                    self._give(message, line)
                case Forward(Side.HOST, line) | Send(Side.HOST, line):
                    response = json.loads(line)
                    self._arrived[response["id"]] = response

    def _give(self, message: Mapping[str, Json], line: bytes) -> None:
        """Give the server a line; what it answers to a request is then under way."""
        self._writes.write(line.decode())
        self._writes.flush()
        if "id" not in message:
            return
        answer = self._reads.readline()
        if not answer:
            raise ConnectionError("the demo server closed its end")
        self._answered += 1
        due = self._now + self._rng.randint(*SERVING_MS)
        heappush(self._due, _Arrival(due, self._answered, answer.encode()))


def _line(message: Mapping[str, Json]) -> bytes:
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return f"{text}\n".encode()
