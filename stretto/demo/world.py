"""
The shop's records: customers, orders, parcels and products, made from a seed.

A world is a value. What changes an order gives a new world and leaves the old one.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum

from stretto.demo.catalogue import (
    CARRIERS,
    DEPOTS,
    FAMILY_NAMES,
    GIVEN_NAMES,
    PRODUCTS,
    STREETS,
    TERMS,
    TOWNS,
    Product,
    Terms,
)

TODAY = date(2026, 5, 4)
N_CUSTOMERS = 60


class Status(StrEnum):
    """Where an order is."""

    PROCESSING = "processing"
    SHIPPED = "shipped"
    DELIVERED = "delivered"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Customer:
    """One account."""

    customer_id: str
    name: str
    email: str
    address: str
    order_ids: tuple[str, ...]
    """Newest first."""


@dataclass(frozen=True, slots=True)
class Item:
    """One line of an order."""

    product_id: str
    name: str
    quantity: int
    price: float


@dataclass(frozen=True, slots=True)
class Order:
    """What one customer ordered at one time."""

    order_id: str
    customer_id: str
    status: Status
    placed: str
    items: tuple[Item, ...]
    total: float
    address: str
    parcel_id: str | None
    """None until the order is shipped."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """A shipped order on its way."""

    parcel_id: str
    state: str
    carrier: str
    last_seen: str
    expected: str


@dataclass(frozen=True, slots=True)
class World:
    """Every record, by its id."""

    customers: Mapping[str, Customer]
    orders: Mapping[str, Order]
    parcels: Mapping[str, Parcel]
    products: Mapping[str, Product]
    terms: Mapping[str, Terms]

    def orders_of(self, customer: Customer) -> list[Order]:
        """A customer's orders, newest first."""
        return [self.orders[order_id] for order_id in customer.order_ids]

    def with_order(self, order: Order) -> "World":
        """This world with `order` in place of the one of its id."""
        return replace(self, orders={**self.orders, order.order_id: order})


def build(seed: int) -> World:
    """The world of a seed: 60 customers with one to four orders each."""
    rng = random.Random(f"shop/{seed}")
    customers: dict[str, Customer] = {}
    orders: dict[str, Order] = {}
    parcels: dict[str, Parcel] = {}
    pairs = [(given, family) for given in GIVEN_NAMES for family in FAMILY_NAMES]
    ids = iter(rng.sample(range(10_000, 100_000), 8 * N_CUSTOMERS))
    for given, family in rng.sample(pairs, N_CUSTOMERS):
        customer_id = f"C-{next(ids)}"
        address = _address(rng)
        own = []
        for _ in range(rng.choices((1, 2, 3, 4), (2, 4, 3, 1))[0]):
            parcel = _parcel(rng, f"X{next(ids)}")
            order = _order(rng, f"N-{next(ids)}", customer_id, address, parcel)
            if order.parcel_id:
                state = parcel.state if order.status is Status.SHIPPED else "delivered"
                parcels[parcel.parcel_id] = replace(parcel, state=state)
            orders[order.order_id] = order
            own.append(order)
        own.sort(key=lambda order: (order.placed, order.order_id), reverse=True)
        customers[customer_id] = Customer(
            customer_id,
            f"{given} {family}",
            f"{given}.{family}@example.org".lower(),
            address,
            tuple(order.order_id for order in own),
        )
    products = {product.product_id: product for product in PRODUCTS}
    terms = {term.category: term for term in TERMS}
    return World(customers, orders, parcels, products, terms)


def new_address(rng: random.Random) -> str:
    """An address somebody moved to."""
    return _address(rng)


def _address(rng: random.Random) -> str:
    house, postcode = rng.randrange(1, 90), rng.randrange(10_000, 99_999)
    return f"{house} {rng.choice(STREETS)}, {postcode} {rng.choice(TOWNS)}"


def _order(
    rng: random.Random, order_id: str, customer_id: str, address: str, parcel: Parcel
) -> Order:
    status = rng.choices(tuple(Status), (30, 35, 28, 7))[0]
    items = tuple(
        Item(p.product_id, p.name, rng.choice((1, 1, 1, 2)), p.price)
        for p in rng.sample(PRODUCTS, rng.choice((1, 1, 2, 3)))
    )
    age = rng.randrange(12, 60) if status is Status.DELIVERED else rng.randrange(1, 12)
    sent = status in (Status.SHIPPED, Status.DELIVERED)
    return Order(
        order_id,
        customer_id,
        status,
        str(TODAY - timedelta(days=age)),
        items,
        sum(item.price * item.quantity for item in items),
        address,
        parcel.parcel_id if sent else None,
    )


def _parcel(rng: random.Random, parcel_id: str) -> Parcel:
    states = ("in transit", "delayed", "out for delivery")
    return Parcel(
        parcel_id,
        rng.choices(states, (5, 3, 2))[0],
        rng.choice(CARRIERS),
        rng.choice(DEPOTS),
        str(TODAY + timedelta(days=rng.randrange(0, 6))),
    )
