"""The shop's tools."""

import json

import pytest

from stretto.demo.tools import TOOLS, Refused, call
from stretto.demo.world import Order, Status, World, build

WORLD = build(0)


def run(tool: str, world: World = WORLD, **arguments: str):
    answer = call(TOOLS[tool], world, arguments)
    return json.loads(answer.text), answer.world


def some_order(status: Status) -> Order:
    return next(o for o in WORLD.orders.values() if o.status is status)


def test_a_read_leaves_the_world_as_it_was():
    order = some_order(Status.SHIPPED)
    product_id = order.items[0].product_id
    for tool, arguments in {
        "find_customer": {"email": WORLD.customers[order.customer_id].email},
        "get_customer": {"customer_id": order.customer_id},
        "get_order": {"order_id": order.order_id},
        "track_parcel": {"parcel_id": order.parcel_id},
        "get_product": {"product_id": product_id},
        "get_return_terms": {"category": WORLD.products[product_id].category},
    }.items():
        assert TOOLS[tool].read_only
        assert run(tool, **arguments)[1] is WORLD


def test_an_account_is_found_however_its_email_is_typed():
    customer = next(iter(WORLD.customers.values()))
    found, _ = run("find_customer", email=f" {customer.email.upper()} ")
    assert found["customer_id"] == customer.customer_id


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.PROCESSING])
def test_only_an_order_in_processing_is_cancelled_or_moved(status):
    order = some_order(status)
    with pytest.raises(Refused, match=status):
        run("cancel_order", order_id=order.order_id, reason="")
    with pytest.raises(Refused, match=status):
        run("change_address", order_id=order.order_id, address="")


def test_a_cancelled_order_is_read_as_cancelled_afterwards():
    order_id = some_order(Status.PROCESSING).order_id
    _, after = run("cancel_order", order_id=order_id, reason="changed my mind")
    assert run("get_order", after, order_id=order_id)[0]["status"] == "cancelled"


def test_a_moved_order_has_its_new_address_afterwards():
    order_id = some_order(Status.PROCESSING).order_id
    _, after = run("change_address", order_id=order_id, address="3 Quay, Aldern")
    assert run("get_order", after, order_id=order_id)[0]["address"] == "3 Quay, Aldern"


def test_only_what_a_delivered_order_holds_comes_back():
    shipped, delivered = some_order(Status.SHIPPED), some_order(Status.DELIVERED)
    product_id = delivered.items[0].product_id
    with pytest.raises(Refused, match="not delivered"):
        run(
            "open_return",
            order_id=shipped.order_id,
            product_id=shipped.items[0].product_id,
            reason="",
        )
    with pytest.raises(Refused, match="holds no P-000"):
        run("open_return", order_id=delivered.order_id, product_id="P-000", reason="")
    opened, _ = run(
        "open_return", order_id=delivered.order_id, product_id=product_id, reason=""
    )
    assert opened["return_id"]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_call_without_its_arguments_is_refused_by_name(tool):
    first = next(iter(TOOLS[tool].args))
    with pytest.raises(Refused, match=f"{tool} needs a string `{first}`"):
        call(TOOLS[tool], WORLD, {})
    with pytest.raises(Refused, match=f"{tool} needs a string `{first}`"):
        call(TOOLS[tool], WORLD, {first: 7})


@pytest.mark.parametrize(
    "tool", [t for t in TOOLS if t not in ("hand_over", "find_customer")]
)
def test_an_id_of_nothing_is_refused_and_named(tool):
    with pytest.raises(Refused, match=r"there is no .* nothing"):
        run(tool, **dict.fromkeys(TOOLS[tool].args, "nothing"))
