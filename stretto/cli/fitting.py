"""The options that say how an arbiter is fitted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TypeAlias, cast

import click

from stretto.cli.importing import import_whole
from stretto.cli.number import Whole
from stretto.errors import CannotDecide
from stretto.flow.fitting import Fitter, Fitting, Posterior
from stretto.learn.adopt import read_given
from stretto.oracle.predicates import Predicate

Decorator: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]


@dataclass(frozen=True, slots=True)
class FittingChoice:
    """How to fit, as it was given."""

    left_out: bool
    pooled_rates: bool
    posterior: str | None
    draws: int
    prior_from: Path | None

    @property
    def given(self) -> tuple[str, ...]:
        """The options that were given."""
        known = {
            "--prior-from": self.prior_from is not None,
            "--posterior": self.posterior is not None,
            "--left-out": self.left_out,
            "--pooled-rates": self.pooled_rates,
        }
        return tuple(name for name, is_given in known.items() if is_given)

    def fitting(
        self, weighed: Sequence[Predicate], *, by_fold: bool = False
    ) -> Fitting:
        """
        How to fit an arbiter of these predicates.

        Raises:
            FormatError: the file of the prior's centre is no arbiter.
            CannotDecide: it weighs other predicates.
        """
        return Fitting(
            by_fold=by_fold,
            centre=None
            if self.prior_from is None
            else _centre(self.prior_from, weighed),
            left_out=self.left_out,
            pooled_rates=self.pooled_rates,
            posterior=cast(Posterior | None, self.posterior),
            draws=self.draws,
        )


def fitter() -> Fitter:
    """What fits arbiters. JAX takes seconds to start, so it is loaded when needed."""
    fit: Fitter = import_whole("stretto.models.crossfit").fit
    return fit


def fitting(command: Callable[..., None]) -> Callable[..., None]:
    """Has the command take how to fit, as one `how`."""

    @wraps(command)
    def wrapped(
        left_out: bool,
        pooled_rates: bool,
        posterior: str | None,
        posterior_draws: int,
        prior_from: Path | None,
        **others: object,
    ) -> None:
        how = FittingChoice(
            left_out, pooled_rates, posterior, posterior_draws, prior_from
        )
        command(how=how, **others)

    decorated: Callable[..., None] = wrapped
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _centre(path: Path, weighed: Sequence[Predicate]) -> tuple[float, ...]:
    arbiter = read_given(path).arbiter
    if (found := [p.id for p in arbiter.weighed]) != [p.id for p in weighed]:
        raise CannotDecide(
            f"{path} weighs {', '.join(found) or 'no predicate'}, and the fit weighs "
            f"{', '.join(p.id for p in weighed) or 'none'}",
            hint="a prior needs a weight for each feature: name the same predicates",
        )
    return arbiter.fitted.weights


_OPTIONS: Sequence[Decorator] = (
    click.option(
        "--prior-from",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Start from the weights of this arbiter or flow, and leave them as far as "
        "held-out decisions ask for it; from zeros if left out.",
    ),
    click.option(
        "--posterior",
        type=click.Choice(["laplace", "nuts"]),
        help="Average over weights drawn from their posterior, instead of taking the "
        "likeliest.",
    ),
    click.option(
        "--posterior-draws",
        type=Whole(min=1),
        default=100,
        show_default=True,
        metavar="N",
        help="How many weights to draw.",
    ),
    click.option(
        "--left-out",
        is_flag=True,
        help="Leave each decision out of the reliability that it is fitted with.",
    ),
    click.option(
        "--pooled-rates",
        is_flag=True,
        help="Infer from all sites how far one site's reliability is to be trusted, in "
        "place of ten decisions' worth.",
    ),
)
