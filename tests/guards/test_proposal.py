"""An argument of another record than the chosen one."""

import json

import pytest

from stretto.episodes.episode import ToolCall, ToolResult
from stretto.guards.facts import Facts
from stretto.guards.proposal import Choices, Flag, Text, groups, spelled
from stretto.guards.sources import Sources
from tests.toys import Script

MUGS = {
    "items": [
        {"item_id": "1111111", "name": "Blue Mug", "price": 12.5},
        {"item_id": "2222222", "name": "Red Mug", "price": 1254.0},
    ]
}
TICKETS = {
    "gift_card_5555": {"id": "gift_card_5555", "owner": {"name": "Ann Lee"}},
    "paypal_7777": {"id": "paypal_7777", "owner": {"name": "Bo Chan"}},
}


def found(shown: object, said: str, proposal: str = "", /, **arguments) -> list[Flag]:
    session = Script().turn(("get_it", {}, shown)).reply(proposal or None).user(said)
    facts = Facts.of(Sources(), session.events)
    return Choices(facts).flags(ToolCall("c", "return_it", arguments))


def test_the_other_mug_than_the_one_named_is_flagged() -> None:
    wrong = found(MUGS, "the red mug, please", item_ids=["1111111"])

    assert wrong == [Flag("item_ids", "1111111")]
    assert found(MUGS, "the red mug, please", item_ids=["2222222"]) == []


def test_what_the_agent_named_counts_where_the_customer_names_nothing() -> None:
    wrong = [Flag("item_ids", "1111111")]

    assert found(MUGS, "yes", "The Red Mug, then?", item_ids=["1111111"]) == wrong
    assert found(MUGS, "yes", "Red Mug or Blue Mug?", item_ids=["1111111"]) == []
    assert found(MUGS, "the blue mug", "Red Mug?", item_ids=["1111111"]) == []
    assert found(MUGS, "hm", "Well?", item_ids=["1111111"]) == []


def test_a_call_that_also_passes_the_chosen_record_is_not_flagged() -> None:
    assert found(MUGS, "red mug", item_ids=["1111111"], other="2222222") == []


@pytest.mark.parametrize(
    ("said", "is_flagged"),
    [
        ("the one for $1,254.00", True),
        ("the one for 1254", True),
        ("number 12540", False),
        ("11254", False),
        ("2222222", True),
        ("22222221", False),
    ],
)
def test_a_number_is_said_whole(said: str, is_flagged: bool) -> None:
    assert bool(found(MUGS, said, item_ids=["1111111"])) == is_flagged


def test_an_id_is_said_by_its_digits_and_a_record_by_what_lies_below_it() -> None:
    wrong = [Flag("method", "paypal_7777")]

    assert found(TICKETS, "use 5555", method="paypal_7777") == wrong
    assert found(TICKETS, "use gift_card_5555", method="paypal_7777") == wrong
    assert found(TICKETS, "Ann Lee's", method="paypal_7777") == wrong
    assert found(TICKETS, "use 55555", method="paypal_7777") == []
    assert Text("order w91111").holds("#w91111")


def test_a_value_that_two_records_share_names_neither() -> None:
    shown = [{"id": "a1", "town": "Bonn"}, {"id": "a2", "town": "Bonn"}]

    assert found(shown, "the one in Bonn", id="a1") == []


def test_the_latest_group_that_holds_the_value_decides() -> None:
    older = {"old": [{"n": "1111111", "is": "Blue Mug"}, {"n": "3", "is": "Tea"}]}
    session = (
        Script().turn(("a", {}, older)).turn(("b", {}, MUGS)).user("tea! blue mug")
    )
    facts = Facts.of(Sources(), session.events)

    assert Choices(facts).flags(ToolCall("c", "x", {"item": "1111111"})) == []


def test_what_is_shown_later_counts_from_then_on() -> None:
    session = Script().turn(("get_it", {}, {"n": 1})).user("the red mug")
    facts = Facts.of(Sources(), session.events)
    choices, call = Choices(facts), ToolCall("c", "x", {"item": "1111111"})
    before = choices.flags(call)
    facts.take(ToolResult("late", "get_it", False, json.dumps(MUGS)))

    assert (before, choices.flags(call)) == ([], [Flag("item", "1111111")])


def test_groups_are_lists_and_objects_of_objects_in_order() -> None:
    value = {"b": [1, [2, "x "]], "a": {"k": {"n": 1}, "j": {"n": 2.0}}, "c": [7]}
    facts = Facts(Sources())
    facts.take(ToolResult("1", "t", False, json.dumps(value)))
    facts.take(ToolResult("2", "t", True, json.dumps([1, 2])))
    facts.take(ToolResult("3", "t", False, "no json"))

    shown = [
        [sorted(record.fields) for record in group]
        for output in facts.outputs
        for group in groups(output)
    ]
    assert shown == [[["2"], ["1"]], [["1"], ["2", "x"]], [["2"], ["x"]]]


def test_scalars_are_compared_in_small_letters_and_whole_numbers_plainly() -> None:
    assert [spelled(v) for v in (" Ab ", 2.0, 2.5, 7)] == ["ab", "2", "2.5", "7"]
    assert [spelled(v) for v in (True, None, [], {})] == [None] * 4
