"""The published sessions, led through the engine again, are decided on as published."""

import json

import pytest

from stretto.flow.deciders.reach import decider
from stretto.flow.wire import read_flow
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Serving
from tests.conftest import shared
from tests.proxy.engine.desk import Desk

FLOW = "reference/flows/shop.flow.json"
SERVED = "reference/logs/served/20260928T020401.117Z-14662"
SHADOW = "reference/logs/shadow/20260928T020401.240Z-14750"


def led_again(name: str, **settings) -> tuple[Desk, list[dict]]:
    """A session as its log has it, the server answering lookups as it did then."""
    flow = read_flow(shared(FLOW))
    entries = lines(f"{name}.jsonl")[1:]
    said = [(e["t_ms"], e["from"], e["message"]) for e in entries]
    asked = {m["id"]: m["params"] for _, s, m in said if s == "proxy" and "params" in m}
    answers = {m["id"]: m for _, s, m in said if s == "server" and m["id"] in asked}

    def serves(request: dict) -> dict:
        [id_] = [id_ for id_, params in asked.items() if params == request["params"]]
        return {**answers[id_], "id": request["id"]}

    engine = Engine(flow, decider(flow), Serving("tst", **settings))
    desk = Desk(engine, serves)
    for t_ms, sender, message in said:
        desk.now = 100 + t_ms / 1000
        match sender:
            case "client":
                desk.host_says(message)
            case "server" if message["id"] not in asked:
                desk.server_says(message)
            case "context":
                desk.context_says(message["role"], message["content"])
    return desk, said


def lines(name: str) -> list[dict]:
    """A file's lines."""
    return [json.loads(text) for text in shared(name).read_text().splitlines()]


def in_our_words(line: dict) -> dict:
    """A published line with the one sentence in it that is not given by the format."""
    if line.get("reason") == "no lookups followed here in training":
        return {**line, "reason": "training saw no lookup at this site"}
    return line


@pytest.mark.parametrize(("name", "shadow"), [(SERVED, False), (SHADOW, True)])
def test_a_session_is_decided_on_as_published(name: str, shadow: bool):
    published = [*map(in_our_words, lines(f"{name}.flow.jsonl"))]

    desk, _ = led_again(name, shadow=shadow)

    assert [*map(json.dumps, desk.decisions)] == [*map(json.dumps, published)]
    assert desk.notes == []


def test_the_served_session_has_the_lookups_added_where_they_were():
    desk, said = led_again(SERVED)
    [published] = [m for _, s, m in said if s == "proxy" and m["id"] == 3]

    [answer] = [m for m in map(json.loads, desk.host) if m["id"] == 3]

    ours, theirs = answer["result"]["content"][1], published["result"]["content"][1]
    assert ours["text"].split("\n\n")[1:] == theirs["text"].split("\n\n")[1:]
    assert answer["result"]["content"][0] == published["result"]["content"][0]


def test_a_session_in_shadow_reaches_the_host_as_the_server_sent_it():
    desk, said = led_again(SHADOW, shadow=True)

    assert [json.loads(text) for text in desk.host] == [
        message for _, sender, message in said if sender == "server"
    ]
    assert len(desk.server) == sum(sender == "client" for _, sender, _ in said)
