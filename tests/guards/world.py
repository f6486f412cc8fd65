"""A shop's and an airline's records, and what guards say of a call among them."""

from collections.abc import Mapping

from stretto.canonical import Json
from stretto.episodes.episode import Event, ToolCall
from stretto.guards.guard import Guards
from stretto.guards.verdict import Verdict
from tests.toys import Script

ORDER = {
    "order_id": "#W1",
    "user_id": "ann_1",
    "status": "pending",
    "items": [
        {"item_id": "1111111", "product_id": "p1", "name": "Blue Mug"},
        {"item_id": "1111111", "product_id": "p1", "name": "Blue Mug"},
        {"item_id": "2222222", "product_id": "p2", "name": "Red Mug"},
    ],
    "payment_history": [{"payment_method_id": "paypal_7"}],
}
PRODUCT = {
    "product_id": "p1",
    "variants": {
        "1111111": {"available": True},
        "1111112": {"available": True},
        "1111113": {"available": False},
    },
}
USER = {"user_id": "ann_1", "payment_methods": {"paypal_7": {}, "gift_card_8": {}}}

RESERVATION = {
    "reservation_id": "R1",
    "user_id": "ann_1",
    "cabin": "economy",
    "insurance": "no",
    "created_at": "2024-05-01T10:00:00",
    "total_baggages": 2,
    "passengers": [{}, {}],
    "flights": [{"flight_number": "HAT1", "date": "2024-05-20", "price": 90}],
}


def read_order(**changed: Json) -> Script:
    """A session in which Ann was identified, and what is hers was read."""
    return (
        Script()
        .user("Hi, change my order")
        .turn(("find_user_id_by_email", {"email": "a@b.c"}, "ann_1"))
        .turn(("get_user_details", {"user_id": "ann_1"}, USER))
        .turn(("get_order_details", {"order_id": "#W1"}, ORDER | changed))
        .turn(("get_product_details", {"product_id": "p1"}, PRODUCT))
    )


def read_reservation(*, membership: str = "regular", **changed: Json) -> Script:
    """A session in which Ann's profile and her reservation were read."""
    user = USER | {"membership": membership}
    return (
        Script()
        .user("Hi, change my trip")
        .turn(("get_user_details", {"user_id": "ann_1"}, user))
        .turn(
            ("get_reservation_details", {"reservation_id": "R1"}, RESERVATION | changed)
        )
    )


def said_of(
    guards: Guards, session: Script, tool: str, /, **arguments: Json
) -> Mapping[str, Verdict]:
    """What guards say of a call behind a session, by the last part of their rules."""
    facts = guards.facts()
    for event in session.events:
        facts.take(event)
    call = ToolCall("last", tool, arguments)
    return {
        ruling.guard.rule.partition(".")[2]: ruling.verdict
        for ruling in guards.check(facts, call)
    }


def returned(script: Script, text: str) -> Script:
    """The session, its last result as this text."""
    last: Event = script.events[-1]
    assert hasattr(last, "content")
    script.events[-1] = type(last)(last.call_id, last.tool, last.error, text)
    return script
