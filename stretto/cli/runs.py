"""Runs of a program, printed."""

import math
from itertools import groupby

import click

from stretto.canonical import Json
from stretto.cli.table import show_table
from stretto.cli.warnings import warn
from stretto.episodes.vocabulary import RESPOND
from stretto.flow.run import Numbers
from stretto.flow.tally import Path, Tally
from stretto.program.handlers import Run

SHOWN = 20
"""How many of the ways that runs went are printed; `--json` has them all."""


def show_run(run: Run, tools: Numbers) -> None:
    """Prints a run's choices, each with its log-probability, and the sum."""
    rows = [
        (address, _named(tools, choice.value), f"{choice.log_prob:.4f}")
        for address, choice in run.choices.items()
    ]
    show_table(("address", "choice", "log p"), rows)
    click.echo(f"\nlog probability {run.log_prob:.4f} nats")
    for warning in run.warnings:
        warn(warning)


def show_tally(found: Tally) -> None:
    """Prints the ways that runs went, the most common first."""
    shown = list(found.paths.items())[:SHOWN]
    rows = [(_way(path) or RESPOND, n, f"{n / found.runs:.1%}") for path, n in shown]
    show_table(("lookups", "runs", "share"), rows)
    if more := len(found.paths) - len(shown):
        rest = found.runs - sum(n for _, n in shown)
        click.echo(f"{more:,} other ways in {rest:,} runs; `--json` lists them")
    click.echo(f"\n{found.mean_lookups:.2f} lookups a run")
    if found.impossible:
        warn(f"{found.impossible:,} runs met a soft error")


def tally_json(found: Tally) -> dict[str, Json]:
    """What many runs came to, as JSON."""
    paths: list[Json] = [
        {
            "lookups": [{"tool": tool, "failed": failed} for tool, failed in path],
            "runs": n,
        }
        for path, n in found.paths.items()
    ]
    return {
        "runs": found.runs,
        "mean_lookups": found.mean_lookups,
        "paths": paths,
        "impossible": found.impossible,
    }


def run_json(run: Run) -> Json:
    """A run as JSON; null stands for −∞."""
    choices: list[Json] = [
        {"address": address, "value": value, "log_prob": _finite(log_prob)}
        for address, (value, log_prob) in run.choices.items()
        if not isinstance(value, tuple)
    ]
    return {
        "log_prob": _finite(run.log_prob),
        "log_prior": _finite(run.log_prior),
        "log_likelihood": _finite(run.log_likelihood),
        "log_factors": _finite(run.log_factors),
        "choices": choices,
        "warnings": list(run.warnings),
    }


def _named(tools: Numbers, value: object) -> str:
    if isinstance(value, bool):
        return "ok" if value else "error"
    assert isinstance(value, int)
    return RESPOND if value == 0 else tools.tool(value) or f"tool {value}"


def _way(path: Path) -> str:
    """A path, its repeats counted."""
    steps = [(site, len(list(same))) for site, same in groupby(path)]
    return " → ".join(f"{site} ×{n}" if n > 1 else str(site) for site, n in steps)


def _finite(log_prob: float) -> float | None:
    """The number; null for −∞, which JSON does not have."""
    return log_prob if math.isfinite(log_prob) else None
