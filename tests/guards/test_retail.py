"""Each row of the shop's rules, with the answers its table gives."""

import pytest

from stretto.episodes.episode import ToolCall
from stretto.guards.guard import GUARDS, refusal
from stretto.guards.retail import GUARDS as RETAIL
from stretto.guards.retail import WRITES
from stretto.guards.verdict import Outcome
from tests.claims import claim
from tests.guards.world import ORDER, read_order, said_of
from tests.toys import Script

PASS, FAIL, UNKNOWN = Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN
ADDRESS = "modify_pending_order_address"
CANCEL = "cancel_pending_order"
EXCHANGE = "exchange_delivered_order_items"
ITEMS = "modify_pending_order_items"
PAYMENT = "modify_pending_order_payment"
RETURN = "return_delivered_order_items"

UNREAD = Script().user("Hi").turn(("find_user_id_by_email", {}, "ann_1"))
STRANGER = Script().turn(("get_order_details", {"order_id": "#W1"}, ORDER))


def outcome(rule: str, session: Script, tool: str, /, **arguments: object) -> Outcome:
    given = {"order_id": "#W1", **arguments}
    return said_of(RETAIL, session, tool, **given)[rule].outcome


@claim("guards:rules")
def test_there_are_twelve_rules_of_which_one_is_only_logged() -> None:
    assert len(RETAIL.rules) == 12
    assert [g.rule for g in RETAIL.rules if not g.enforced] == ["retail.confirmed"]
    assert RETAIL.tools == {*WRITES}
    assert GUARDS.get("retail") is RETAIL


def test_some_customer_is_to_be_identified_before_any_write() -> None:
    for tool in WRITES:
        assert outcome("authenticated", STRANGER, tool) is FAIL
        assert outcome("authenticated", UNREAD, tool) is PASS
    failed = Script().turn(("find_user_id_by_email", {}, ValueError("no user")))
    assert outcome("authenticated", failed, CANCEL) is FAIL


def test_an_order_is_the_customers_own_where_that_was_seen() -> None:
    assert outcome("own_order", read_order(), CANCEL) is PASS
    assert outcome("own_order", read_order(user_id="bob_2"), CANCEL) is FAIL
    assert outcome("own_order", read_order(user_id=None), CANCEL) is UNKNOWN
    assert outcome("own_order", UNREAD, CANCEL) is UNKNOWN
    assert outcome("own_order", STRANGER, CANCEL) is UNKNOWN


def test_an_order_is_read_before_it_is_changed() -> None:
    assert outcome("status_checked", read_order(), RETURN) is PASS
    assert outcome("status_checked", UNREAD, RETURN) is FAIL
    assert outcome("status_checked", UNREAD, RETURN, order_id=None) is UNKNOWN


@pytest.mark.parametrize(
    ("status", "exact", "loose"),
    [
        ("pending", PASS, PASS),
        ("pending (item modified)", FAIL, PASS),
        ("delivered", FAIL, FAIL),
        (None, UNKNOWN, UNKNOWN),
    ],
)
def test_only_a_pending_order_is_cancelled_or_modified(status, exact, loose) -> None:
    session = read_order(status=status)

    assert [outcome("pending", session, t) for t in (CANCEL, ITEMS)] == [exact] * 2
    assert [outcome("pending", session, t) for t in (ADDRESS, PAYMENT)] == [loose] * 2
    assert outcome("pending", UNREAD, CANCEL) is UNKNOWN


def test_only_what_was_delivered_is_returned_or_exchanged() -> None:
    for tool in (RETURN, EXCHANGE):
        assert outcome("delivered", read_order(status="delivered"), tool) is PASS
        assert outcome("delivered", read_order(), tool) is FAIL
        assert outcome("delivered", UNREAD, tool) is UNKNOWN


def test_an_order_is_cancelled_for_one_of_two_reasons() -> None:
    for reason in ("no longer needed", "ordered by mistake"):
        assert outcome("cancel_reason", UNREAD, CANCEL, reason=reason) is PASS
    for other in ("too late", "No longer needed", None, ["no longer needed"]):
        assert outcome("cancel_reason", UNREAD, CANCEL, reason=other) is FAIL


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (["1111111", "1111111"], PASS),
        (["2222222", "2222222"], FAIL),
        (["1111111", "2222222"], PASS),
        (["3333333"], FAIL),
        ("1111111", UNKNOWN),
    ],
)
def test_items_are_taken_from_the_order_as_often_as_it_has_them(
    items, expected
) -> None:
    for tool in (ITEMS, RETURN, EXCHANGE):
        assert outcome("items_in_order", read_order(), tool, item_ids=items) is expected
        assert outcome("items_in_order", UNREAD, tool, item_ids=["1"]) is UNKNOWN


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (["1111111"], ["1111112"], PASS),
        (["1111111"], ["1111111"], FAIL),
        (["1111111"], ["1111113"], FAIL),
        (["1111111"], ["2222223"], FAIL),
        (["1111111"], [], FAIL),
        (["2222222"], ["2222223"], UNKNOWN),
        (["2222222", "1111111"], ["2222223", "1111113"], FAIL),
        (["2222222", "1111111"], ["2222223", "1111112"], UNKNOWN),
    ],
)
def test_an_item_gives_way_to_another_available_variant(old, new, expected) -> None:
    for tool in (ITEMS, EXCHANGE):
        given = {"item_ids": old, "new_item_ids": new}
        assert outcome("same_product", read_order(), tool, **given) is expected


def test_an_orders_items_are_changed_once() -> None:
    done = read_order().turn((ITEMS, {"order_id": "#W1"}, ORDER))
    refused = read_order().turn((ITEMS, {"order_id": "#W1"}, ValueError("no")))

    for tool in (ITEMS, EXCHANGE):
        assert outcome("once", done, tool) is FAIL
        assert outcome("once", done, tool, order_id="#W2") is PASS
        assert outcome("once", refused, tool) is PASS


def test_money_moves_by_the_customers_own_methods() -> None:
    def by(method: object, session: Script) -> Outcome:
        return outcome("own_payment", session, PAYMENT, payment_method_id=method)

    assert by("paypal_7", read_order()) is PASS
    assert by("paypal_9", read_order()) is FAIL
    assert by("paypal_7", UNREAD) is UNKNOWN
    assert by(None, read_order()) is UNKNOWN


def test_a_refund_goes_where_the_money_came_from_or_to_a_gift_card() -> None:
    def to(method: str, session: Script) -> Outcome:
        return outcome("refund_method", session, RETURN, payment_method_id=method)

    assert to("paypal_7", read_order()) is PASS
    assert to("gift_card_99", read_order()) is PASS
    assert to("credit_card_1", read_order()) is FAIL
    assert to("paypal_7", UNREAD) is UNKNOWN


def test_a_write_follows_the_customers_yes() -> None:
    assert outcome("confirmed", read_order(), CANCEL) is FAIL
    assert outcome("confirmed", read_order().user("Yes, please"), CANCEL) is PASS
    assert outcome("confirmed", Script(), CANCEL) is FAIL


def test_a_write_that_returns_the_order_changes_what_is_known_of_it() -> None:
    cancelled = read_order().turn(
        (CANCEL, {"order_id": "#W1"}, ORDER | {"status": "cancelled"})
    )

    assert outcome("pending", cancelled, ADDRESS) is FAIL


@claim("guards:unknown")
def test_only_the_failure_of_an_enforced_rule_refuses() -> None:
    facts = RETAIL.facts()
    for event in read_order(status="delivered").events:
        facts.take(event)
    from_delivered = said(facts, CANCEL, reason="bored")
    unread = said(RETAIL.facts(), RETURN)

    assert from_delivered == (
        "the order is delivered, not pending (policy check retail.pending); the reason "
        "of a cancellation is `no longer needed` or `ordered by mistake` (policy check "
        "retail.cancel_reason)"
    )
    assert unread is not None
    assert "retail.authenticated" in unread
    assert "retail.confirmed" not in unread


def said(facts, tool: str, **arguments: object) -> str | None:
    call = ToolCall("c", tool, {"order_id": "#W1", **arguments})
    return refusal(RETAIL.check(facts, call))
