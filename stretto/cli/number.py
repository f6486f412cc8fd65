"""Numbers on the command line."""

import math
from typing import Any

import click


class Number(click.FloatRange):
    """A finite float within a range; `nan` and `inf` are in no range of ours."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        found: float = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is no finite number.", param, ctx)
        return found

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """`P` for a probability, `N` for any other number, as `--help` names it."""
        return "P" if (self.min, self.max) == (0, 1) else "N"


class Whole(click.IntRange):
    """A whole number within a range."""

    name = "whole number"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """`N`, as `--help` names it."""
        return "N"


PROBABILITY = Number(0, 1)
