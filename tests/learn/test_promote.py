"""Promotions: the bar, what counts as used, and chains that end at other sites."""

import json
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stretto.episodes.episode import AssistantTurn, Episode, ToolCall, ToolResult
from stretto.evaluate.intervals import wilson_lower
from stretto.files import Node
from stretto.flow.deciders.habit import decider
from stretto.flow.flow import Bar, Flow, SiteRecord
from stretto.flow.wire import flow_json
from stretto.flow.wire.document import parse_flow
from stretto.flow.wire.sites import promotion_json
from stretto.learn.promote import Promoted, Tally, evidence_of, promote
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
    outcomes = [True] * used + [False] * (lookups - used)

    few = recorded({"a": outcomes[:1], "b": outcomes[1:]})
    apart = recorded({str(i): [used] for i, used in enumerate(outcomes)})

    assert round(apart.lower, 4) == round(few.lower, 4) == lower
    assert apart.promoted is passes
    assert not few.promoted


def recorded(outcomes: dict[str, list[bool]], bar: Bar | None = None) -> SiteRecord:
    """The record of one site, by what became of each task's lookups."""
    bar = bar or Bar()
    tally = Tally(9, {task: of for task, of in outcomes.items() if of})
    return tally.record(bar, evidence_of({"site": tally}, bar)["site"])


def test_no_lookup_has_the_lower_bound_zero_and_is_not_promoted():
    assert wilson_lower(0, 0) == 0.0
    assert not Tally(5).record(Bar(), None).promoted
    assert evidence_of({"site": Tally(5)}, Bar()) == {}


@given(st.integers(0, 300), st.integers(1, 300))
@example(0, 31)
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
    fresh = records(promoted(script, bar=replace(LOOSE, before_write=True)))["find"]

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


def test_a_task_with_many_lookups_weighs_as_much_as_one_with_a_single_one():
    """Nine of the twelve lookups are used, and one of the four tasks uses any."""
    outcomes = {"a": [True] * 9, "b": [False], "c": [False], "d": [False]}
    bar = Bar()

    record = recorded(outcomes)
    [found] = evidence_of({"site": Tally(9, outcomes)}, bar).values()

    assert record.used / record.lookups == 0.75
    assert found.share == 0.25
    assert found.p == 15 / 16  # of one yes or more in four
    by_task = replace(bar, min_lower=0.4, by_task=True)
    assert recorded(outcomes, replace(by_task, by_task=False)).promoted
    assert not recorded(outcomes, by_task).promoted


def test_a_bar_by_task_passes_what_every_task_used_and_nothing_of_a_single_task():
    every = {task: [True] for task in "abc"}

    assert recorded(every, Bar(by_task=True)).promoted
    one = Bar(by_task=True, min_tasks=1)
    assert not recorded({"a": [True] * 20}, one).promoted
    assert recorded({"a": [True] * 20}, replace(one, by_task=False)).promoted


def test_with_holm_a_site_needs_more_the_more_sites_are_tested():
    """Six tasks of six are 1/64: enough alone and for three sites, not for four."""
    bar = Bar(holm=True)
    tallies = {str(n): Tally(9, {t: [True] for t in "abcdef"}) for n in range(4)}

    for n, promoted in ((1, True), (3, True), (4, False)):
        some = dict([*tallies.items()][:n])
        found = evidence_of(some, bar)
        assert {e.corrected for e in found.values()} == {n / 64}
        assert all(
            t.record(bar, found[s]).promoted is promoted for s, t in some.items()
        )


def test_a_site_of_too_few_tasks_is_not_tested_and_costs_the_others_nothing():
    many = Tally(9, {task: [True] for task in "abcdef"})
    few = Tally(9, {"a": [True], "b": [True]})

    found = evidence_of({"many": many, "few": few}, Bar(holm=True))

    assert found["many"].corrected == 1 / 64
    assert found["few"].corrected is None
    assert not few.record(Bar(holm=True), found["few"]).promoted


def test_the_flows_file_keeps_what_a_stricter_bar_asked_for():
    script = Script().user("hi").turn(find()).turn(get_user()).reply()
    bar = replace(LOOSE, holm=True, by_task=True, before_write=True)

    flow = replace(FLOW, promoted=promoted(script, bar=bar).promotion)

    assert parse_flow(Node(flow_json(flow), "x")).promoted == flow.promoted
    plain = promotion_json(promoted(script).promotion)
    assert set(plain["bar"]) == {"threshold", "min_used", "min_lower", "min_tasks"}
