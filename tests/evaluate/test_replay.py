"""Replays: which calls are skipped, which turns saved, and what is a detour."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.canonical import Json
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Kind, Manifest
from stretto.evaluate.environment import Answer
from stretto.evaluate.made import key
from stretto.evaluate.record import NOTHING, Record
from stretto.evaluate.replay import replay
from stretto.evaluate.rows import Row, totals
from stretto.flow.flow import Flow
from tests.claims import claim
from tests.toys import Script, taught

SHOP = Manifest(
    "shop",
    {"find": Kind.READ, "get_user": Kind.READ, "get_order": Kind.READ,
     "cancel": Kind.WRITE},
)  # fmt: skip
USER = {"orders": ["A", "C"], "user_id": "u1"}

Call = tuple[str, dict[str, Json], object]


def find() -> Call:
    return "find", {"email": "u@x.y"}, "u1"


def get_user() -> Call:
    return "get_user", {"user_id": "u1"}, USER


def order(name: str) -> Call:
    return "get_order", {"order_id": name}, {"order_id": name, "status": "sent"}


def habitual() -> Flow:
    """A flow that, after `find`, reads the user and then every order of theirs."""
    script = Script().user("hi").turn(find()).turn(get_user())
    script.turn(order("A")).turn(order("C")).reply()
    return taught([script.episode(n) for n in "abcde"], SHOP).flow


FLOW = habitual()


def replayed(script: Script, flow: Flow = FLOW, decider: str = "habit") -> Row:
    [row] = replay(flow, [script.episode("t")], decider=decider, threshold=0.2)
    return row


@claim("replay:saved", "measure:turn", "program:live")
def test_the_worked_example_saves_two_of_five_turns_with_three_lookups():
    script = Script().user("hi").turn(find()).turn(get_user())
    script.turn(order("A"), order("B")).reply().turn(order("C"))

    row = replayed(script)

    assert (row.turns, row.tool_turns, row.turns_saved) == (5, 4, 2)
    assert (row.lookups, row.detours) == (3, 0)
    assert (row.calls, row.calls_skipped) == (5, 3)
    assert (row.used_next, row.used_later) == (2, 1)


@claim("replay:detour", "measure:detour")
def test_a_lookup_that_the_agent_only_makes_after_its_write_is_a_detour():
    script = Script().user("hi").turn(find()).turn(get_user())
    script.turn(order("A"), order("B")).turn(("cancel", {}, "ok")).turn(order("C"))

    row = replayed(script)

    assert row.turns_saved == 1
    assert (row.lookups, row.detours, row.unrecorded) == (3, 1, 1)


def test_a_greeting_is_no_turn_and_a_later_message_is():
    script = Script().reply("Welcome!").user("hi").reply()

    assert replayed(script).turns == 1


def test_the_agents_own_repeats_save_nothing():
    script = Script().user("hi").turn(find()).turn(get_user()).turn(get_user())

    row = replayed(script)

    assert row.turns_saved == 1
    assert row.calls_skipped == 1


def test_a_tool_the_record_does_not_have_ends_the_run_and_is_no_detour():
    row = replayed(Script().user("hi").turn(find()))

    assert (row.lookups, row.detours, row.not_in_record) == (0, 0, 1)


def test_a_failed_result_is_a_lookup_that_failed_and_still_answers_the_agents_call():
    failing = "get_user", {"user_id": "u1"}, ValueError("no such user")
    row = replayed(Script().user("hi").turn(find()).turn(failing))

    assert (row.turns_saved, row.lookups, row.detours) == (1, 1, 0)


def test_past_eight_lookups_behind_one_call_the_flow_is_not_asked():
    many = {"orders": [f"W{i}" for i in range(20)], "user_id": "u1"}
    script = Script().user("hi").turn(("get_user", {"user_id": "u1"}, many))
    for i in range(20):
        script.turn(order(f"W{i}"))

    row = replayed(
        script, replace(FLOW, thresholds={"get_user": 0.0, "get_order": 0.0})
    )

    assert row.lookups >= 16
    assert row.turns_saved == row.lookups
    assert row.turns - row.turns_saved >= 3


def test_an_empty_episode_is_counted_and_saves_nothing():
    sum_ = totals(replay(FLOW, [Episode("nothing", ())], decider="habit"))

    assert (sum_.episodes, sum_.empty, sum_.turns_saved_share) == (1, 1, 0.0)


def test_a_call_never_answered_is_executed_and_counts_as_failed():
    row = replayed(Script().user("hi").turn(("find", {"email": "q"}, None)))

    assert (row.turns, row.queries, row.lookups) == (1, 1, 0)


def test_a_stand_in_is_the_nearest_earlier_good_result_else_the_nearest_later():
    script = Script().turn(order("A"), order("B")).turn(("cancel", {}, "ok"))
    record = Record.of(script.turn(order("C")).episode(), SHOP)

    assert record.answer(key("get_order", {"order_id": "Z"}), 1) == Answer(
        '{"order_id": "B", "status": "sent"}', False, False
    )
    assert record.answer(key("get_order", {"order_id": "C"}), 0).exact is False
    assert record.answer(key("get_order", {"order_id": "C"}), 2).exact is True
    assert record.answer(key("find", {}), 0) == Answer(NOTHING, False, False)


def test_arguments_are_compared_as_text_so_one_and_one_point_zero_differ():
    assert key("t", {"n": 1}) != key("t", {"n": 1.0})
    assert key("t", {"a": 1, "b": 2}) == key("t", {"b": 2, "a": 1})


@st.composite
def sessions(draw: st.DrawFn) -> Episode:
    """Sessions over few values, so that lookups and calls often meet."""
    script = Script().user("hi")
    calls = st.sampled_from(
        [find(), get_user(), order("A"), order("C"), order("Z"), ("cancel", {}, "ok"),
         ("get_order", {"order_id": "A"}, ValueError("gone")),
         ("get_order", {"order_id": "A"}, None)]
    )  # fmt: skip
    for _ in range(draw(st.integers(0, 8))):
        if draw(st.integers(0, 4)) == 0:
            script.reply().user("ok, A please")
        else:
            script.turn(*draw(st.lists(calls, min_size=1, max_size=3)))
    return script.episode()


@claim("replay:detour", "measure:detour")
@settings(max_examples=300, deadline=None)
@given(sessions(), st.sampled_from(["habit", "reach"]))
def test_in_the_trace_environment_the_detours_are_the_stand_ins(episode, decider):
    [row] = replay(FLOW, [episode], decider=decider, threshold=0.1)

    assert row.detours == row.unrecorded
    assert row.calls_skipped == row.used_next + row.used_later
    assert row.lookups == row.calls_skipped + row.detours
    assert row.turns_saved <= row.tool_turns


@settings(max_examples=100, deadline=None)
@given(st.lists(sessions(), max_size=5))
def test_totals_add_up_over_any_cut_of_the_sessions(episodes):
    rows = list(replay(FLOW, episodes, decider="habit"))
    whole = totals(rows)

    parts = [totals([row]) for row in rows]

    assert whole.turns_saved == sum(p.turns_saved for p in parts)
    assert whole.episodes_with_detour == sum(p.episodes_with_detour for p in parts)


@pytest.mark.parametrize("decider", ["habit", "reach"])
def test_a_threshold_no_probability_reaches_makes_no_lookup(decider):
    script = Script().user("hi").turn(find()).turn(get_user())
    [row] = replay(FLOW, [script.episode()], decider=decider, threshold=1.0)

    assert (row.lookups, row.turns_saved) == (0, 0)
