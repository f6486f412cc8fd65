"""Counting rules: which calls a lookup answers, and for how long."""

import pytest

from stretto.evaluate.alone import Account, played
from stretto.evaluate.replay import Replayer
from stretto.evaluate.rules import CURRENT, Rule
from stretto.flow.deciders.decider import decider
from tests.claims import claim
from tests.evaluate.test_replay import FLOW, find, get_user, order
from tests.toys import Script

ELSEWHERE = "cancel", {"order_id": "Z9"}, "ok"
HERE = "cancel", {"order_id": "C"}, "ok"


def account(script: Script, rule: Rule = CURRENT, flow=FLOW) -> Account:
    replayer = Replayer(flow, decider(flow, "habit"), rule=rule)
    return played(replayer, script.episode("t"), 0.2).account


def session() -> Script:
    script = Script().user("hi").turn(find()).turn(get_user())
    return script.turn(order("A"), order("B"))


def test_a_turn_skipped_in_part_has_that_share_of_the_credit_and_is_not_saved():
    found = account(session().reply().turn(order("C")))

    assert found.row.turns_saved == 2
    assert found.credit == 2.5


@pytest.mark.parametrize(
    ("write", "rule", "saved"),
    [
        (ELSEWHERE, CURRENT, 1),
        (ELSEWHERE, Rule(by_record=True), 2),
        (HERE, Rule(by_record=True), 1),
        (("cancel", {}, "ok"), Rule(by_record=True), 1),
    ],
)
def test_by_record_a_write_makes_only_what_it_names_stale(write, rule, saved):
    found = account(session().turn(write).turn(order("C")), rule)

    assert found.row.turns_saved == saved
    assert found.row.detours == 2 - saved


def test_by_the_legacy_rule_the_agents_own_repeats_are_skipped():
    script = session().turn(get_user(), order("B")).reply()
    now, legacy = account(script), account(script, Rule(is_legacy=True))

    assert (now.row.turns_saved, now.row.calls_skipped) == (1, 2)
    assert (legacy.row.turns_saved, legacy.row.calls_skipped) == (2, 4)
    assert legacy.row.lookups == now.row.lookups


def verbose(name: str, result: object):
    return "get_order", {"order_id": name, "verbose": True}, result


A = {"order_id": "A", "status": "sent"}


@claim("same-result:rule")
def test_by_the_same_result_rule_a_lookup_answers_a_call_that_returned_the_same():
    def script() -> Script:
        turns = Script().user("hi").turn(find()).turn(get_user())
        return turns.turn(verbose("A", A)).reply().turn(order("A"))

    now, same = account(script()), account(script(), Rule(same_result=True))

    assert (now.row.turns_saved, now.row.used_later) == (2, 1)
    assert (same.row.turns_saved, same.row.used_later) == (2, 0)
    assert not now.pairs
    [(pair, n)] = same.pairs.items()
    assert n == 1
    assert pair.lookup.arguments == '{"order_id":"A"}'
    assert pair.call.arguments == '{"order_id":"A","verbose":true}'


@pytest.mark.parametrize(
    "call",
    [
        verbose("A", {"order_id": "A", "status": "lost"}),
        verbose("B", A),
        verbose("A", ValueError("gone")),
        ("get_user", {"order_id": "A"}, A),
    ],
    ids=["another result", "another argument", "a failure", "another tool"],
)
def test_by_the_same_result_rule_anything_else_is_another_call(call):
    script = Script().user("hi").turn(find()).turn(get_user())
    found = account(script.turn(call).turn(order("A")), Rule(same_result=True))

    assert not found.pairs


def test_numbers_are_equal_only_by_the_rule_that_says_so():
    one, other = CURRENT.key("t", {"n": [1.0]}), CURRENT.key("t", {"n": [1]})
    rule = Rule(equal_numbers=True)

    assert one != other
    assert rule.key("t", {"n": [1.0]}) == rule.key("t", {"n": [1]}) == other


def test_a_rule_is_called_by_what_it_changes():
    assert CURRENT.name == "current"
    assert Rule(is_legacy=True, by_record=True).name == "legacy+by-record"
    assert Rule(same_result=True, equal_numbers=True).name == (
        "current+same-result+equal-numbers"
    )
