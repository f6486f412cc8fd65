"""`stretto match`: a System-One model says which record the customer meant."""

from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.asking import ask_choice
from stretto.cli.chosen import Measured
from stretto.cli.examples import example
from stretto.cli.options import Sessions, as_json, labelled_sessions
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import judges
from stretto.cli.reports import html_option, write_report
from stretto.cli.rules import rules_of, rules_option
from stretto.evaluate.match import (
    MatchAudit,
    Tally,
    audit_match,
    gather_picks,
    match_requests,
)
from stretto.guards.match import Picks
from stretto.report.match import match_document


@click.command(
    epilog=example(
        "stretto match sessions/ --domain retail --oracle none",
        "stretto match sessions/ --domain airline --manifest airline.json --json",
    )
)
@labelled_sessions
@rules_option
@judges(dollars=2)
@html_option
@as_json
def match(
    sessions: Sessions,
    named: str | None,
    choice: OracleChoice,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Ask a System-One model which records the customer meant.

    That is at recorded writes that pick an order's items, an item's variant, a payment
    method or a reservation. The model is shown the customer's words and the candidates.
    Its picks and the agents' are held to what the tasks expect, which τ-bench's and
    τ²-bench's files say. With `--oracle none` nobody is asked, and it is told how often
    the agents were right.

    PATHS are session files and folders of them. --rules say which results are records;
    --manifest holds what the writes do in words.
    """
    rules, name = rules_of(sessions, named)
    found = gather_picks(rules, Measured(sessions))
    model, wording, manifest = choice.model(), choice.wording(), sessions.manifest()
    asked = ask_choice(choice, match_requests(found, model, wording, manifest))
    oracle = None if choice.asks_nobody else choice.kind
    audit = audit_match(found, asked, wording, manifest)
    write_report(
        lambda _: match_document(audit, name, oracle),
        summary(audit, name, oracle, None if oracle is None else asked.model),
        page,
        as_json,
    )


def summary(
    audit: MatchAudit, domain: str, oracle: str | None, model: str | None
) -> Json:
    """The picks as JSON; no oracle and no model where nobody was asked."""
    found = audit.matchable
    return {
        "domain": domain,
        "oracle": oracle,
        "model": model,
        "sessions": found.sessions,
        "without_task": found.without_task,
        "unexpected": found.unexpected,
        "picks": {
            picks.value: {tally.value: audit.counts[picks, tally] for tally in Tally}
            for picks in Picks
        },
    }
