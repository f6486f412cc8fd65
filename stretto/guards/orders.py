"""What the shop's rules read of an order and of the products in it."""

from stretto.canonical import Json
from stretto.episodes.episode import ToolCall
from stretto.guards.facts import Facts
from stretto.guards.reading import named, objects
from stretto.guards.verdict import Verdict, fail, unknown, unless


def status_of(facts: Facts, call: ToolCall) -> str | None:
    """The status of the order that a call names; None where it was not read."""
    order = named(facts, "order", call)
    status = None if order is None else order.get("status")
    return status if isinstance(status, str) else None


def items_of(facts: Facts, call: ToolCall) -> list[tuple[str, Json]] | None:
    """The order's items by id, each with its product's; None where it was not read."""
    order = named(facts, "order", call)
    if order is None or not isinstance(order.get("items"), list):
        return None
    items = objects(order["items"])
    return [(str(item.get("item_id")), item.get("product_id")) for item in items]


def exchanged(facts: Facts, product: Json, was: str, becomes: str) -> Verdict:
    """Whether one item may give way to another of its product."""
    read = None if product is None else facts.record("product", product)
    variants = None if read is None else read.get("variants")
    if not isinstance(variants, dict):
        return unknown(f"the product of item {was} was not looked up")
    variant = variants.get(becomes)
    if not isinstance(variant, dict):
        return fail(f"item {becomes} is no variant of the product of item {was}")
    if variant.get("available") is False:
        return fail(f"item {becomes} is not available")
    return unless(was != becomes, f"item {was} cannot give way to itself")
