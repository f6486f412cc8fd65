"""
The scripted agent: it stands in for a language model at the shop's desk.

What it does next depends on what it read, as it would for a model; a style drawn for
each session varies the rest.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from stretto.demo.acts import Call, Play, Say, ask, say
from stretto.demo.customer import Heard, Need, Request, Wish
from stretto.demo.lookups import Lookups
from stretto.demo.world import Item, Order, Parcel, Status

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Style:
    """How the agent of one session works."""

    together: bool
    """Reads several records in one turn."""
    thorough: bool
    """Looks up more than the answer needs, and fetches a person sooner."""
    trusting: bool
    """Reads an order whose number it was given without asking who calls."""
    slips: bool
    """Mistypes the first order number it copies."""


def drawn_style(rng: random.Random) -> Style:
    """A style, each habit as likely as it is common."""
    return Style(*(rng.random() < share for share in (0.3, 0.4, 0.6, 0.07)))


class Agent:
    """One session's agent, and what it knows so far."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._slips = style.slips
        self._customer_id = ""
        self._look = Lookups()

    def serve(self, opening: Heard) -> Play[None]:
        """The whole conversation: one request settled after the other."""
        heard: Heard | None = opening
        while heard is not None and heard.request is not None:
            words = yield from self._settle(heard.request, email=heard.value)
            heard = yield from say(words)
        if heard is not None:
            yield Say("You are welcome.", None)

    def _settle(self, request: Request, *, email: str) -> Play[str]:
        """What to tell the customer once everything is looked up and done."""
        public = request.order_id and request.wish in (Wish.TRACK, Wish.STOCK)
        if not self._customer_id and not (public and self._style.trusting):
            known = yield from self._identify(email)
            if not known:
                yield from self._hand_over("no account was found")
                return "I cannot find your account. A colleague will write to you."
        if request.wish is Wish.DELAYED:
            return (yield from self._delayed())
        order = yield from self._find(request)
        item = next(item for item in order.items if item.name == request.product)
        match request.wish:
            case Wish.TRACK:
                return (yield from self._track(order, item))
            case Wish.CANCEL:
                return (yield from self._cancel(order, item, request.reason))
            case Wish.MOVE:
                return (yield from self._move(order))
            case Wish.RETURN:
                return (yield from self._return(order, item, request.reason))
            case Wish.STOCK:
                product = yield from self._look.product(item)
                stock = "in stock" if product.in_stock else "sold out for now"
                return f"The {product.name}, €{product.price:.2f}, is {stock}."

    def _identify(self, email: str) -> Play[bool]:
        """Whether the account was found, with a second try at its address."""
        question = "Which e-mail address is your account under?"
        for _ in range(2):
            email = email or (yield from ask(question, Need.EMAIL))
            call = Call("find_customer", {"email": email})
            [found] = yield from self._look.make(call)
            if not found.failed:
                self._customer_id = json.loads(found.text)["customer_id"]
                return True
            question = f"I find no account under {email}. Could you spell it again?"
            email = ""
        return False

    def _find(self, request: Request) -> Play[Order]:
        """The order a request is about: the one named, or the newest that fits."""
        if request.order_id:
            if self._customer_id and self._style.thorough:
                yield from self._look.customer(self._customer_id)
            [order] = yield from self._orders(request.order_id)
            return order
        customer = yield from self._look.customer(self._customer_id)
        for order_ids in self._batches(customer.order_ids):
            for order in (yield from self._orders(*order_ids)):
                if request.product in {item.name for item in order.items}:
                    return order
        raise LookupError(f"{customer.name} never ordered the {request.product}")

    def _track(self, order: Order, item: Item) -> Play[str]:
        if order.status is Status.PROCESSING and self._style.thorough:
            product = yield from self._look.product(item)
            wait = "is being packed" if product.in_stock else "waits for stock"
            return f"Order {order.order_id} {wait}."
        if order.status is Status.SHIPPED:
            return (yield from self._on_its_way(order))
        return f"Order {order.order_id} is {order.status}."

    def _cancel(self, order: Order, item: Item, reason: str) -> Play[str]:
        match order.status:
            case Status.PROCESSING:
                question = f"Shall I cancel {order.order_id}, €{order.total:.2f}?"
                if (yield from ask(question, Need.CONSENT)) != "yes":
                    return f"Then order {order.order_id} stays as it is."
                yield from self._change("cancel_order", order, reason=reason)
                return f"Order {order.order_id} is cancelled and will be refunded."
            case Status.SHIPPED:
                return (yield from self._on_its_way(order))
            case Status.DELIVERED:
                terms = yield from self._look.terms(item)
                return f"It has arrived; it can come back within {terms.days} days."
            case Status.CANCELLED:
                return f"Order {order.order_id} is cancelled already."

    def _move(self, order: Order) -> Play[str]:
        if order.status is Status.PROCESSING:
            address = yield from ask("Where should it go?", Need.ADDRESS)
            yield from self._change("change_address", order, address=address)
            return f"Order {order.order_id} now goes to {address}."
        if order.status is not Status.SHIPPED:
            return f"Order {order.order_id} is {order.status}."
        words = yield from self._on_its_way(order)
        if not self._style.thorough:
            return words
        yield from self._hand_over(f"redirect order {order.order_id}")
        return f"{words} A colleague will try to redirect it."

    def _return(self, order: Order, item: Item, reason: str) -> Play[str]:
        if order.status is Status.SHIPPED:
            return (yield from self._on_its_way(order))
        if order.status is not Status.DELIVERED:
            return f"Order {order.order_id} is {order.status}: nothing can come back."
        terms = yield from self._look.terms(item)
        if terms.days == 0:
            return f"I am sorry: what is for the {terms.category} is {terms.condition}."
        question = f"We take it back {terms.condition}. Shall I open a return?"
        if (yield from ask(question, Need.CONSENT)) != "yes":
            return "Then I leave it at that."
        product_id = item.product_id
        yield from self._change(
            "open_return", order, product_id=product_id, reason=reason
        )
        return f"The return is open; the label for the {item.name} is on its way."

    def _delayed(self) -> Play[str]:
        """Which of the customer's orders are late, every parcel looked at."""
        customer = yield from self._look.customer(self._customer_id)
        orders: list[Order] = []
        for order_ids in self._batches(customer.order_ids):
            orders += yield from self._orders(*order_ids)
        shipped = [order for order in orders if order.status is Status.SHIPPED]
        parcels: list[Parcel] = []
        for batch in self._batches(shipped):
            parcels += yield from self._look.parcels(*batch)
        late = [parcel for parcel in parcels if parcel.state == "delayed"]
        if not late:
            return "None of your orders is late."
        if self._style.thorough:
            yield from self._hand_over(f"parcel {late[0].parcel_id} is late")
        return " ".join(map(_whereabouts, late))

    def _on_its_way(self, order: Order) -> Play[str]:
        [parcel] = yield from self._look.parcels(order)
        return f"Order {order.order_id} has left. {_whereabouts(parcel)}"

    def _orders(self, *order_ids: str) -> Play[list[Order]]:
        """The orders, after a slip of the pen where the style has one."""
        if self._slips:
            self._slips = False
            slip = _mistyped(order_ids[0])
            yield from self._look.make(Call("get_order", {"order_id": slip}))
        return (yield from self._look.orders(*order_ids))

    def _change(self, tool: str, order: Order, **arguments: str) -> Play[None]:
        call = Call(tool, {"order_id": order.order_id, **arguments})
        yield from self._look.make(call, changes=order)

    def _hand_over(self, summary: str) -> Play[None]:
        yield from self._look.make(Call("hand_over", {"summary": summary}))

    def _batches(self, things: Sequence[T]) -> Iterator[Sequence[T]]:
        """The things one by one, or all in one batch."""
        size = max(len(things), 1) if self._style.together else 1
        return (things[i : i + size] for i in range(0, len(things), size))


def _whereabouts(parcel: Parcel) -> str:
    return (
        f"Parcel {parcel.parcel_id} is {parcel.state}, last seen at "
        f"{parcel.last_seen}, and should arrive on {parcel.expected}."
    )


def _mistyped(order_id: str) -> str:
    return f"{order_id[:-1]}{(int(order_id[-1]) + 1) % 10}"
