"""Promotions: the bar, what counts as used, and chains that end at other sites."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.episodes.episode import AssistantTurn, Episode, ToolCall, ToolResult
from stretto.evaluate.intervals import wilson_lower
from stretto.flow.deciders.habit import decider
from stretto.flow.flow import Bar, Flow, SiteRecord
from stretto.learn.promote import Promoted, Tally, promote
from tests.claims import claim
from tests.evaluate.test_replay import FLOW, USER, find, get_user, order
from tests.toys import Script

LOOSE = Bar(threshold=0.2, min_used=0.7, min_lower=0.0, min_tasks=1)


@claim("promotion:bar")
@pytest.mark.parametrize(
    ("used", "lookups", "lower", "passes"),
    [
        (2, 2, 0.4250, False), (3, 3, 0.5258, True), (4, 5, 0.4353, False),
        (7, 10, 0.4417, False), (8, 10, 0.5408, True), (14, 20, 0.5162, True),
        (70, 100, 0.6202, True),
    ],
)  # fmt: skip
def test_the_bar_passes_what_it_is_published_to_pass(used, lookups, lower, passes):
    tally = Tally(lookups, lookups, used, {"a", "b", "c"})

    record = tally.record(Bar())

    assert round(record.lower, 4) == lower
    assert record.promoted is passes
    assert not replace_tasks(tally, 2).record(Bar()).promoted


def replace_tasks(tally: Tally, n: int) -> Tally:
    """The same of fewer tasks."""
    return replace(tally, tasks=set(sorted(tally.tasks)[:n]))


def test_no_lookup_has_the_lower_bound_zero_and_is_not_promoted():
    assert wilson_lower(0, 0) == 0.0
    assert not Tally(5, 0, 0, set()).record(Bar()).promoted


@given(st.integers(0, 300), st.integers(1, 300))
def test_wilsons_lower_bound_solves_its_own_equation(k, n):
    k = min(k, n)
    lower = wilson_lower(k, n)

    # It is the share whose own z-interval just reaches k of n.
    gap = (k / n - lower) ** 2 - 1.6448536**2 * lower * (1 - lower) / n
    assert abs(gap) < 1e-9
    assert 0 <= lower <= k / n


def promoted(script: Script, flow: Flow = FLOW, **options) -> Promoted:
    options = {"bar": LOOSE, **options}
    return promote(flow, [script.episode("t")], decider(flow), **options)


def records(found: Promoted) -> dict[str, SiteRecord]:
    return dict(found.promotion.sites)


def test_a_lookup_is_used_if_the_agent_makes_it_in_a_later_turn():
    script = Script().user("hi").turn(find()).turn(get_user()).turn(order("A")).reply()

    found = records(promoted(script))

    assert (found["find"].lookups, found["find"].used) == (1, 1)
    assert (found["get_user"].lookups, found["get_user"].used) == (2, 2)
    assert found["get_order"].used == 0
    assert found["get_order"].lookups == 3


def test_the_last_result_of_a_session_is_not_scored():
    script = Script().user("hi").turn(find())

    assert records(promoted(script)) == {}


def test_after_a_lookup_that_was_not_used_the_flow_is_not_asked_again():
    script = Script().user("hi").turn(find()).reply()

    found = records(promoted(script))

    assert found == {"find": SiteRecord(1, 1, 0, 1, 0.0, False)}


def test_a_chain_ends_where_the_flow_will_not_be_promoted():
    """`get_user` is right once in two; so nothing is asked behind its lookups."""
    script = Script().user("hi").turn(find()).turn(get_user()).turn(order("A")).reply()
    flow = FLOW

    loose = promoted(script, flow, bar=replace(LOOSE, min_used=0.1))
    strict = promoted(script, flow, bar=replace(LOOSE, min_tasks=2))

    assert records(loose)["get_user"].decisions == 2
    assert records(strict)["find"].decisions == 1
    assert records(strict)["get_user"].decisions == 1
    assert strict.rounds == 2


def test_before_the_next_write_is_a_stricter_rule_than_ever():
    script = Script().user("hi").turn(find()).turn(("cancel", {}, "ok"))
    script.turn(get_user()).reply()

    ever = records(promoted(script))["find"]
    fresh = records(promoted(script, is_fresh=True))["find"]

    assert (ever.used, fresh.used) == (1, 0)


def test_an_agents_call_with_more_arguments_than_the_lookup_uses_it():
    more = ("get_user", {"user_id": "u1", "fields": "all"}, USER)
    other = ("get_user", {"user_id": "u2"}, USER)

    for call, used in ((more, 1), (other, 0)):
        script = Script().user("hi").turn(find()).turn(call).reply()
        assert records(promoted(script))["find"].used == used


def test_lookups_that_a_flow_made_in_the_session_use_nothing_and_are_counted():
    lookup = ToolCall("stretto-1", "get_user", {"user_id": "u1"})
    [*events] = Script().user("hi").turn(find()).episode().events
    events += [
        AssistantTurn(calls=(lookup,)),
        ToolResult("stretto-1", "get_user", False, json.dumps(USER)),
        AssistantTurn("Done."),
    ]

    found = promote(FLOW, [Episode("t", tuple(events))], decider(FLOW), bar=LOOSE)

    assert found.served == 1
    assert records(found)["find"].used == 0


@claim("promoted:wilson")
def test_a_session_that_names_no_task_is_a_task_of_its_own():
    script = Script().user("hi").turn(find()).turn(get_user()).reply()
    alone = [replace(script.episode("t"), id=name, task="") for name in "abc"]
    same = [replace(episode, task="t") for episode in alone]

    for episodes, tasks in ((alone, 3), (same, 1)):
        found = records(promote(FLOW, episodes, decider(FLOW), bar=LOOSE))["find"]
        assert (found.tasks, found.used) == (tasks, 3)
        assert found.lower == wilson_lower(3, 3)


def test_a_promotion_is_of_the_flow_without_the_one_it_has():
    script = Script().user("hi").turn(find()).turn(get_user()).turn(order("A")).reply()
    first = promoted(script, bar=replace(LOOSE, min_tasks=9))
    assert not any(r.promoted for r in records(first).values())

    again = promoted(script, replace(FLOW, promoted=first.promotion))

    assert again == promoted(script)
