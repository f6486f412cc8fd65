"""A session of any length for the proxy's engine, without a process or a pipe."""

import json
from time import perf_counter

from stretto.flow.deciders.decider import decider
from stretto.flow.flow import Flow
from stretto.proxy.actions import Action, Send, Side
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Serving

PADDING = "x" * 400
"""Makes each result about as long as a record is."""


class Session:
    """A session of any length: customers found, and their orders cancelled."""

    def __init__(self, flow: Flow, by: str, pause_s: float = 2.0) -> None:
        serving = Serving("tst", per_session=10**9)
        self.engine = Engine(flow, decider(flow, by), serving)
        self.now, self.n_calls, self.pause_s = 0.0, 0, pause_s

    def found(self) -> bytes:
        """The agent looks for a customer; what the server says to that."""
        n = self.n_calls
        return self._call("find_user_id_by_email", {"email": f"c{n}@b.c"}, f"user_{n}")

    def cancelled(self) -> bytes:
        """The agent cancels an order; what the server says to that."""
        given = {"order_id": f"#W{self.n_calls}", "reason": "no longer needed"}
        return self._call("cancel_pending_order", given, json.dumps(given))

    def hear(self, line: bytes) -> list[Action]:
        """The server says it."""
        return self.engine.server_line(line, self.now)

    def settle(self, actions: list[Action]) -> None:
        """The server answers all lookups, until nothing is held any more."""
        for action in actions:
            if isinstance(action, Send) and action.to is Side.SERVER:
                request = json.loads(action.line)
                name = next(iter(request["params"]["arguments"].values()))
                record = {"user_id": name, "orders": [f"#W{name}"], "notes": PADDING}
                self.settle(self.hear(_result(request["id"], json.dumps(record))))

    def go_on(self, n_calls: int) -> None:
        """Let the session come to that many calls."""
        while self.n_calls < n_calls:
            self.settle(self.hear(self.found()))
            self.settle(self.hear(self.cancelled()))

    def said(self) -> None:
        """The customer speaks of orders and customers that were read before."""
        n = self.n_calls
        text = f"What about order #W{n - 3} and user_{n - 7}, please?"
        line = json.dumps({"role": "user", "content": text}).encode() + b"\n"
        self.settle(self.engine.context_line(line, self.now))

    def took(self, line: bytes) -> float:
        """How many seconds the engine takes over what the server says."""
        began = perf_counter()
        actions = self.hear(line)
        seconds = perf_counter() - began
        self.settle(actions)
        return seconds

    def _call(self, tool: str, arguments: dict[str, str], text: str) -> bytes:
        self.now += self.pause_s
        self.n_calls += 1
        params = {"name": tool, "arguments": arguments}
        request = {"id": self.n_calls, "method": "tools/call", "params": params}
        line = json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n"
        self.engine.host_line(line, self.now)
        self.now += 0.05
        return _result(self.n_calls, text)


def _result(id_: object, text: str) -> bytes:
    said = {"content": [{"type": "text", "text": text}], "isError": False}
    return json.dumps({"jsonrpc": "2.0", "id": id_, "result": said}).encode() + b"\n"
