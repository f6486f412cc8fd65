"""
The shop's tools: six that look something up, three that change it, and a hand-over.

Each is a function from the world and its arguments to an answer and the world after.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from stretto.canonical import Json
from stretto.demo.world import Order, Status, World

Arguments = Mapping[str, str]


class Refused(Exception):
    """A call the shop turns down; its text is what the caller is told."""


class Answer(NamedTuple):
    """What a call returns, as JSON text, and the world it leaves."""

    text: str
    world: World


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. All its arguments are strings, and all are needed."""

    name: str
    description: str
    args: Mapping[str, str]
    """Each argument's description."""
    read_only: bool | None
    """What its annotation says; None for no annotation."""
    run: Callable[[World, Arguments], Answer]


def call(tool: Tool, world: World, arguments: Mapping[str, Json]) -> Answer:
    """
    The answer of `tool`.

    Raises:
        Refused: an argument is missing or no string, or the shop says no.
    """
    given: dict[str, str] = {}
    for name in tool.args:
        value = arguments.get(name)
        if not isinstance(value, str):
            raise Refused(f"{tool.name} needs a string `{name}`")
        given[name] = value
    return tool.run(world, given)


def _find_customer(world: World, given: Arguments) -> Answer:
    email = given["email"].strip().lower()
    for customer in world.customers.values():
        if customer.email == email:
            found = {"customer_id": customer.customer_id, "name": customer.name}
            return Answer(_text(found), world)
    raise Refused(f"no account uses {email}")


def _get_customer(world: World, given: Arguments) -> Answer:
    customer_id = given["customer_id"]
    if customer_id not in world.customers:
        raise Refused(f"there is no customer {customer_id}")
    return Answer(_text(asdict(world.customers[customer_id])), world)


def _get_order(world: World, given: Arguments) -> Answer:
    return Answer(_text(asdict(_order(world, given))), world)


def _track_parcel(world: World, given: Arguments) -> Answer:
    parcel_id = given["parcel_id"]
    if parcel_id not in world.parcels:
        raise Refused(f"there is no parcel {parcel_id}")
    return Answer(_text(asdict(world.parcels[parcel_id])), world)


def _get_product(world: World, given: Arguments) -> Answer:
    product_id = given["product_id"]
    if product_id not in world.products:
        raise Refused(f"there is no product {product_id}")
    return Answer(_text(world.products[product_id]._asdict()), world)


def _get_return_terms(world: World, given: Arguments) -> Answer:
    category = given["category"]
    if category not in world.terms:
        raise Refused(f"there is no category {category}")
    return Answer(_text(world.terms[category]._asdict()), world)


def _cancel_order(world: World, given: Arguments) -> Answer:
    order = _order(world, given)
    if order.status is not Status.PROCESSING:
        raise Refused(f"order {order.order_id} is {order.status}, too late to cancel")
    after = replace(order, status=Status.CANCELLED)
    told = {"order_id": order.order_id, "status": after.status}
    return Answer(_text(told), world.with_order(after))


def _change_address(world: World, given: Arguments) -> Answer:
    order = _order(world, given)
    if order.status is not Status.PROCESSING:
        raise Refused(f"order {order.order_id} is {order.status}, and stays as it is")
    after = replace(order, address=given["address"])
    told = {"order_id": order.order_id, "address": after.address}
    return Answer(_text(told), world.with_order(after))


def _open_return(world: World, given: Arguments) -> Answer:
    order = _order(world, given)
    if order.status is not Status.DELIVERED:
        raise Refused(f"order {order.order_id} is {order.status}, not delivered")
    if given["product_id"] not in {item.product_id for item in order.items}:
        raise Refused(f"order {order.order_id} holds no {given['product_id']}")
    told = {"return_id": f"R{order.order_id[2:]}", "label": "sent by e-mail"}
    return Answer(_text(told), world)


def _hand_over(world: World, given: Arguments) -> Answer:
    return Answer(_text({"queued": True, "summary": given["summary"]}), world)


def _order(world: World, given: Arguments) -> Order:
    order_id = given["order_id"]
    if order_id not in world.orders:
        raise Refused(f"there is no order {order_id}")
    return world.orders[order_id]


def _text(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_ORDER_ID = {"order_id": "The order's number, such as N-12345."}

TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "find_customer",
            "Find a customer's account by e-mail address.",
            {"email": "The address the account was opened with."},
            True,
            _find_customer,
        ),
        Tool(
            "get_customer",
            "Read an account: name, address, and order numbers, newest first.",
            {"customer_id": "The account's id, such as C-12345."},
            True,
            _get_customer,
        ),
        Tool(
            "get_order",
            "Read an order: its status, what is in it, and its parcel once shipped.",
            _ORDER_ID,
            True,
            _get_order,
        ),
        Tool(
            "track_parcel",
            "See where a parcel is and when it should arrive.",
            {"parcel_id": "The parcel's number, from its order."},
            True,
            _track_parcel,
        ),
        Tool(
            "get_product",
            "Read a product: its category, its price, and whether it is in stock.",
            {"product_id": "The product's number, such as P-123."},
            True,
            _get_product,
        ),
        Tool(
            "get_return_terms",
            "Read until when, and in which condition, a category is taken back.",
            {"category": "The product's category."},
            True,
            _get_return_terms,
        ),
        Tool(
            "cancel_order",
            "Cancel an order that has not been shipped, and refund it.",
            {**_ORDER_ID, "reason": "Why, in the customer's words."},
            False,
            _cancel_order,
        ),
        Tool(
            "change_address",
            "Send an order that has not been shipped to another address.",
            {**_ORDER_ID, "address": "Street and number, postcode and town."},
            False,
            _change_address,
        ),
        Tool(
            "open_return",
            "Open the return of one product of a delivered order.",
            {
                **_ORDER_ID,
                "product_id": "The product that comes back.",
                "reason": "Why, in the customer's words.",
            },
            False,
            _open_return,
        ),
        Tool(
            "hand_over",
            "Give the conversation to a person.",
            {"summary": "What the person should know."},
            None,
            _hand_over,
        ),
    )
}
