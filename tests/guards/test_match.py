"""What a System-One model is asked about a pick, and how its answer is read."""

import pytest

from stretto.canonical import Json
from stretto.episodes.episode import ToolCall
from stretto.guards.airline import GUARDS as AIRLINE
from stretto.guards.describe import describe
from stretto.guards.match import (
    Decision,
    Matched,
    decisions,
    expected_picks,
    match_request,
    read_match,
)
from stretto.guards.retail import GUARDS as RETAIL
from stretto.oracle.answer import ChoiceAnswer, NoulAnswer, Response
from stretto.oracle.check import check_request
from stretto.oracle.question import Choice, Noul
from stretto.oracle.wording import shipped_wording
from tests.claims import claim
from tests.toys import Script

ORDER: Json = {
    "order_id": "#W1",
    "user_id": "ann",
    "items": [
        {"item_id": "i1", "name": "Mug", "product_id": "p1", "options": {"b": 1}},
        {"item_id": "i1", "name": "Mug", "product_id": "p1", "options": {"b": 1}},
        {"item_id": "i2", "name": "Cup", "product_id": "p2", "options": {}},
    ],
    "payment_history": [{"payment_method_id": "card_1", "amount": 5}],
}
PRODUCT: Json = {
    "product_id": "p1",
    "variants": {"i1": {"item_id": "i1"}, "i9": {"item_id": "i9", "price": 2.0}},
}
USER: Json = {"user_id": "ann", "payment_methods": {"card_1": {}, "card_2": {}}}


def retail(tool: str, **arguments: Json) -> tuple[list[Decision], list[str]]:
    session = (
        Script()
        .user("x" * 700)
        .turn(("get_user_details", {"user_id": "ann"}, USER))
        .turn(("get_order_details", {"order_id": "#W1"}, ORDER))
        .turn(("get_product_details", {"product_id": "p1"}, PRODUCT))
    )
    facts = RETAIL.facts()
    for event in session.events:
        facts.take(event)
    call = ToolCall("9", tool, {"order_id": "#W1", **arguments})
    return [*decisions(facts, call)], ["x" * 700]


def airline(tool: str, *read: dict[str, Json], about: str = "R1") -> list[Decision]:
    facts = AIRLINE.facts()
    session = Script()
    for record in read:
        session.turn(("get_reservation_details", {}, record))
    for event in session.events:
        facts.take(event)
    return [*decisions(facts, ToolCall("9", tool, {"reservation_id": about}))]


def asked(decision: Decision, said=("hi",), summary: str = ""):
    made = match_request("m", decision, said, shipped_wording(), summary=summary)
    check_request(made)
    return made


@claim("matching:question")
def test_what_is_shown_is_the_customers_words_and_the_candidates_not_the_pick() -> None:
    [items, variant], said = retail(
        "exchange_delivered_order_items", item_ids=["i1"], new_item_ids=["i9"]
    )
    others, _ = retail(
        "exchange_delivered_order_items", item_ids=["i1"], new_item_ids=["i1"]
    )

    assert asked(items, said).state == {
        "customer_said": ["x" * 600],
        "the_agent_is_about_to": {
            "write": "exchange_delivered_order_items", "order_id": "#W1",
        },
        "candidates": {
            "i1": {"item_id": "i1", "name": "Mug", "options": {"b": 1}},
            "i2": {"item_id": "i2", "name": "Cup", "options": {}},
        },
    }  # fmt: skip
    assert asked(variant).state["item_being_replaced"] == ORDER["items"][0]  # type: ignore[index,call-overload]
    assert asked(variant).key == asked(others[1]).key
    assert (variant.picked, others[1].picked) == ({"i9"}, {"i1"})


def test_items_are_asked_one_by_one_and_other_picks_as_one_choice() -> None:
    [items], _ = retail("return_delivered_order_items", item_ids=["i2"])
    [payment], _ = retail("modify_pending_order_payment", payment_method_id="card_2")

    questions = asked(items).questions
    assert [*questions] == ["item_i1", "item_i2"]
    assert all(isinstance(question, Noul) for question in questions.values())
    assert "(item_id: i2; name: Cup; options: )" in questions["item_i2"].instructions
    choice = asked(payment).questions["pick"]
    assert isinstance(choice, Choice)
    assert choice.criteria == {"card_1": "", "card_2": ""}
    assert asked(payment).state["payments_so_far"] == ORDER["payment_history"]  # type: ignore[index,call-overload]


def test_a_reservation_is_picked_among_its_owners_and_the_call_does_not_tell() -> None:
    mine: list[dict[str, Json]] = [
        {"reservation_id": id, "user_id": "ann", "payment_history": [], "cabin": id}
        for id in ("R1", "R2")
    ]
    other: dict[str, Json] = {"reservation_id": "R3", "user_id": "bob"}
    [decision] = airline("cancel_reservation", *mine, other)

    state = asked(decision, summary="Cancel " + "c" * 400).state
    assert state["candidates"] == {  # type: ignore[index,call-overload]
        id: {"reservation_id": id, "cabin": id} for id in ("R1", "R2")
    }
    about = state["the_agent_is_about_to"]  # type: ignore[index,call-overload]
    assert about == {"write": "Cancel " + "c" * 293}
    assert airline("cancel_reservation", mine[0], other) == []
    assert airline("book_reservation", *mine) == []


def test_the_last_twelve_messages_are_shown() -> None:
    [items], _ = retail("return_delivered_order_items", item_ids=["i2"])
    state = asked(items, [str(n) for n in range(20)]).state

    assert state["customer_said"] == [str(n) for n in range(8, 20)]  # type: ignore[index,call-overload]


def test_what_is_expected_is_an_action_of_that_name_on_the_same_order() -> None:
    tool = "exchange_delivered_order_items"
    [items, variant], _ = retail(tool, item_ids=["i1"], new_item_ids=["i9"])
    there = {"order_id": "#W1", "item_ids": ["i2", "i1"], "new_item_ids": ["a", "b"]}
    actions = [
        ToolCall("", tool, there),
        ToolCall("", tool, there | {"order_id": "#W2"}),
        ToolCall("", "return_delivered_order_items", there),
    ]

    assert expected_picks(items, actions) == ({"i1", "i2"},)
    assert expected_picks(variant, actions) == ({"b"},)
    assert expected_picks(items, actions[1:]) == ()
    lone = [ToolCall("", tool, there | {"item_ids": ["i2"], "new_item_ids": ["a"]})]
    assert expected_picks(variant, lone) == ()


def test_any_expected_reservation_of_that_write_will_do() -> None:
    records: list[dict[str, Json]] = [
        {"reservation_id": id, "user_id": "ann"} for id in ("R1", "R2")
    ]
    [decision] = airline("cancel_reservation", *records)
    actions = [
        ToolCall("", "cancel_reservation", {"reservation_id": id}) for id in "AB"
    ]

    assert expected_picks(decision, actions) == ({"A"}, {"B"})


@pytest.mark.parametrize(
    ("p_yes", "picked", "confidence"),
    [
        ((0.5, 0.1), {"i1"}, 0.5),
        ((0.9, 0.8), {"i1", "i2"}, 0.8),
        ((0.2, 0.1), set(), 0.8),
    ],
)
def test_items_are_picked_from_one_half_on_as_sure_as_the_least_sure(
    p_yes, picked, confidence
) -> None:
    [items], _ = retail("return_delivered_order_items", item_ids=["i2"])
    answers = {f"item_i{n}": NoulAnswer(p) for n, p in enumerate(p_yes, start=1)}

    found = read_match(Response("m", answers), items)
    assert found is not None
    assert found.picked == picked
    assert found.confidence == pytest.approx(confidence)
    assert read_match(Response("m", {"item_i1": NoulAnswer(0.5)}), items) is None


def test_a_choice_is_as_sure_as_its_probability() -> None:
    [payment], _ = retail("modify_pending_order_payment", payment_method_id="card_2")
    answer = ChoiceAnswer("card_1", {"card_1": 0.7, "card_2": 0.3}, 0.7)

    found = read_match(Response("m", {"pick": answer}), payment)
    assert found == Matched(frozenset({"card_1"}), 0.7)
    assert read_match(Response("m", {}), payment) is None


def test_a_record_is_described_field_by_field() -> None:
    record: Json = {
        "b": {"y": 2, "x": "one"}, "a": [1, "two", {"k": "v", "deep": {}}, 4, 5],
        "c": None,
    }  # fmt: skip

    assert describe(record) == "a: 1; two; v; 4; b: x one, y 2; c: null"


def test_an_order_that_was_not_read_leaves_nothing_to_pick() -> None:
    call = ToolCall("9", "return_delivered_order_items", {"order_id": "#W1"})

    assert [*decisions(RETAIL.facts(), call)] == []
