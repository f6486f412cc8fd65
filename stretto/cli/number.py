"""A number on the command line."""

import math
from typing import Any

import click


class Number(click.FloatRange):
    """A finite float within a range; `nan` and `inf` are in no range of ours."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        found: float = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is no finite number.", param, ctx)
        return found


PROBABILITY = Number(0, 1)
