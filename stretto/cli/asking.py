"""Requests asked at once, with what it takes told before and what came of it after."""

import sys
from collections.abc import Iterable

import click

from stretto.cli.oracle_choice import NOBODY, OracleChoice
from stretto.cli.progress import progress
from stretto.cli.warnings import warn
from stretto.files import write_text
from stretto.oracle.batch import Asked, ask_all, check_budget, distinct, estimate
from stretto.oracle.dump import dump_lines
from stretto.oracle.paid import parts
from stretto.oracle.question import Request
from stretto.oracle.versions import Versions

EVERY = 500
"""How many answers lie between two lines, where progress is not shown on a terminal."""

SHOWN = 3
"""How many failures are told."""


def ask_choice(choice: OracleChoice, requests: Iterable[Request]) -> Asked:
    """
    Ask what was chosen, and tell on standard error how it goes.

    Answers are kept as they come, so that an interrupted batch goes on from there. If
    nobody was chosen, nothing is asked and nothing is told, and every answer is
    missing.

    Raises:
        OracleError: it would cost too much, or most of it fails.
        UnknownPlugin: there is no such oracle.
    """
    if choice.asks_nobody:
        return Asked(NOBODY, NOBODY)
    oracle, todo = choice.oracle(), distinct(requests, choice.limit)
    if choice.dump is not None:
        asked_as = (part for one in todo.values() for part in parts(oracle, one))
        lines = dump_lines({part.key: part for part in asked_as})
        write_text(choice.dump, "".join(f"{line}\n" for line in lines))
    cost = estimate(oracle, todo)
    if cost.requests:
        told = f"asking {cost.requests:,} requests, about {cost.tokens:,} tokens"
        click.echo(f"{told}, ${cost.dollars:.2f}" if cost.dollars else told, err=True)
    check_budget(cost, choice.budget)
    asked, versions = Asked(oracle.model), Versions()
    with progress(f"asking {oracle.name}", total=len(todo)) as done:
        for n, outcome in enumerate(ask_all(oracle, todo), start=1):
            asked.add(outcome)
            done()
            if n % EVERY == 0 and not sys.stderr.isatty():
                click.echo(f"{n:,} of {len(todo):,}", err=True)
    for key, response in asked.responses.items():
        versions.note(todo[key], response)
    _warn(asked, versions)
    return asked


def _warn(asked: Asked, versions: Versions) -> None:
    for mixture in versions.mixtures():
        warn(f"{mixture}; `--oracle-model` names one of them")
    for key, error in [*asked.errors.items()][:SHOWN]:
        warn(f"{key[:12]}… has no answer: {error}")
    if (more := len(asked.errors) - SHOWN) > 0:
        warn(f"{more:,} more have none")
