"""Who turns to the shop, what they want, and how they put it."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from stretto.demo.world import Customer, Order, Status, World, new_address


class Wish(StrEnum):
    """What a customer wants."""

    TRACK = "track"
    CANCEL = "cancel"
    MOVE = "move"
    RETURN = "return"
    DELAYED = "delayed"
    STOCK = "stock"


class Need(StrEnum):
    """What an agent waits to hear."""

    EMAIL = "email"
    CONSENT = "consent"
    ADDRESS = "address"
    MORE = "more"


@dataclass(frozen=True, slots=True)
class Request:
    """A wish about one order, as an agent would understand it."""

    wish: Wish
    product: str
    """What the order holds, by name."""
    reason: str
    order_id: str | None = None
    """None unless the customer has the number at hand."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a customer said, and what it meant to the agent."""

    text: str
    request: Request | None = None
    value: str = ""
    """An address, or `yes` or `no`; empty where nothing was asked for."""


_WEIGHTS = {
    Wish.TRACK: 30,
    Wish.CANCEL: 20,
    Wish.RETURN: 20,
    Wish.MOVE: 10,
    Wish.DELAYED: 10,
    Wish.STOCK: 10,
}

_FITTING = {
    Wish.CANCEL: {Status.PROCESSING},
    Wish.MOVE: {Status.PROCESSING},
    Wish.RETURN: {Status.DELIVERED},
    Wish.TRACK: {Status.SHIPPED, Status.PROCESSING},
}

_WORDS = {
    Wish.TRACK: (
        "where is my {product}?",
        "the {product} I ordered has not come yet. Where is it?",
        "could you check on the {product} for me?",
    ),
    Wish.CANCEL: (
        "please cancel my order of the {product}: {reason}.",
        "I would like to cancel the {product}, {reason}.",
    ),
    Wish.MOVE: (
        "I have moved. Can the {product} go to my new address?",
        "the {product} should be sent to another address, please.",
    ),
    Wish.RETURN: (
        "I want to send the {product} back, {reason}.",
        "can I return the {product}? The trouble is that {reason}.",
    ),
    Wish.DELAYED: (
        "one of my orders is late. Which one, and when does it come?",
        "is anything I ordered delayed?",
    ),
    Wish.STOCK: (
        "I bought the {product} from you. Can I get another one?",
        "do you still have the {product} I ordered?",
    ),
}

_REASONS = {
    Wish.CANCEL: ("I ordered it twice", "I no longer need it", "I found it nearby"),
    Wish.RETURN: ("it is too big", "the colour is wrong", "it came scratched"),
}


class Caller:
    """
    One customer on the line, with what they will say drawn from `rng`.

    Some begin without their address, some mistype it, some know an order's number,
    and some have a second wish once the first is settled.
    """

    def __init__(self, world: World, customer: Customer, rng: random.Random) -> None:
        self._world, self._customer, self._rng = world, customer, rng
        self._emails = self._spellings()
        self._wishes = 2 if rng.random() < 0.25 else 1

    def opening(self) -> Heard:
        """The first thing said: a request, often with an e-mail address."""
        request, words = self._request()
        if self._rng.random() < 0.65:
            email = next(self._emails)
            return Heard(f"Hello, {email} here: {words}", request, email)
        return Heard(f"Hello, {words}", request)

    def answer(self, need: Need) -> Heard | None:
        """What is said to an agent that waits for `need`; None for hanging up."""
        match need:
            case Need.EMAIL:
                email = next(self._emails)
                return Heard(f"It is {email}.", value=email)
            case Need.CONSENT if self._rng.random() < 0.88:
                return Heard("Yes, please.", value="yes")
            case Need.CONSENT:
                return Heard("No, leave it then.", value="no")
            case Need.ADDRESS:
                address = new_address(self._rng)
                return Heard(f"To {address}.", value=address)
            case Need.MORE if self._wishes:
                request, words = self._request()
                return Heard(f"And another thing: {words}", request)
            case Need.MORE:
                thankful = self._rng.random() < 0.3
                return Heard("Thank you, that was all.") if thankful else None

    def _request(self) -> tuple[Request, str]:
        self._wishes -= 1
        rng = self._rng
        wish = rng.choices(tuple(_WEIGHTS), tuple(_WEIGHTS.values()))[0]
        order = self._order(wish)
        product = rng.choice(order.items).name
        reason = rng.choice(_REASONS.get(wish, ("",)))
        words = rng.choice(_WORDS[wish]).format(product=product, reason=reason)
        if wish is Wish.DELAYED or rng.random() < 0.75:
            return Request(wish, product, reason), words
        words = f"{words} The order is {order.order_id}."
        return Request(wish, product, reason, order.order_id), words

    def _order(self, wish: Wish) -> Order:
        orders = self._world.orders_of(self._customer)
        fitting = [o for o in orders if o.status in _FITTING.get(wish, set(Status))]
        if fitting and self._rng.random() < 0.85:
            orders = fitting
        return self._rng.choice(orders)

    def _spellings(self) -> Iterator[str]:
        """The address as it is given each time it is asked for."""
        email = self._customer.email
        wrong = email.replace(".", "", 1)
        luck = self._rng.random()
        if luck < 0.1:
            yield wrong
        while True:
            yield wrong if luck < 0.025 else email


class Repeated:
    """
    A customer who says again what one has said before.

    Args:
        answers: In the order in which they were given.
    """

    def __init__(self, answers: Iterable[Heard]) -> None:
        self._left = iter(answers)

    def answer(self, _: Need, /) -> Heard | None:
        """The next answer, whatever the agent waits for; None once all are given."""
        return next(self._left, None)
