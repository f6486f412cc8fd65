"""`stretto audit`: score recorded sessions under a flow."""

from collections.abc import Iterable
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.chosen import Measured
from stretto.cli.deciding import ORACLE, Deciding
from stretto.cli.examples import example
from stretto.cli.options import Sessions, as_json, sessions
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import questions
from stretto.cli.reports import html_option, write_report
from stretto.cli.tasks import Tasks, tasks
from stretto.episodes.episode import Episode
from stretto.evaluate.audit import Audit, audited_by
from stretto.evaluate.audit import audit as audit_flow
from stretto.evaluate.one_by_one import OneByOne
from stretto.report.audit import audit_document


@click.command(
    epilog=example(
        "stretto audit shop.flow.json new-sessions/",
        "stretto audit retail.flow.json results.json.gz --split split.json \\",
        "    --html audit.html",
        "stretto audit retail.flow.json new-sessions/ --decider arbiter --oracle jev",
    ),
)
@click.argument("flow", type=click.Path(path_type=Path))
@sessions
@tasks("test")
@click.option(
    "--decider", metavar="NAME",
    help="Whose probabilities: arbiter, habit or reach; if left out, the arbiter's "
    "where the flow has one, else the habit's.",
)  # fmt: skip
@click.option(
    "--each-call", is_flag=True,
    help="Score every call of a turn, each as a flow sees it: behind the one before, "
    "with its result. If left out a turn's first call is scored, as published.",
)  # fmt: skip
@questions(dollars=1, default=ORACLE)
@html_option
@as_json
def audit(
    flow: Path,
    sessions: Sessions,
    tasks: Tasks | None,
    decider: str | None,
    each_call: bool,
    choice: OracleChoice,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Score recorded sessions under a flow.

    How likely the flow makes what the agents did after each call: agreement, surprise
    by decision, site and session, and calibration. Nothing is looked up. With an
    arbiter the questions are asked all at once, or answers that were kept are taken.

    FLOW is a file that `stretto learn` wrote; PATHS are session files and folders of
    them. Every session is scored, whether it succeeded or not.
    """
    deciding = Deciding.of(flow, decider, choice, default=audited_by)
    episodes: Iterable[Episode] = Measured(sessions, tasks, again=deciding.asks)
    if each_call:
        episodes = OneByOne(episodes)
    oracle = deciding.asked(episodes)
    found = audit_flow(deciding.flow, episodes, decider=deciding.decider, oracle=oracle)
    write_report(
        lambda draw: audit_document(found, flow.name, draw, each_call=each_call),
        {**summary(found), "each_call": each_call},
        page,
        as_json,
    )


def summary(audit: Audit) -> dict[str, Json]:
    """The audit as JSON. Log probabilities are in nats."""
    return {
        "domain": audit.domain,
        "decider": audit.decider,
        "episodes": audit.episodes,
        "decisions": audit.decisions,
        "unanswered": audit.unanswered,
        "log_prob": audit.log_p,
        "mean_log_prob": audit.mean_log_p,
        "offered": audit.offered,
        "mean_log_prob_offered": audit.mean_log_p_offered,
        "mean_log_prob_without_other": audit.mean_log_p_among,
        "agreement": audit.agreement,
        "expected_agreement": audit.expected_agreement,
        "ece": audit.ece,
        "skipped": {code.value: n for code, n in audit.skipped.items()},
        "calibration": [
            {"from": b.low, "decisions": b.decisions, "mean_prob": b.mean_p,
             "agreement": b.agreement}
            for b in audit.calibration
        ],
        "sites": [
            {"site": s.site, "decisions": s.decisions, "agreement": s.agreement,
             "mean_log_prob": s.mean_log_p}
            for s in audit.sites
        ],
        "surprising": [
            {"episode": e.episode, "task": e.task, "decisions": e.decisions,
             "mean_log_prob": e.mean_log_p}
            for e in audit.surprising
        ],
    }  # fmt: skip
