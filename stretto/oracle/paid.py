"""What asking takes: how many requests, how many tokens, and what is charged."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from stretto.oracle.oracle import Oracle
from stretto.oracle.question import Request

BYTES_PER_TOKEN = 4
"""How a request's tokens are estimated."""


@runtime_checkable
class Paid(Protocol):
    """An oracle that charges for what it answers."""

    def price(self, request: Request) -> float:
        """What asking would cost, in dollars, as estimated before it is asked."""


@runtime_checkable
class Parted(Protocol):
    """An oracle that asks another one several requests for each that it is asked."""

    def parts(self, request: Request) -> Sequence[Request]:
        """Those that are asked for a request."""


def parts(oracle: Oracle, request: Request) -> Sequence[Request]:
    """What is asked for a request: itself, of an oracle that does not say."""
    return oracle.parts(request) if isinstance(oracle, Parted) else (request,)


def price(oracle: Oracle, request: Request) -> float:
    """What asking would cost, in dollars; 0 of an oracle that does not charge."""
    return oracle.price(request) if isinstance(oracle, Paid) else 0.0


def tokens(request: Request) -> int:
    """The estimated tokens of a request: a quarter of its bytes, rounded down."""
    return len(request.data) // BYTES_PER_TOKEN
