"""What tokens cost, as an option."""

from typing import Any

import click

from stretto.cli.number import Number
from stretto.evaluate.balance import INPUT, TokenPrices

MAX_PRICE = 1e6
"""The most that a token may cost beside one of uncached input."""


class PriceType(click.ParamType[TokenPrices]):
    """Three prices, as `OUT,READ,WRITE`."""

    name = "price"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> TokenPrices:
        """The prices, each from 0 to `MAX_PRICE`."""
        if isinstance(value, TokenPrices):
            return value
        parts = str(value).split(",")
        if len(parts) != len(TokenPrices._fields):
            self.fail(f"{value!r} is not three numbers: OUT,READ,WRITE.", param, ctx)
        number = Number(0, MAX_PRICE)
        return TokenPrices(*(number.convert(part, param, ctx) for part in parts))


price_option = click.option(
    "--price", "prices", type=PriceType(), metavar="OUT,READ,WRITE", default=INPUT,
    help="What a token costs as output, read from the cache and written to it, beside "
    "one of uncached input; if left out 0,1,1: input alone, and no cache.",
)  # fmt: skip
