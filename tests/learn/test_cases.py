"""What is asked before each of an agent's steps, held to the words of the spec."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import AssistantTurn, ToolResult, UserMessage
from stretto.episodes.manifest import Kind
from stretto.episodes.site import Site
from stretto.episodes.step import Outcome, steps
from stretto.episodes.vocabulary import symbol
from stretto.errors import OracleError
from stretto.evaluate.replay import replay
from stretto.flow.deciders.arbiter import Asker, arbiter
from stretto.flow.moment import Transcript
from stretto.flow.options import options
from stretto.learn.cases import answered, steps_asked
from stretto.oracle.mock import Mock
from stretto.oracle.scripted import ScriptedOracle
from stretto.oracle.state import Slice
from stretto.oracle.wording import shipped_wording
from stretto.traces.reader import read
from tests.claims import claim
from tests.conftest import shared
from tests.evaluate.lessons import Lesson
from tests.flow.test_arbiter_decider import ARBITER, UP
from tests.flow.test_decide import ORDERS, order
from tests.toys import Script


def asked(script, flow=ARBITER):
    return [*steps_asked(flow, Asker.of(flow), script.episode("t"))]


def test_a_step_is_asked_about_where_the_call_before_it_has_options():
    script = Script().user("hi").turn(("find", {}, ORDERS)).turn(order("W1")).reply()

    found = asked(script)

    assert [(one.step, str(one.site), one.took) for one in found] == [
        (1, "find", "get"),
        (2, "get", "respond"),
    ]


def test_calls_of_one_turn_are_asked_about_one_by_one():
    script = Script().user("hi").turn(("find", {}, ORDERS))
    script = script.turn(order("W1"), order("W2")).reply()

    found = asked(script)

    assert [(str(one.site), one.took) for one in found] == [
        ("find", "get"),
        ("get", "get"),
        ("get", "respond"),
    ]
    shown = [
        [c["arguments"] for c in one.request.state["latest_results"]] for one in found
    ]
    assert shown[1][1:] == [{"id": "W1"}]


def test_a_write_counts_as_handing_back_and_a_read_not_on_offer_as_neither():
    flow = replace(
        ARBITER, sites=replace(ARBITER.sites, next={Site("get", False): {"get": 3}})
    )
    writes = Script().user("hi").turn(order("W1")).turn(("cancel", {}, "ok"))
    reads = Script().user("hi").turn(order("W1")).turn(("find", {}, ORDERS))

    assert [(one.took, one.option) for one in asked(writes, flow)] == [
        ("cancel", "respond")
    ]
    assert [(one.took, one.option) for one in asked(reads, flow)] == [("find", None)]


def test_lookups_that_a_flow_made_are_no_steps_of_the_agents():
    script = Script().user("hi").turn(("find", {}, ORDERS)).turn(order("W1")).reply()
    episode = script.episode("t")
    served = [
        replace(event, calls=tuple(replace(c, id="stretto-1") for c in event.calls))
        if isinstance(event, AssistantTurn)
        and event.calls[:1]
        and event.calls[0].tool == "get"
        else replace(event, call_id="stretto-1")
        if isinstance(event, ToolResult) and event.tool == "get"
        else event
        for event in episode.events
    ]

    found = [
        *steps_asked(ARBITER, Asker.of(ARBITER), replace(episode, events=tuple(served)))
    ]

    assert [one.took for one in found] == ["respond"]


def test_a_case_holds_the_features_and_the_step():
    script = Script().user("hi").turn(("find", {}, ORDERS)).turn(order("W1")).reply()

    first, second = answered(ARBITER, asked(script), Mock())

    assert first.case.features.options == ("get", "respond")
    assert first.case.actual == 0
    assert second.case.actual == 1
    assert first.case.features.pick == 0  # the mock's first option
    assert len(first.case.features.rows[0]) == 4 + len(ARBITER.weighed)
    assert first.case.group == second.case.group


def test_a_step_that_nobody_answered_is_no_case():
    def tired(_):
        raise OracleError("tired")

    script = Script().user("hi").turn(("find", {}, ORDERS)).turn(order("W1")).reply()

    assert [*answered(ARBITER, asked(script), ScriptedOracle(tired))] == []


@given(st.integers(0, 500))
@settings(max_examples=25, deadline=None)
def test_what_is_asked_is_what_a_walk_over_prefixes_asks(seed):
    lesson = Lesson(seed % 20, steady=True)
    flow = replace(lesson.flow, folds=(replace(UP, weights=(0.0,) * 5),))
    for episode in lesson.measured(2):
        assert_as_over_prefixes(flow, episode)


def test_what_is_asked_of_real_sessions_is_what_a_walk_over_prefixes_asks():
    flow = replace(ARBITER, manifest=replace(ARBITER.manifest, tools=RETAIL))
    flow = replace(flow, sites=replace(flow.sites, reads=READS, every_read=True))
    path = "sessions/tau2-retail-codesque16/retail__gpt-4.1__hard35.jsonl.gz"
    episodes = [*read([shared(path)])][:6]

    assert sum(assert_as_over_prefixes(flow, episode) for episode in episodes) > 20


@claim("replay:same-bytes")
def test_a_replay_that_follows_the_agent_asks_the_bytes_that_were_asked_to_learn():
    asked_live = []
    oracle = ScriptedOracle(lambda r: asked_live.append(r) or Mock().ask(r).answers)
    flow = replace(ARBITER, thresholds={"find": 1.0, "get": 1.0})  # looks nothing up
    script = Script().user("hi").turn(("find", {}, ORDERS))
    script = script.turn(order("W1"), order("W2")).reply().user("yes").turn(order("W3"))

    [row] = replay(
        flow, [script.episode("t")], decider="arbiter", threshold=1.0, oracle=oracle
    )

    assert row.lookups == 0
    live = [request.data for request in asked_live]
    to_learn = [one.request.data for one in asked(script, flow)]
    assert live[: len(to_learn)] == to_learn
    assert len(live) == len(to_learn) + 1  # behind the last call, nothing follows


READS = ("get_order_details", "get_product_details", "get_user_details")
RETAIL = dict.fromkeys(READS, Kind.READ)


def assert_as_over_prefixes(flow, episode):
    """Holds each request to one made from the events before its step alone."""
    asking = arbiter(flow)
    expected = [*over_prefixes(flow, asking, episode)]
    found = [*steps_asked(flow, asking.asker, episode)]
    assert [(one.step, one.request.key, one.took) for one in found] == [
        (k, request.key, took) for k, request, took in expected
    ]
    return len(found)


def over_prefixes(flow, asking, episode):
    """By definition: before step k, the calls and messages of the steps before it."""
    walk = steps(episode.events)
    for k in range(1, len(walk)):
        before = walk[k - 1]
        if before.tool is None:
            continue
        site = Site(before.tool, before.outcome is Outcome.ERROR)
        offered = options(flow, site)
        if not offered:
            continue
        events = prefix(episode, k)
        at = Transcript.of(
            flow, events, state=Slice(shipped_wording().no_result)
        ).moment()
        took = walk[k].tool or "respond"
        yield k, asking.question(replace(at, site=site), offered), took


def prefix(episode, k):
    """The events up to step k, each call followed by its result."""
    results = episode.results()
    events, step = [], 0
    for event in episode.events:
        if step == k and isinstance(event, AssistantTurn):
            break
        match event:
            case UserMessage():
                events.append(event)
            case AssistantTurn(calls=()):
                events.append(event)
                step += 1
            case AssistantTurn(calls=calls):
                for call in calls:
                    if step == k:
                        return events
                    events.append(AssistantTurn(calls=(call,)))
                    if call.id in results:
                        events.append(results[call.id])
                    step += 1
    return events


@pytest.mark.parametrize("took", ["get", "respond"])
def test_the_prior_is_the_habits(took):
    script = Script().user("hi").turn(("find", {}, ORDERS))
    script = script.turn(order("W1")) if took == "get" else script.reply()

    [first, *_] = asked(script)

    find, get = map(ARBITER.vocab.id, ("find", "get"))
    [chance] = ARBITER.habit.chance([symbol(find, 0)], [get], 1)
    assert first.prior == {"get": chance, "respond": 1 - chance}
