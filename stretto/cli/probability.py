"""A number from 0 to 1 on the command line."""

import math
from typing import Any

import click


class Probability(click.FloatRange):
    """A float from 0 to 1, and never NaN, which no range keeps out."""

    def __init__(self) -> None:
        super().__init__(0, 1)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        found: float = super().convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"{value} is no number.", param, ctx)
        return found
