"""`stretto confirm`: a System-One model judges whether recorded writes were agreed."""

from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.asking import ask_choice
from stretto.cli.chosen import Measured
from stretto.cli.examples import example
from stretto.cli.number import Number, Whole
from stretto.cli.options import Sessions, as_json, labelled_sessions
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import judges
from stretto.cli.reports import html_option, write_report
from stretto.cli.rules import rules_of, rules_option
from stretto.evaluate.confirm import (
    FAILURES,
    ConfirmAudit,
    Count,
    Example,
    audit_confirm,
    requests,
)
from stretto.evaluate.guards import ENDED, N_EXAMPLES
from stretto.evaluate.judged import gather
from stretto.guards.confirm import THRESHOLD, Asked, Judging
from stretto.guards.evidence import Group
from stretto.report.confirm import confirm_document, shown

SECONDS = [asked.value for asked in Asked if asked is not Asked.CONFIRMED]
"""The questions that may be asked beside the first."""


@click.command(
    epilog=example(
        "stretto confirm sessions/ --domain retail --oracle none",
        "stretto confirm sessions/ --domain retail --second proposed --html judge.html",
    )
)
@labelled_sessions
@rules_option
@judges(dollars=2)
@click.option(
    "--second-question",
    "--second",
    "second",
    type=click.Choice(SECONDS),
    help="Another question to ask of each write, which fails it too.",
)
@click.option(
    "--threshold",
    type=Number(min=0, max=1),
    metavar="P",
    default=THRESHOLD,
    show_default=True,
    help="A write fails below this probability of a yes.",
)
@click.option(
    "--examples",
    type=Whole(0, 1000),
    default=N_EXAMPLES,
    show_default=True,
    help="How many writes of each kind of disagreement are shown.",
)
@html_option
@as_json
def confirm(
    sessions: Sessions,
    named: str | None,
    choice: OracleChoice,
    second: str | None,
    threshold: float,
    examples: int,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Ask a System-One model whether the customer agreed to each recorded write.

    It is shown what the agent said last, what the customer replied, and the call. Its
    answers stand beside the word list of the rules that end in `.confirmed`: how many
    writes each of the two fails, of those that the tools accepted, in sessions that
    succeeded and that failed, and of those that they refused.

    With `--oracle none` nobody is asked: what is told is what the word list makes of
    the writes, and which arguments look like another record's.

    PATHS are session files and folders of them.
    """
    rules, name = rules_of(sessions, named)
    judging = Judging(Asked(second) if second else None, threshold=threshold)
    found = gather(rules, Measured(sessions))
    model, wording = choice.model(), choice.wording()
    asked = ask_choice(choice, requests(found, judging, model, wording))
    oracle = None if choice.asks_nobody else choice.kind
    audit = audit_confirm(rules, found, judging, asked, wording, n_examples=examples)
    write_report(
        lambda _: confirm_document(audit, name, oracle),
        summary(audit, oracle, None if oracle is None else asked.model),
        page,
        as_json,
    )


def summary(audit: ConfirmAudit, oracle: str | None, model: str | None) -> Json:
    """The audit as JSON; no oracle and no model where nobody was asked."""
    gathered, judging = audit.gathered, audit.judging
    return {
        "domain": audit.guards.domain,
        "oracle": oracle,
        "model": model,
        "questions": [asked.value for asked in judging.asked],
        "threshold": judging.threshold,
        "sessions": {
            group.value: {
                "read": gathered.sessions[group],
                **{way.value: audit.episodes[group, way] for way in FAILURES},
            }
            for group in ENDED
        },
        "counts": {
            group.value: {count.value: audit.counts[group, count] for count in Count}
            for group in Group
        },
        "unreturned": gathered.unreturned,
        "elsewhere": gathered.elsewhere,
        "examples": {
            kind.value: [_example(found) for found in examples]
            for kind, examples in audit.examples.items()
        },
    }


def _example(found: Example) -> Json:
    write = found.write
    return {
        "episode": write.episode,
        "task": write.task,
        "group": write.group.value,
        "tool": write.call.tool,
        "arguments": write.call.arguments,
        "agent": shown(write.exchange.proposal),
        "customer": shown(write.exchange.customer),
        "word_list": write.is_listed,
        "p_yes": found.p_yes,
        "p_second": found.p_second,
    }
