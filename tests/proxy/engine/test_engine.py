"""What the engine does with a session's lines, one case at a time."""

import json
from dataclasses import dataclass, replace

import pytest

from stretto.errors import CannotDecide
from stretto.flow.deciders.protocol import AsksNothing, Chances
from stretto.program.text import parse
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Serving
from stretto.traces.appended import HEADER
from stretto.traces.reader import read
from tests.claims import claim
from tests.proxy.engine.desk import Desk, line
from tests.proxy.engine.shop import (
    FLOW,
    answered,
    asked,
    call,
    cancelled,
    desk,
    error,
    learned,
    lists,
    lookups,
    order,
    result,
    silent,
    texts,
    tool,
)

GETS = [("get", {"id": name}) for name in ("W1", "W2", "W3")]


ORDERS_AND_MORE = {"orders": ["W1"], "more": "x" * 400}


def held(at: Desk, id: object = 1) -> Desk:
    """A desk at which a call's result is held."""
    at.host_says(call(id))
    at.server_says(result(id))
    assert at.host == []
    return at


@claim("live:appended")
def test_what_the_agent_would_have_read_next_is_added_to_its_result():
    at = desk()
    at.host_says(call(1))
    at.server_says(result(1))

    [answer] = at.host
    assert lookups(at) == GETS
    first, added = texts(answer)
    assert first == texts(line(result(1)))[0]
    assert added.split("\n\n") == [
        HEADER,
        'get {"id":"W1"}:\n{"id": "W1", "status": "sent"}',
        'get {"id":"W2"}:\n{"id": "W2", "status": "sent"}',
        'get {"id":"W3"}:\n{"id": "W3", "status": "sent"}',
    ]


def test_lookups_behind_one_call_are_made_one_after_the_other():
    at = held(desk(serves=silent))

    for n in (1, 2, 3):
        assert len(asked(at)) == n
        at.server_says(answered(asked(at)[-1]))

    assert len(at.host) == 1


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b" \n", b""])
def test_a_result_behind_which_nothing_is_looked_up_keeps_every_byte(end: bytes):
    said = b'{"id" :1.0,"result":{"b":1e2,"a":"\\u00e9\\/","a":[ ]},"jsonrpc":"2.0"}'
    at = desk()
    at.host_says(call(1.0, "cancel", id="W1"))

    at.server_says(said + end)

    assert at.host == [said + end]
    assert len(at.decisions) == 2


@pytest.mark.parametrize(
    "said",
    [
        result(1, "no such customer", isError=True),
        error(1),
        result(1, "", resultType="input_required", inputRequests={}),
        result(1, "", inputRequests={}, requestState="x"),
        result(1, "", resultType="task", taskId="t"),
        result(1, "", task={"taskId": "t"}),
        [result(1), result(2)],
        {"jsonrpc": "2.0", "id": 1, "result": None},
        {"jsonrpc": "2.0", "id": 1, "result": "text"},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1}},
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
    ],
)
def test_nothing_follows_what_is_not_one_calls_plain_success(said: object):
    at = desk()
    at.host_says(call(1))
    at.server_says(said)

    assert at.host == [line(said)]
    assert asked(at) == at.decisions == []


def test_a_call_that_is_to_run_as_a_task_is_left_alone():
    at = desk()
    request = call(1)
    request["params"]["task"] = {"ttl": 1000}
    at.host_says(request)
    at.server_says(result(1))

    assert at.host == [line(result(1))]


def test_a_failed_call_is_still_part_of_the_episode():
    at = desk()
    at.host_says(call(1))
    at.server_says(result(1, "no such customer", isError=True))
    at.host_says(call(2, "get", id="W9"))
    at.server_says(result(2, {"id": "W9", "status": "sent"}))

    [decision, _] = at.decisions
    assert decision["reason"] == "get: id: no value is left that was not passed"


def test_ids_one_and_the_text_one_are_two_calls():
    at = desk(serves=silent)
    at.host_says(call(1))
    at.host_says(call("1", "get", id="W7"))
    at.server_says(result("1", {"id": "W7"}))
    assert at.host == [line(result("1", {"id": "W7"}))]

    at.server_says(result(1))
    at.host_says(cancelled("1"))

    assert at.host == [line(result("1", {"id": "W7"}))]
    at.server_says(answered(asked(at)[-1]))
    at.wait(9)
    assert json.loads(at.host[-1])["id"] == 1


def test_the_same_id_on_two_streams_is_two_calls():
    at = desk(serves=silent)
    at.host_says(call(1), "a")
    at.host_says(call(1, "cancel", id="W1"), "b")
    at.server_says(result(1, "ok"), "b")
    at.server_says(result(1), "a")
    assert at.host == [line(result(1, "ok"))]

    at.do(at.engine.closed_stream("b", at.now))
    assert len(asked(at)) == 1
    at.wait(9)

    assert at.host[1:] == [line(result(1))]


def test_a_stream_the_host_has_closed_is_given_nothing_more():
    at = desk(serves=silent)
    at.host_says(call(1), "a")
    at.server_says(result(1), "a")

    at.do(at.engine.closed_stream("a", at.now))
    at.wait(9)

    assert at.host == []
    assert asked(at)[-1]["method"] == "notifications/cancelled"


def test_a_host_that_uses_a_held_calls_id_again_is_given_that_result_first():
    at = held(desk(serves=silent))
    [lookup] = asked(at)

    at.host_says(call(1, "cancel", id="W1"))
    assert at.host == [line(result(1))]
    at.server_says(result(1, "ok"))
    at.server_says(answered(lookup))

    assert at.host == [line(result(1)), line(result(1, "ok"))]


def test_two_results_are_held_independently_of_each_other():
    at = desk(serves=silent)
    at.host_says(call(1))
    at.host_says(call(2, "find", email="z@b.c"))
    at.server_says(result(1, {"orders": ["W1"]}))
    at.server_says(result(2, {"orders": ["W8"]}))
    first, second = asked(at)
    assert lookups(at) == [("get", {"id": "W1"}), ("get", {"id": "W8"})]

    at.server_says(answered(second))
    at.server_says(answered(first))

    assert [json.loads(said)["id"] for said in at.host] == [2, 1]
    assert all(HEADER in texts(said)[1] for said in at.host)


def test_after_the_first_of_two_parallel_reads_the_second_is_not_repeated():
    at = desk()
    at.host_says(call(1))
    at.host_says(call(2, "get", id="W1"))
    at.server_says(result(1))

    assert lookups(at) == GETS[1:]


def test_notifications_and_progress_pass_while_a_result_is_held():
    at = held(desk(serves=silent))
    progress = {"method": "notifications/progress", "params": {"progressToken": 7}}

    at.server_says(progress)
    at.server_says(b"a banner\n")
    assert at.host == [line(progress), b"a banner\n"]
    at.wait(9)

    assert at.host[2:] == [line(result(1))]


def test_a_cancelled_call_gets_nothing_more_and_its_lookup_is_cancelled_too():
    at = held(desk(serves=silent))
    [lookup] = asked(at)

    at.host_says(cancelled(1))
    at.server_says(answered(lookup))
    at.wait(60)

    assert at.host == []
    assert at.server[-1] == line(cancelled(1))
    withdrawn = asked(at)[-1]
    assert withdrawn["method"] == "notifications/cancelled"
    assert withdrawn["params"]["requestId"] == lookup["id"]


def test_a_call_cancelled_before_it_was_answered_is_not_followed_up():
    at = desk()
    at.host_says(call(1))
    at.host_says(cancelled(1))
    at.server_says(result(1))

    assert at.host == [line(result(1))]
    assert at.decisions == asked(at) == []


def test_a_lookup_that_takes_too_long_is_cancelled_and_its_answer_swallowed():
    at = held(desk(serves=silent, patience_s=2.0))
    [lookup] = asked(at)

    at.wait(1.9)
    assert at.host == []
    at.wait(0.2)

    assert at.host == [line(result(1))]
    assert asked(at)[-1]["params"]["requestId"] == lookup["id"]
    at.server_says(answered(lookup))
    at.server_says(error(lookup["id"]))
    assert len(at.host) == 2  # to a second answer, it is nobody's any more
    assert len(at.decisions) == 1


def test_when_the_budget_is_spent_the_host_gets_what_was_looked_up_by_then():
    at = held(desk(serves=silent, hold_s=2.0, patience_s=1.5))

    at.wait(1.2)
    at.server_says(answered(asked(at)[-1]))
    at.wait(0.7)
    assert at.host == []
    at.wait(0.2)

    [answer] = at.host
    assert texts(answer)[1].count("get {") == 1
    assert [d for d in at.decisions if "run" in d] == []


def test_at_the_servers_end_the_host_gets_its_result_and_nothing_is_held_again():
    at = held(desk(serves=silent))
    at.host_says(call(2))

    at.do(at.engine.closed(at.now))
    at.server_says(result(2))

    assert at.host == [line(result(1)), line(result(2))]
    assert len(asked(at)) == 1


def test_a_lookups_second_answer_is_not_the_next_lookups():
    at = held(desk(serves=silent))
    [first] = asked(at)
    at.server_says(answered(first))

    at.server_says(result(first["id"], "again"))

    assert at.host == [line(result(first["id"], "again"))]
    assert len(asked(at)) == 2


@pytest.mark.parametrize(
    "said",
    [
        {"resultType": "input_required", "inputRequests": {}},
        {"task": {"taskId": "t"}},
        "text",
        None,
    ],
)
def test_a_lookup_that_does_not_answer_with_a_result_ends_the_run(said: object):
    at = held(desk(serves=silent))
    [lookup] = asked(at)

    at.server_says({"jsonrpc": "2.0", "id": lookup["id"], "result": said})

    assert at.host == [line(result(1))]
    assert at.notes == ["get did not answer a lookup with a result"]


def test_a_failed_lookup_is_added_as_one():
    at = held(desk(serves=silent))
    at.server_says(error(asked(at)[-1]["id"], "the desk is closed"))
    at.wait(9)

    [answer] = at.host
    assert texts(answer)[1].endswith('get {"id":"W1"} (error):\nthe desk is closed')


@pytest.mark.parametrize("method", ["elicitation/create", "sampling/createMessage"])
def test_a_lookup_on_which_the_host_is_asked_something_is_abandoned(method: str):
    at = held(desk(serves=silent))
    question = {"jsonrpc": "2.0", "id": 5, "method": method, "params": {}}

    at.server_says(question)

    assert at.host == [line(result(1)), line(question)]
    assert asked(at)[-1]["method"] == "notifications/cancelled"


def test_a_request_of_the_servers_while_nothing_is_held_just_passes():
    at = desk()
    question = {"jsonrpc": "2.0", "id": 5, "method": "roots/list"}
    at.server_says(question)
    at.host_says({"jsonrpc": "2.0", "id": 5, "result": {"roots": []}})

    assert at.host == [line(question)]
    assert len(at.server) == 1


def test_lookups_are_made_in_the_era_of_the_agents_call():
    at = desk(serves=silent)
    request = call(1)
    about = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    request["params"]["_meta"] = {"progressToken": 7, "traceparent": "x"} | about
    at.host_says(request)
    at.server_says(result(1, resultType="complete"))

    assert asked(at)[0]["params"]["_meta"] == about


def test_a_lookup_of_a_call_without_meta_has_none():
    at = held(desk(serves=silent))

    assert at.server[-1] == (
        b'{"id":"stretto-tst-1","jsonrpc":"2.0","method":"tools/call",'
        b'"params":{"arguments":{"id":"W1"},"name":"get"}}\n'
    )


def test_an_id_the_host_is_using_is_passed_over():
    at = desk(serves=silent)
    at.host_says({"jsonrpc": "2.0", "id": "stretto-tst-1", "method": "ping"})
    held(at)

    assert asked(at)[-1]["id"] == "stretto-tst-2"
    at.server_says(result("stretto-tst-1", "pong"))
    assert at.host == [line(result("stretto-tst-1", "pong"))]


def test_an_id_that_the_host_takes_from_a_lookup_is_the_hosts():
    at = held(desk(serves=silent))
    [lookup] = asked(at)

    at.host_says({"jsonrpc": "2.0", "id": lookup["id"], "method": "ping"})
    at.server_says(answered(lookup))

    assert at.host == [line(result(1)), line(answered(lookup))]


def test_lookups_answered_in_a_batch_are_taken_out_of_it():
    at = held(desk(serves=silent))
    [lookup] = asked(at)
    other = b'{"method": "notifications/message",  "params": {"n": 1.0}}'

    mine = json.dumps(answered(lookup)).encode()
    at.server_says(b"[" + mine + b" , " + other + b"]\n")
    at.server_says([answered(asked(at)[-1])])

    assert at.host == [b"[" + other + b"]\n"]
    assert len(asked(at)) == 3


def test_a_batch_of_the_hosts_passes_as_it_is():
    at = desk()
    at.host_says([call(1), call(2)])
    at.server_says(result(1))

    assert at.server == [line([call(1), call(2)])]
    assert at.host == [line(result(1))]


@claim("shadow:mode")
def test_in_shadow_nothing_is_looked_up_and_every_decision_is_logged():
    at = desk(shadow=True)
    at.host_says(call(1))
    at.server_says(result(1))

    decision, run = at.decisions
    assert at.host == [line(result(1))]
    assert decision["shadow"] is True
    assert decision["action"] == "lookup"
    assert run["run"]["sites"] == [["decide#0", 0, 0.0]]


def test_no_more_lookups_than_the_cap_follow_one_call():
    at = desk(per_call=2)
    at.host_says(call(1))
    at.server_says(result(1))

    assert lookups(at) == GETS[:2]
    assert at.decisions[-1]["run"]["max_lookups"] == 2


def test_at_the_sessions_cap_a_run_hands_back_without_a_line_and_no_other_begins():
    at = desk(per_session=1)
    at.host_says(call(1))
    at.server_says(result(1))
    assert [d.get("address") for d in at.decisions] == ["decide#0", None]
    assert at.decisions[-1]["run"]["sites"][-1] == ["decide#1", 0, 0.0]

    at.host_says(call(2, "get", id="W1"))
    at.server_says(result(2, {"id": "W1"}))

    assert len(at.decisions) == 2
    assert at.host[1] == line(result(2, {"id": "W1"}))


def test_a_result_that_is_long_already_is_left_alone():
    at = desk(result_chars=300)
    at.host_says(call(1))
    at.server_says(result(1, ORDERS_AND_MORE))

    assert at.host == [line(result(1, ORDERS_AND_MORE))]
    assert at.decisions == []


def test_lookups_without_room_beside_the_result_are_not_added():
    at = desk(result_chars=150)
    at.host_says(call(1))
    at.server_says(result(1, "W1"))
    at.host_says(call(2))
    at.server_says(result(2, {"orders": ["W1"]}))

    assert at.host[-1] == line(result(2, {"orders": ["W1"]}))
    assert at.engine.counts["without room"] == 1


@dataclass(frozen=True)
class Wrong(AsksNothing):
    """A decider that raises, or whose numbers are none."""

    weighed: object
    name: str = "wrong"
    chances: Chances = Chances.EXCLUSIVE

    def weigh(self, *_: object) -> dict[str, float]:
        if isinstance(self.weighed, Exception):
            raise self.weighed
        return {"get": self.weighed, "respond": 0.1}


@pytest.mark.parametrize(
    "weighed",
    [CannotDecide("no counts"), ZeroDivisionError(), RecursionError(), float("nan")],
)
def test_a_decider_that_fails_hands_back_and_is_reported_once(weighed: object):
    at = desk(FLOW, Wrong(weighed))
    for id_ in (1, 2):
        at.host_says(call(id_))
        at.server_says(result(id_))

    assert at.host == [line(result(1)), line(result(2))]
    assert len(at.notes) == 1
    assert [d.get("address") for d in at.decisions] == [None, None]
    assert at.engine.counts["failed"] == 0


def test_a_program_that_misruns_leaves_the_result_as_it_was():
    program = parse(
        """
        for i in 0..max_lookups {
            let d <- sample(addr!("decide"), Decide(call, call_failed));
        }
        pure(0)
        """
    )
    at = desk(replace(FLOW, program=program))
    at.host_says(call(1))
    at.server_says(result(1))

    assert lookups(at) == GETS[:1]
    assert at.host == [line(result(1))]
    assert "comes up a second time" in at.notes[0]


def test_a_program_is_held_to_the_lookups_it_offers():
    program = parse('let d <- sample(addr!("decide"), Decide(0, false)); pure(d)')
    at = desk(replace(FLOW, program=program))
    at.host_says(call(1))
    at.server_says(result(1))

    assert at.host == [line(result(1))]
    assert at.notes == ["get is no lookup that the program offers there"]


def test_whatever_breaks_inside_every_line_passes_and_the_flow_is_off(monkeypatch):
    at = held(desk(serves=silent))
    broken = at.engine._router._pilot._follower.episode

    def breaks(*_: object, **__: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(type(broken), "called", breaks)
    at.host_says(call(2))

    assert at.host == [line(result(1))]
    assert at.server[-1] == line(call(2))
    assert at.notes == ["the flow is switched off: KeyError: 'lost'"]
    at.server_says(result(2))
    at.server_says(answered(asked(at)[0]))
    assert at.host == [line(result(1)), line(result(2))]
    assert at.engine.counts["failed"] == 1


def test_a_flow_across_servers_that_does_not_know_this_one_looks_nothing_up():
    at = desk(learned("desk::"), server="till")
    at.host_says(call(1))
    at.server_says(result(1))

    assert at.host == [line(result(1))]
    assert at.notes == [
        "nothing is looked up: the flow knows the servers desk; this one is called till"
    ]


def test_an_engine_without_a_flow_passes_every_line():
    at = Desk(Engine(None, None, Serving("tst")))
    for said in (call(1), b"no json\n", [1], b"\xff\xfe\n", b"", b"{}"):
        at.host_says(said)
        at.server_says(said)

    assert at.host == at.server
    assert len(at.entries) == 12


def test_a_conversation_beside_the_session_is_part_of_what_is_decided_on():
    at = desk()
    at.context_says("user", "What about W3?")
    at.host_says(call(1))
    at.server_says(result(1))

    assert lookups(at)[0] == ("get", {"id": "W3"})
    assert len(at.server) == 1 + len(lookups(at))


def test_the_lists_pages_pass_untouched_where_nothing_needs_room():
    at = desk()
    lists(at, 9, tool("find"), tool("get"), tool("cancel", False))

    assert len(at.host) == 1
    assert json.loads(at.host[0])["id"] == 9
    at.host_says(call(1))
    at.server_says(result(1))
    assert lookups(at) == GETS


def test_half_a_character_in_a_result_is_never_passed_to_the_server():
    at = desk()
    at.host_says(call(1))
    at.server_says(result(1, '{"orders": ["\\ud83d", "W1"]}'))

    assert at.host == [line(result(1, '{"orders": ["\\ud83d", "W1"]}'))]
    assert asked(at) == at.notes == []


def test_a_served_session_is_read_back_with_each_lookup_a_turn_of_its_own(tmp_path):
    at = desk()
    at.context_says("user", "Where are my orders?")
    at.host_says(call(1))
    at.server_says(result(1))
    at.wait(2)
    at.host_says(call(2, "cancel", id="W1"))
    at.server_says(result(2, "ok"))

    [episode] = read([at.log(tmp_path)])

    assert [[c.id for c in turn.calls] for turn in episode.turns] == [
        ["1"],
        ["stretto-tst-1"],
        ["stretto-tst-2"],
        ["stretto-tst-3"],
        ["2"],
    ]
    assert len(episode.results()) == 5


def test_a_lookup_made_while_the_agent_waits_is_of_the_agents_turn(tmp_path):
    at = desk()
    at.host_says(call(1))
    at.host_says(call(2, "get", id="W1"))
    at.server_says(result(1))
    at.server_says(result(2, order("W1")[2]))

    [episode] = read([at.log(tmp_path)])

    [turn] = episode.turns
    assert [c.id for c in turn.calls] == ["1", "2", "stretto-tst-1", "stretto-tst-2"]


def test_an_order_read_by_the_agent_is_not_read_again():
    at = desk()
    at.host_says(call(1, "get", id="W1"))
    at.server_says(result(1, order("W1")[2]))
    at.host_says(call(2))
    at.server_says(result(2))

    assert lookups(at) == GETS[1:]
