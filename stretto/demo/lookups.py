"""What an agent looks up, as records, and what it remembers of it."""

import json
from dataclasses import replace

from stretto.demo.acts import Call, Play, Result, calls
from stretto.demo.catalogue import Product, Terms
from stretto.demo.world import Customer, Item, Order, Parcel, Status


class Lookups:
    """
    The records one agent has read. None is read twice unless it was changed.

    What a flow has added to a result was read, too.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def make(self, *made: Call, changes: Order | None = None) -> Play[list[Result]]:
        """
        One turn of calls, and what they return.

        Args:
            changes: An order that is to be read anew the next time.
        """
        results = yield from calls(*made)
        if changes is not None:
            read = Call("get_order", {"order_id": changes.order_id})
            self._texts.pop(read.spelled, None)
        for lookup in (lookup for result in results for lookup in result.added):
            if not lookup.said.has_failed:
                call = Call(lookup.tool, lookup.arguments)
                self._texts[call.spelled] = lookup.said.text
        return [*results]

    def customer(self, customer_id: str) -> Play[Customer]:
        """An account."""
        [text] = yield from self._texts_of("get_customer", "customer_id", customer_id)
        customer = Customer(**json.loads(text))
        return replace(customer, order_ids=tuple(customer.order_ids))

    def orders(self, *order_ids: str) -> Play[list[Order]]:
        """Orders, those not known yet read in one turn."""
        texts = yield from self._texts_of("get_order", "order_id", *order_ids)
        return [_order(text) for text in texts]

    def parcels(self, *orders: Order) -> Play[list[Parcel]]:
        """The parcels of orders that have one, those not known yet read in one turn."""
        ids = [order.parcel_id for order in orders if order.parcel_id]
        texts = yield from self._texts_of("track_parcel", "parcel_id", *ids)
        return [Parcel(**json.loads(text)) for text in texts]

    def product(self, item: Item) -> Play[Product]:
        """The product an item is of."""
        [text] = yield from self._texts_of("get_product", "product_id", item.product_id)
        return Product(**json.loads(text))

    def terms(self, item: Item) -> Play[Terms]:
        """The terms on which an item comes back, by way of its product."""
        category = (yield from self.product(item)).category
        [text] = yield from self._texts_of("get_return_terms", "category", category)
        return Terms(**json.loads(text))

    def _texts_of(self, tool: str, argument: str, *values: str) -> Play[list[str]]:
        wanted = [Call(tool, {argument: value}) for value in values]
        unread = [call for call in wanted if call.spelled not in self._texts]
        if unread:
            results = yield from self.make(*unread)
            for call, result in zip(unread, results, strict=True):
                self._texts[call.spelled] = result.text
        return [self._texts[call.spelled] for call in wanted]


def _order(text: str) -> Order:
    order = Order(**json.loads(text))
    items = tuple(Item(**item) for item in json.loads(text)["items"])
    return replace(order, status=Status(order.status), items=items)
