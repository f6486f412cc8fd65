"""What asking costs, for the oracles that charge."""

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


def price(oracle: Oracle, request: Request) -> float:
    """What asking would cost, in dollars; 0 of an oracle that does not charge."""
    return oracle.price(request) if isinstance(oracle, Paid) else 0.0


def tokens(request: Request) -> int:
    """The estimated tokens of a request: a quarter of its bytes, rounded down."""
    return len(request.data) // BYTES_PER_TOKEN
