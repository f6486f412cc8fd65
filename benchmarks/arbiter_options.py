"""
What the options of an arbiter's fit are worth, on decisions drawn from a known one.

    python benchmarks/arbiter_options.py

Prints, for some numbers of decisions, the mean surprise at 2,000 decisions that no fit
saw, over several draws.
"""

import math
from statistics import mean

import click

from stretto.flow.case import Case
from stretto.flow.fitting import Fitting
from stretto.flow.judge import log_likelihood
from stretto.markdown import table
from stretto.models.crossfit import fit
from tests.models.arbiter_cases import TRUE, drawn

N_HELD_OUT = 2000

SIZES = ((8, 3, 8), (15, 3, 8), (60, 5, 8), (60, 15, 8), (400, 15, 4))
"""Decisions, sites, and draws."""

OPTIONS = {
    "published": Fitting(),
    "left out": Fitting(left_out=True),
    "pooled rates": Fitting(pooled_rates=True),
    "laplace": Fitting(posterior="laplace"),
    "a prior that is 0.8 of the truth": Fitting(centre=tuple(0.8 * w for w in TRUE)),
    "a prior of the opposite": Fitting(centre=tuple(-w for w in TRUE)),
}


def surprise(n: int, n_sites: int, seed: int, how: Fitting) -> float:
    """Minus the mean log probability of held-out steps, in nats."""
    cases = drawn(seed, n + N_HELD_OUT, n_sites=n_sites, n_tasks=10**6)
    held_out: list[Case] = [c for c in cases[n:] if c.fittable and c.covered]
    found = log_likelihood(held_out, fit(cases[:n], 2, how))
    return -found / len(held_out)


def truth(seed: int, n_sites: int) -> float:
    """The surprise of guessing evenly among the options, for scale."""
    cases = drawn(seed, N_HELD_OUT, n_sites=n_sites, n_tasks=10**6)
    return mean(math.log(len(c.features.options)) for c in cases)


def main() -> None:
    """Print the table."""
    rows = []
    for n, n_sites, draws in SIZES:
        seeds = range(100, 100 + draws)
        found = [
            mean(surprise(n, n_sites, seed, how) for seed in seeds)
            for how in OPTIONS.values()
        ]
        even = mean(truth(seed, n_sites) for seed in seeds)
        rows.append([f"{n}, {n_sites}", *(f"{s:.3f}" for s in (even, *found))])
    heads = ["decisions, sites", "even", *OPTIONS]
    click.echo(table(heads, rows, right=set(range(1, len(heads)))))


if __name__ == "__main__":
    main()
