"""Served decisions labelled by sessions: in shadow as replayed, live by traces."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from stretto import read
from stretto.canonical import Json
from stretto.cli.served import Served, read_served
from stretto.demo import served as demo
from stretto.demo.record import play, record
from stretto.demo.world import build
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.evaluate.decision_file import read_decisions
from stretto.evaluate.labelled import labelled
from stretto.evaluate.made import key
from stretto.evaluate.passed_on import passed_on
from stretto.evaluate.replay import Replayer
from stretto.evaluate.served import joined, without_lookups
from stretto.files import Node
from stretto.flow.deciders.decider import decider
from stretto.flow.decision import Decision, HandBack, Reason
from stretto.flow.flow import Flow
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Exploration, Serving
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read as read_with
from tests.evaluate.test_replay import SHOP

SEED, N = 7, 16


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    """What sixty of the demo's sessions teach."""
    folder = tmp_path_factory.mktemp("taught")
    record(folder, sessions=60, seed=SEED)
    ledger = Ledger()
    episodes = list(read_with([folder], ledger=ledger))
    return learn(episodes, ledger.manifest, Settings()).flow


def serve(flow: Flow, folder: Path, *, shadow: bool) -> list[demo.Served]:
    """Sixteen customers served by the engine itself, exploring, and their logs."""
    world, sessions = build(SEED), []
    for index in range(60, 60 + N):
        exploring = Exploration(0.3, 3, str(index))
        serving = Serving("demo", shadow=shadow, exploration=exploring)
        engine = Engine(flow, decider(flow), serving)
        recorded = play(world, seed=SEED, index=index)
        sessions.append(
            demo.play_again(world, recorded, engine, seed=SEED, index=index)
        )
    demo.write(folder, sessions)
    return sessions


def test_in_shadow_the_labels_are_those_of_a_replay_that_looks_nothing_up(
    flow, tmp_path
):
    serve(flow, tmp_path, shadow=True)
    found = read_served(tmp_path, None)

    replayer = Replayer(flow, decider(flow))
    expected: dict[tuple[str, str], object] = {}
    for episode in read([tmp_path]):
        for each in labelled(replayer, episode, handed_back, threshold=0.3):
            expected[episode.id, each.after] = each.pool

    n = Counter[bool]()
    lines = lines_of(tmp_path)
    for decision in found.decisions:
        line = next(lines)
        pool = expected[decision.session, str(line["after"])]
        for option, told in zip(
            decision.options, line["policy"]["options"], strict=True
        ):
            if told["arguments"] is not None:
                outcome = pool.outcome(key(told["tool"], told["arguments"]))
                assert option.labels.used == outcome.used
                assert option.labels.turns == outcome.turn
                n[outcome.used] += 1
    assert min(n.values()) > 10
    assert not found.has_chains
    assert not found.is_live
    assert found.unplaced == found.apart == 0


def handed_back(decision: Decision, *_: object) -> Decision:
    return replace(decision, action=HandBack.plain(Reason.NONE))


def lines_of(folder: Path):
    """The decisions with a policy, by session and in order."""
    for path in sorted(folder.glob("*.flow.jsonl")):
        for text in path.read_text().splitlines():
            line = json.loads(text)
            if "policy" in line:
                yield line


def test_of_lookups_that_were_made_the_labels_find_most_uses_and_few_that_are_none(
    flow, tmp_path
):
    """True is what the same agent looks up for the same customer without a flow."""
    sessions = serve(flow, tmp_path, shadow=False)
    found = read_served(tmp_path, None)
    assert found.is_live
    assert found.has_chains

    agree = Counter[tuple[bool, bool]]()
    for session in sessions:
        wanted = Counter(call.spelled for call in demo._calls(session.without))
        taken = [
            d for d in found.decisions
            if d.taken is not None and d.session == session.recording.session
        ]  # fmt: skip
        for decision, lookup in zip(taken, session.lookups, strict=True):
            was_wanted = wanted[lookup.spelled] > 0
            wanted[lookup.spelled] -= was_wanted
            used = bool(decision.option(decision.taken).labels.used)
            agree[was_wanted, used] += 1

    missed, found_them = agree[True, False], agree[True, True]
    assert found_them > 0.5 * (found_them + missed)
    assert agree[False, True] <= 0.05 * found_them


def call(name: str, tool: str, **arguments: Json) -> AssistantTurn:
    return AssistantTurn(calls=(ToolCall(name, tool, arguments),))


def result(name: str, content: Json, *, error: bool = False) -> ToolResult:
    return ToolResult(name, "any", error, json.dumps(content))


BEGIN: list[Event] = [
    UserMessage("I am Mia"), call("1", "find"), result("1", {"id": "u1x"}),
]  # fmt: skip
LOOK = [
    call("stretto-t-1", "get_user"),
    result("stretto-t-1", {"id": "u1x", "o": "W77"}),
]


def used(*events: Event, begin: list[Event] | None = None) -> frozenset[str]:
    before = [*(BEGIN if begin is None else begin), *LOOK]
    return passed_on(Episode("e", (*before, *events)), SHOP)


def test_a_lookup_is_passed_on_by_a_call_or_a_message_with_what_it_brought():
    assert used(call("2", "get_order", order_id="W77")) == {"stretto-t-1"}
    assert used(AssistantTurn("Your order is W77.")) == {"stretto-t-1"}
    assert used(call("2", "cancel", ids=["W77"])) == {"stretto-t-1"}
    assert not used(AssistantTurn("Your order is W771."))
    assert not used(call("2", "get_order", order_id="u1x"))
    assert not used(UserMessage("It is W77"))
    assert not used()


def test_what_was_known_before_or_came_another_way_is_not_what_a_lookup_brought():
    passing = call("3", "get_order", order_id="W77")

    assert not used(passing, begin=[UserMessage("about w77"), *BEGIN[1:]])
    assert not used(call("2", "find"), result("2", ["W77"]), passing)
    assert used(call("2", "find"), result("2", ["other"]), passing)
    assert not used(call("2", "cancel"), result("2", "ok"), passing)


def test_a_lookup_that_another_one_needed_is_used_if_that_one_was():
    further = [
        call("stretto-t-2", "get_order", order_id="W77"),
        result("stretto-t-2", {"order_id": "W77", "status": "in the post"}),
    ]

    both = used(*further, AssistantTurn("It is in the post."))

    assert both == {"stretto-t-1", "stretto-t-2"}
    assert used(*further, AssistantTurn("Goodbye.")) == frozenset()


def test_a_failed_lookup_brings_nothing():
    events = (*BEGIN, LOOK[0], result("stretto-t-1", "W77", error=True))
    told = (*events, AssistantTurn("W77"))

    assert not passed_on(Episode("e", told), SHOP)


def line(after: Json, **changes: Json) -> Node:
    option = {
        "tool": "get_user", "p": 0.9, "habit": 0.9, "binding": 1.0,
        "arguments": {"user_id": "u1x"},
    }  # fmt: skip
    policy = {
        "decider": "habit", "epsilon": 0.1, "greedy": "get_user", "propensity": 0.9,
        "options": [option],
    }  # fmt: skip
    lookup = {"action": "lookup", "tool": "get_user", "arguments": {"user_id": "u1x"}}
    return Node(
        {"after": after, "site": "find", "policy": policy, **lookup, **changes}, "log"
    )


def made(*, own: bool) -> Episode:
    name = "2" if own else "stretto-t-1"
    events = (*BEGIN, call(name, "get_user", user_id="u1x"), result(name, "W77"))
    return Episode("e", events)


def test_a_lookup_that_was_withheld_or_never_made_is_labelled_by_the_agents_own_call():
    for changes in ({"withheld": "no grant"}, {"shadow": True}, {}):
        [found] = joined([line(1, **changes)], made(own=True), SHOP).decisions
        assert found.option("get_user").labels.used == 1.0
        assert not found.is_live


def test_a_lookup_that_was_made_and_left_no_trace_is_a_detour():
    [found] = joined([line(1)], made(own=False), SHOP).decisions

    assert found.option("get_user").labels.detours == 1.0
    assert found.is_live
    assert found.session == "e"


def test_decisions_behind_calls_that_are_not_there_or_there_twice_are_left_out():
    twice = Episode("e", (*BEGIN, call("1#2", "find"), result("1#2", "ok")))
    run = Node({"after": 1, "run": {}}, "log")

    assert joined([line(9), run], made(own=True), SHOP).unplaced == 1
    assert joined([line(1)], twice, SHOP).unplaced == 1


def test_tools_that_the_flow_names_with_their_server_are_those_of_the_session():
    named = line(1, tool="shop::get_user", site="shop::find")
    named.value["policy"]["options"][0]["tool"] = "shop::get_user"
    named.value["policy"]["greedy"] = "shop::get_user"

    [found] = joined([named], made(own=True), SHOP).decisions

    assert found.option("shop::get_user").labels.used == 1.0


def test_a_session_without_its_lookups_is_the_agents_own():
    mixed = AssistantTurn(calls=(*call("2", "find").calls, *LOOK[0].calls))
    events = (*BEGIN, mixed, LOOK[1], result("2", "x"), *LOOK, AssistantTurn("bye"))

    own = without_lookups(Episode("e", events)).events

    assert own == (*BEGIN, call("2", "find"), result("2", "x"), AssistantTurn("bye"))


def test_a_log_by_itself_is_read_with_the_session_beside_it(flow, tmp_path):
    serve(flow, tmp_path, shadow=True)
    whole = read_served(tmp_path, None)
    first = min(tmp_path.glob("*.flow.jsonl"))

    one = read_served(first, None)

    assert isinstance(one, Served)
    assert [*one.decisions] == [
        d for d in whole.decisions if d.session == one.episodes[0].id
    ]
    with pytest.raises(Exception, match="has no `episode`"):
        list(read_decisions(first))
