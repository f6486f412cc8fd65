"""The shop's records."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.demo.world import Status, build

seeds = st.integers(0, 2**32)


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_every_id_a_record_names_leads_to_a_record(seed):
    world = build(seed)
    for customer in world.customers.values():
        assert customer.order_ids
        for order in world.orders_of(customer):
            assert order.customer_id == customer.customer_id
            assert all(item.product_id in world.products for item in order.items)
            assert order.parcel_id is None or order.parcel_id in world.parcels
    for product in world.products.values():
        assert product.category in world.terms


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_an_order_has_a_parcel_once_it_was_shipped_and_not_before(seed):
    sent = {Status.SHIPPED, Status.DELIVERED}
    for order in build(seed).orders.values():
        assert (order.parcel_id is not None) == (order.status in sent)


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_orders_are_listed_newest_first(seed):
    world = build(seed)
    for customer in world.customers.values():
        placed = [order.placed for order in world.orders_of(customer)]
        assert placed == sorted(placed, reverse=True)


def test_no_two_accounts_share_an_email():
    customers = build(0).customers.values()
    assert len({customer.email for customer in customers}) == len(customers) == 60


def test_one_seed_gives_one_world_and_another_gives_another():
    assert build(3) == build(3)
    assert build(3) != build(4)


def test_changing_an_order_leaves_the_world_it_was_in():
    world = build(0)
    order = next(iter(world.orders.values()))
    moved = replace(order, address="nowhere")
    assert world.with_order(moved).orders[order.order_id] == moved
    assert world.orders[order.order_id] == order
