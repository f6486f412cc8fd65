"""What a flow answers a harness."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from stretto.episodes.episode import Episode, ToolResult
from stretto.episodes.manifest import read_manifest
from stretto.errors import OracleError
from stretto.flow.decide import decide
from stretto.flow.deciders.arbiter import arbiter
from stretto.flow.deciders.decider import decider
from stretto.flow.decision import HandBack, Lookup
from stretto.flow.flow import Flow
from stretto.flow.moment import Transcript
from stretto.harness.query import Desk
from stretto.oracle.predicates import shipped_predicates
from stretto.oracle.scripted import ScriptedOracle
from stretto.traces.decode import Unreadable
from stretto.traces.reader import read
from tests.conftest import shared
from tests.harness.messages import messages
from tests.proxy.engine.test_asking import DEAF, EAGER, sure, task
from tests.toys import Script, taught

ORDERS = {"orders": ["W1", "W2", "W3"]}


def order(name: str) -> tuple[str, dict, dict]:
    return "get", {"id": name}, {"id": name, "status": "sent"}


def customer() -> Script:
    """A customer who was found, and whose orders are known."""
    return Script().user("hello").turn(("find", {"email": "a@b.c"}, ORDERS))


def browsing(name: str) -> Episode:
    return customer().turn(order("W1")).turn(order("W2")).reply().episode(name)


FLOW = taught([browsing(name) for name in "abc"]).flow
DESK = Desk(FLOW, decider(FLOW))


def asked(*said: dict, desk: Desk = DESK) -> dict:
    return desk.answer({"task_id": "1", "messages": list(said)}).json()


def test_the_next_lookup_is_named_with_its_arguments():
    assert asked(*messages(customer().events)) == {
        "action": "lookup",
        "tool": "get",
        "arguments": {"id": "W1"},
    }


def test_handing_back_gives_the_reason_and_its_code():
    careful = Desk(FLOW, decider(FLOW, "habit"), threshold=1.0)

    found = asked(*messages(customer().events), desk=careful)

    assert found["action"] == "hand_back"
    assert found["code"] == "below"
    assert found["reason"].startswith("get at 0.")
    assert found["reason"].endswith(", below 1")


@pytest.mark.parametrize(
    "script",
    [
        Script(),
        Script().user("hello"),
        customer().user("one more thing"),
        customer().reply(),
        customer().turn(("get", {"id": "W1"}, None)),
    ],
)
def test_only_behind_a_result_is_there_anything_to_look_up(script: Script):
    found = asked(*messages(script.events))

    assert (found["action"], found["code"]) == ("hand_back", "not_after_call")


def test_the_other_calls_of_a_turn_are_not_repeated_while_they_are_out():
    waiting = customer().turn(order("W1"), ("get", {"id": "W2"}, None))

    found = asked(*messages(waiting.events))

    assert found["arguments"] == {"id": "W3"}


def test_the_customers_own_calls_are_not_the_agents():
    own = {"id": "u1", "name": "restart", "arguments": {}, "requestor": "user"}
    said = [
        *messages(customer().events),
        {"role": "user", "content": None, "tool_calls": [own]},
        {"role": "tool", "id": "u1", "requestor": "user", "content": "done"},
    ]

    assert asked(*said)["code"] == "not_after_call"


def test_a_session_that_has_asked_often_enough_is_handed_back():
    desk = Desk(FLOW, decider(FLOW), max_questions=1)
    first = customer()
    second = customer().turn(order("W1"))

    assert asked(*messages(first.events), desk=desk)["action"] == "lookup"
    assert asked(*messages(second.events), desk=desk) == {
        "action": "hand_back",
        "reason": "the session has asked 1 times",
        "code": "too_many_questions",
    }


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ({}, "has no `messages`"),
        ({"messages": "hello"}, "`messages` is not an array"),
        ({"messages": ["hello"]}, "has an item that is not an object"),
        ({"messages": [{"role": "assistant", "tool_calls": 3}]}, "`tool_calls`"),
        ({"messages": [{"role": "assistant", "tool_calls": [{}]}]}, "without a name"),
    ],
)
def test_messages_that_are_not_as_they_should_be_are_told(query: dict, why: str):
    with pytest.raises(Unreadable, match=why):
        DESK.answer(query)


def compared(flow: Flow, episode: Episode) -> Iterator[tuple[dict, Lookup | HandBack]]:
    """Behind each lone call: what is answered, and what walking along decides."""
    desk = Desk(flow, decider(flow))
    transcript = Transcript(flow)
    alone = {turn.calls[0].id for turn in episode.turns if len(turn.calls) == 1}
    for index, event in enumerate(episode.events):
        transcript.add(event)
        if isinstance(event, ToolResult) and event.call_id in alone:
            said = messages(episode.events[: index + 1])
            query = json.loads(json.dumps({"messages": list(said)}))
            yield (
                desk.answer(query).json(),
                decide(flow, transcript.moment(), desk.decider).action,
            )


def test_on_real_sessions_it_answers_what_walking_along_them_decides():
    sessions = "tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"
    manifest = read_manifest(shared("manifests/retail.json"))
    episodes = list(islice(read([shared(f"sessions/{sessions}")]), 40))
    flow = taught(episodes, manifest).flow

    pairs = [pair for episode in episodes for pair in compared(flow, episode)]

    assert len(pairs) > 100
    assert {answered["action"] for answered, _ in pairs} == {"lookup", "hand_back"}
    for answered, action in pairs:
        match action:
            case Lookup(tool=tool, arguments=arguments):
                assert (answered["tool"], answered["arguments"]) == (tool, arguments)
            case HandBack(code=code, text=reason):
                assert (answered["code"], answered["reason"]) == (code, reason)


ARBITER = replace(
    FLOW,
    folds=(EAGER, DEAF),
    predicates=shipped_predicates(),
    weighed=shipped_predicates(),
    model="jev-1",
)


def test_a_flow_with_an_arbiter_asks_the_oracle_about_the_session_so_far():
    budgets = []

    class Noting(ScriptedOracle):
        def ask(self, request, *, budget_s=None):
            budgets.append(budget_s)
            return super().ask(request, budget_s=budget_s)

    oracle = Noting(lambda request: sure(request).answers)
    desk = Desk(ARBITER, arbiter(ARBITER), oracle=oracle, answer_s=0.7)
    said = [*messages(customer().events)]

    found = [desk.answer({"task_id": task(n), "messages": said}).json() for n in (0, 1)]

    assert found[0]["tool"] == "get"
    assert found[1]["code"] == "below"
    assert budgets == [0.7, 0.7]


def test_an_oracle_without_an_answer_hands_back():
    def fails(_):
        raise OracleError("status 503")

    desk = Desk(ARBITER, arbiter(ARBITER), oracle=ScriptedOracle(fails))

    found = asked(*messages(customer().events), desk=desk)

    assert found["code"] == "oracle_failed"
    assert "status 503" in found["reason"]
