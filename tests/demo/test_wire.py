"""The line client and its log."""

import io
import json
import random

import pytest

from stretto.demo.wire import SERVING_MS, THINKING_MS, Wire


class Echo(io.StringIO):
    """Answers each request with its own parameters, the last one first."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def write(self, line: str) -> int:
        if "id" in json.loads(line):
            self.asked.append(line)
        return len(line)

    def readline(self, *_: int) -> str:
        if not self.asked:
            return ""
        request = json.loads(self.asked.pop())
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": request["params"]}
        return json.dumps(answer) + "\n"


def wire() -> Wire:
    echo = Echo()
    return Wire(echo, echo, random.Random(0))


def entries(wire: Wire) -> list[dict]:
    return [json.loads(line) for line in wire.entries]


def test_responses_come_back_in_the_order_of_the_requests():
    responses = wire().ask("m", *({"n": n} for n in range(5)))
    assert [response["result"]["n"] for response in responses] == list(range(5))


def test_time_never_runs_backwards_in_the_log():
    client = wire()
    for _ in range(20):
        client.wait(THINKING_MS)
        client.ask("m", {}, {}, {})
        client.said("user", "so?")
    times = [entry["t_ms"] for entry in entries(client)]
    assert times == sorted(times)


def test_requests_made_together_are_all_sent_before_the_first_answer():
    client = wire()
    client.ask("m", {}, {}, {})
    log = entries(client)
    assert [entry["from"] for entry in log] == ["client"] * 3 + ["server"] * 3
    assert log[-1]["t_ms"] - log[0]["t_ms"] <= SERVING_MS[1]


def test_a_line_is_kept_as_it_was_written():
    client = wire()
    client.ask("m", {"text": 'naïve \u2028 "quoted"', "n": 1.0})
    sent, answered = client.entries
    assert sent.endswith(
        '"message":{"jsonrpc":"2.0","id":1,"method":"m",'
        '"params":{"text":"naïve \u2028 \\"quoted\\"","n":1.0}}}'
    )
    assert answered.endswith(', "n": 1.0}}}')


def test_a_server_that_hangs_up_is_no_end_of_input():
    client = Wire(io.StringIO(""), io.StringIO(), random.Random(0))
    with pytest.raises(ConnectionError, match="closed its end"):
        client.ask("m", {})
