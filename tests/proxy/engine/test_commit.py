"""`stretto_commit`: changes made one after the other, and what became of each."""

import json

import pytest

from stretto.proxy.commit import ADVICE, NAME, TOOL
from stretto.proxy.requests import OwnCalls
from stretto.traces.reader import read
from tests.proxy.engine.desk import Desk, line
from tests.proxy.engine.shop import (
    asked,
    call,
    cancelled,
    desk,
    error,
    listing,
    lists,
    lookups,
    result,
    silent,
    texts,
    tool,
)

CHANGES = [
    {"name": "cancel", "arguments": {"id": "W1"}},
    {"name": "cancel", "arguments": {"id": "W2"}},
    {"name": "close"},
]


def commit(id: object = 1, calls: object = None) -> dict:
    """A call of the tool."""
    return call(id, NAME, calls=CHANGES if calls is None else calls)


def committing(**settings: object) -> Desk:
    """A desk whose server has not yet answered the first of three changes."""
    at = desk(serves=silent, commit=True, **settings)
    at.host_says(commit())
    return at


def outcome(at: Desk) -> tuple[bool, list[str]]:
    """Whether the commit failed, and its blocks."""
    [text] = texts(at.host[-1])
    return json.loads(at.host[-1])["result"]["isError"], text.split("\n\n")


def test_changes_are_made_in_order_each_after_the_one_before():
    at = committing()
    assert len(at.server) == 1
    for n in (1, 2, 3):
        assert len(asked(at)) == n
        at.server_says(result(asked(at)[-1]["id"], f"done {n}"))

    assert lookups(at) == [
        ("cancel", {"id": "W1"}),
        ("cancel", {"id": "W2"}),
        ("close", {}),
    ]
    assert outcome(at) == (
        False,
        [
            'cancel {"id":"W1"}:\ndone 1',
            'cancel {"id":"W2"}:\ndone 2',
            "close {}:\ndone 3",
        ],
    )
    assert json.loads(at.host[-1])["id"] == 1


@pytest.mark.parametrize(
    ("said", "block"),
    [
        ({"content": [{"type": "text", "text": "too late"}], "isError": True},
         "too late"),
        ({"resultType": "input_required", "inputRequests": {}},
         "it did not answer with a result; call it by itself"),
    ],
)  # fmt: skip
def test_the_first_change_that_fails_is_the_last_one_tried(said: dict, block: str):
    at = committing()
    at.server_says(result(asked(at)[-1]["id"], "done"))
    at.server_says({"jsonrpc": "2.0", "id": asked(at)[-1]["id"], "result": said})

    assert len(asked(at)) == 2
    assert outcome(at) == (
        True,
        [
            'cancel {"id":"W1"}:\ndone',
            f'cancel {{"id":"W2"}} (error):\n{block}',
            "close {} was not tried",
        ],
    )


def test_a_change_refused_by_the_protocol_is_told_with_its_message():
    at = committing()
    at.server_says(error(asked(at)[-1]["id"], "no such tool"))

    assert outcome(at)[1][0] == 'cancel {"id":"W1"} (error):\nno such tool'


@pytest.mark.parametrize(
    "calls",
    [
        [],
        {},
        "cancel",
        [1],
        [{"arguments": {}}],
        [{"name": NAME, "arguments": {}}],
        [{"name": "cancel", "arguments": [1]}],
        [{"name": "cancel", "arguments": {"id": "W1"}}, {"name": 7}],
    ],
)
def test_what_is_no_list_of_changes_is_refused_and_nothing_is_done(calls: object):
    at = desk(commit=True)
    at.host_says(commit(1, calls))

    failed, [text] = outcome(at)
    assert failed
    assert text.startswith("Nothing was done: ")
    assert at.server == []


def test_at_the_servers_end_the_change_under_way_was_never_answered():
    at = committing()
    at.server_says(result(asked(at)[-1]["id"], "done"))

    at.do(at.engine.closed(at.now))

    assert outcome(at) == (
        True,
        [
            'cancel {"id":"W1"}:\ndone',
            'cancel {"id":"W2"} was never answered; whether it was made is not known',
            "close {} was not tried",
        ],
    )
    at.server_says(result(asked(at)[-1]["id"], "late"))
    assert len(at.host) == 1


def test_a_cancelled_commit_begins_no_other_change_and_is_not_answered():
    at = committing()
    [first] = asked(at)
    at.host_says(cancelled(1))

    at.server_says(result(first["id"], "done"))

    assert at.host == []
    withdrawn = asked(at)[-1]
    assert withdrawn["params"]["requestId"] == first["id"]
    assert len(lookups(at)) == 1


def test_a_commit_on_a_stream_that_the_host_closed_begins_no_other_change():
    at = desk(serves=silent, commit=True)
    at.host_says(commit(), "a")
    at.do(at.engine.closed_stream("a", at.now))

    assert asked(at)[-1]["method"] == "notifications/cancelled"
    assert at.host == []


def test_a_commit_and_a_flow_may_wait_at_the_same_time():
    at = committing()
    at.host_says(call(2))
    at.server_says(result(2))
    change, lookup = asked(at)
    assert lookup["params"]["name"] == "get"

    at.server_says(error(change["id"], "no"))
    at.server_says(error(lookup["id"], "no"))

    assert [json.loads(said)["id"] for said in at.host] == [1, 2]


def test_changes_are_made_in_the_era_of_the_commit():
    at = desk(serves=silent, commit=True)
    request = commit()
    about = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    request["params"]["_meta"] = about
    at.host_says(request)
    assert asked(at)[0]["params"]["_meta"] == about

    at.server_says(error(asked(at)[0]["id"]))

    assert json.loads(at.host[0])["result"]["resultType"] == "complete"


def test_a_change_whose_id_the_host_takes_was_never_answered():
    at = committing()
    id_ = asked(at)[0]["id"]
    at.host_says({"jsonrpc": "2.0", "id": id_, "method": "ping"})
    at.server_says(result(id_, "pong"))

    assert len(at.host) == 2
    assert at.host[1] == line(result(id_, "pong"))


def test_a_commit_during_which_the_proxy_breaks_is_answered_all_the_same(monkeypatch):
    at = committing()

    def breaks(*_: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(OwnCalls, "call", breaks)
    at.server_says(result(asked(at)[-1]["id"], "done"))

    failed, blocks = outcome(at)
    assert failed
    assert blocks[0] == 'cancel {"id":"W1"}:\ndone'
    assert "whether it was made is not known" in blocks[1]
    assert len(at.host) == 1


def test_the_tool_is_the_last_of_the_lists_last_page():
    at = desk(commit=True)
    lists(at, 8, tool("find"), cursor="2")
    page = {"jsonrpc": "2.0", "id": 9, "method": "tools/list"}
    at.host_says(page | {"params": {"cursor": "2"}})
    at.server_says(listing(9, tool("get"), ttlMs=1))

    first, last = (json.loads(said)["result"] for said in at.host)
    assert [t["name"] for t in first["tools"]] == ["find"]
    assert [t["name"] for t in last["tools"]] == ["get", NAME]
    assert last["tools"][-1] == TOOL
    assert last["ttlMs"] == 1


def test_a_list_that_is_none_is_left_alone():
    at = desk(commit=True)
    at.host_says({"jsonrpc": "2.0", "id": 9, "method": "tools/list"})
    said = {"jsonrpc": "2.0", "id": 9, "result": {"tools": {"find": {}}}}
    at.server_says(said)

    assert at.host == [line(said)]


def test_a_server_with_a_tool_of_that_name_keeps_it():
    at = desk(commit=True)
    lists(at, 9, tool(NAME, False))
    at.host_says(commit())

    assert at.server[-1] == line(commit())
    assert len(json.loads(at.host[0])["result"]["tools"]) == 1


@pytest.mark.parametrize("method", ["initialize", "server/discover"])
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"instructions": "Be kind. \n"}, f"Be kind.\n\n{ADVICE}"),
        ({"instructions": ""}, ADVICE),
        ({"instructions": None}, ADVICE),
        ({}, ADVICE),
    ],
)
def test_the_servers_instructions_end_in_the_advice(method, given, told):
    at = desk(commit=True)
    at.host_says({"jsonrpc": "2.0", "id": 0, "method": method, "params": {}})
    at.server_says({"jsonrpc": "2.0", "id": 0, "result": {"x": 1, **given}})

    assert json.loads(at.host[0])["result"] == {"x": 1, "instructions": told}


def test_a_failed_handshake_passes_as_it_is():
    at = desk(commit=True)
    at.host_says({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}})
    at.server_says(error(0))

    assert at.host == [line(error(0))]


def test_without_commits_the_tool_is_the_servers_affair():
    at = desk()
    at.host_says(commit())

    assert at.server == [line(commit())]


def test_a_commit_is_read_back_as_one_turn_with_its_changes(tmp_path):
    at = committing()
    for _ in range(3):
        at.server_says(result(asked(at)[-1]["id"], "done"))

    [episode] = read([at.log(tmp_path)])

    [turn] = episode.turns
    assert [c.tool for c in turn.calls] == [NAME, "cancel", "cancel", "close"]
    assert len(episode.results()) == 4
