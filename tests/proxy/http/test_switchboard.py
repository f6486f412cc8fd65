"""Each answer goes to whom it is for."""

import asyncio
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.proxy.http.message import Message
from stretto.proxy.http.switchboard import Stream, Switchboard

IDS = st.integers(0, 3) | st.sampled_from(["1", "a", 1.0, -1, "1#1"])


def request(id: object, token: object = None) -> Message:
    params = {} if token is None else {"_meta": {"progressToken": token}}
    message = {"jsonrpc": "2.0", "id": id, "method": "m", "params": params}
    return Message.of(json.dumps(message).encode())


def heard(stream: Stream) -> list[Any]:
    async def drain() -> list[Any]:
        found: list[Any] = []
        while True:
            try:
                message = await asyncio.wait_for(stream.next(), 0.01)
            except TimeoutError:
                return found
            found.append(None if message is None else json.loads(message))

    return asyncio.run(drain())


def board() -> Switchboard:
    return Switchboard(lambda _: None)


def told(switchboard: Switchboard, message: object) -> None:
    switchboard.hear(json.dumps(message).encode())


@settings(max_examples=40, deadline=None)
@given(st.lists(IDS, max_size=8), st.randoms())
def test_whatever_ids_clients_choose_each_gets_its_own_answer(
    ids: list[object], random: Any
) -> None:
    switchboard = board()
    streams = [Stream() for _ in ids]
    names = [
        json.loads(switchboard.request(stream, request(id)))["id"]
        for stream, id in zip(streams, ids, strict=True)
    ]
    answers = [*enumerate(names)]
    random.shuffle(answers)
    for nth, name in answers:
        told(switchboard, {"jsonrpc": "2.0", "id": name, "result": {"nth": nth}})

    assert len({json.dumps(name) for name in names}) == len(names)
    for nth, (stream, id) in enumerate(zip(streams, ids, strict=True)):
        answer, end = heard(stream)
        assert (answer["id"], answer["result"], end) == (id, {"nth": nth}, None)
        assert type(answer["id"]) is type(id)


def test_growing_numbers_stay_what_they_are() -> None:
    switchboard = board()
    ids = [0, 1, 5, 100]

    named = [switchboard.request(Stream(), request(id)) for id in ids]

    assert [json.loads(line)["id"] for line in named] == ids


def test_progress_comes_back_under_the_clients_token() -> None:
    switchboard, streams = board(), [Stream(), Stream()]
    lines = [switchboard.request(s, request(1, token="t")) for s in streams]
    tokens = [json.loads(line)["params"]["_meta"]["progressToken"] for line in lines]

    for token in tokens:
        told(switchboard, {"method": "p", "params": {"progressToken": token}})

    assert tokens[0] != tokens[1]
    for stream in streams:
        assert [m["params"]["progressToken"] for m in heard(stream)] == ["t"]


def test_what_a_subscription_tells_carries_the_clients_id() -> None:
    switchboard, stream = board(), Stream()
    key = "io.modelcontextprotocol/subscriptionId"
    switchboard.request(Stream(), request(4))
    name = json.loads(switchboard.request(stream, request(4)))["id"]

    told(switchboard, {"method": "n", "params": {"_meta": {key: name}}})
    told(switchboard, {"id": name, "result": {"_meta": {key: name}}})

    notice, answer, _ = heard(stream)
    assert notice["params"]["_meta"] == answer["result"]["_meta"] == {key: 4}


def test_an_answer_to_what_was_left_goes_nowhere() -> None:
    switchboard, left, next_ = board(), Stream(), Stream()
    name = json.loads(switchboard.request(left, request(1)))["id"]

    assert switchboard.leave(left) == [json.dumps(name).encode()]
    switchboard.request(next_, request(1))
    told(switchboard, {"id": name, "result": "late"})

    assert heard(left) == heard(next_) == []


def test_everyone_who_waits_hears_of_the_end() -> None:
    switchboard, stream = board(), Stream()
    for id in ("a", 2):
        switchboard.request(stream, request(id))

    switchboard.close("over")

    *answers, end = heard(stream)
    assert [(a["id"], a["error"]["message"]) for a in answers] == [
        ("a", "over"),
        (2, "over"),
    ]
    assert end is None


def test_a_servers_batch_is_taken_apart() -> None:
    switchboard, streams = board(), [Stream(), Stream()]
    for id, stream in enumerate(streams):
        switchboard.request(stream, request(id))

    told(switchboard, [{"id": 1, "result": {}}, {"id": 0, "result": {}}])

    assert [[m and m["id"] for m in heard(s)] for s in streams] == [
        [0, None],
        [1, None],
    ]


def test_1_and_the_text_1_are_two_requests() -> None:
    switchboard, streams = board(), [Stream(), Stream()]
    for id, stream in zip((1, "1"), streams, strict=True):
        switchboard.request(stream, request(id))

    assert switchboard.name(b"1") == b"1"
    assert switchboard.name(b'"1"') not in (b"1", b'"1"', None)
    assert switchboard.name(b"2") is None


def test_what_is_no_message_is_noted_once(capfd: Any) -> None:
    switchboard = board()
    for line in (b"Hello!", b"", b"{}", b'{"id":9,"result":1}'):
        switchboard.hear(line)

    assert capfd.readouterr().err.count("no message") == 1
