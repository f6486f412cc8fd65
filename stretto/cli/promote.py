"""`stretto promote`: let a flow act where its lookups would have been used."""

from dataclasses import asdict, replace
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.chosen import Measured
from stretto.cli.examples import example
from stretto.cli.number import PROBABILITY, Number, Whole
from stretto.cli.options import Sessions, as_json, sessions
from stretto.cli.reports import html_option, write_report
from stretto.cli.tasks import Tasks, tasks
from stretto.evaluate.intervals import N_DRAWS, SEED
from stretto.flow.deciders.decider import decider as decider_of
from stretto.flow.flow import Bar
from stretto.flow.wire import read_flow, write_flow
from stretto.flow.wire.sites import promotion_json
from stretto.learn.promote import Promoted
from stretto.learn.promote import promote as promote_flow
from stretto.report.promote import promotion_document

BAR = Bar()
"""The published bar."""


@click.command(
    epilog=example(
        "stretto promote shop.flow.json shadow-sessions/ -o shop.promoted.flow.json",
        "stretto promote retail.flow.json results.json.gz --split split.json \\",
        "    --min-used 0.8 --html promotion.html",
    ),
)
@click.argument("flow", type=click.Path(path_type=Path))
@sessions
@tasks("test")
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="Write the flow with the promotion; without it the promotion is only shown.",
)  # fmt: skip
@click.option(
    "--decider", metavar="NAME",
    help="Who decides: habit or reach; if left out, reach where the flow counted it.",
)  # fmt: skip
@click.option(
    "--threshold", type=Number(min=0), default=BAR.threshold, show_default=True,
    help="How likely a lookup and its arguments have to be; serve at the same.",
)  # fmt: skip
@click.option(
    "--min-used", type=PROBABILITY, default=BAR.min_used, show_default=True,
    help="The least share of a site's lookups that the agent made later.",
)  # fmt: skip
@click.option(
    "--min-lower", type=PROBABILITY, default=BAR.min_lower, show_default=True,
    help="The least lower bound of that share: Wilson's 90% interval.",
)  # fmt: skip
@click.option(
    "--min-tasks", type=Whole(1), default=BAR.min_tasks, show_default=True,
    help="The fewest tasks a site's lookups have to come from.",
)  # fmt: skip
@click.option(
    "--before-write", "is_fresh", is_flag=True,
    help="Count a lookup as used only before the agent's next write, after which its "
    "result may be stale; published promotions count any later call.",
)  # fmt: skip
@click.option(
    "--by-task", is_flag=True,
    help="Hold the lower end of a bootstrap over tasks against --min-lower too, each "
    "task weighing the same however many lookups it had.",
)  # fmt: skip
@click.option(
    "--holm", "is_corrected", is_flag=True,
    help="Promote only sites whose share is above --min-lower after Holm's correction "
    "for how many were tested, at 5%.",
)  # fmt: skip
@html_option
@as_json
def promote(
    flow: Path,
    sessions: Sessions,
    tasks: Tasks | None,
    out: Path | None,
    decider: str | None,
    threshold: float,
    min_used: float,
    min_lower: float,
    min_tasks: int,
    is_fresh: bool,
    by_task: bool,
    is_corrected: bool,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Find the sites where a flow may act, by recorded sessions.

    Behind every result it is asked what the flow would look up, and whether the agent
    made that call in a later turn. A flow with a promotion acts at the sites that meet
    the bar, and hands back at every other.

    FLOW is a file that `stretto learn` wrote; PATHS are session files and folders of
    them, such as those a proxy recorded with the flow in shadow. Use sessions the flow
    was not learned from.
    """
    compiled = read_flow(flow)
    found = promote_flow(
        compiled,
        Measured(sessions, tasks),
        decider_of(compiled, decider),
        bar=Bar(
            threshold, min_used, min_lower, min_tasks, is_fresh, by_task, is_corrected
        ),
    )
    if out is not None:
        write_flow(replace(compiled, promoted=found.promotion), out)
    write_report(
        lambda _: promotion_document(
            flow.name,
            found.promotion,
            found.evidence,
            episodes=found.episodes,
            served=found.served,
        ),
        summary(found),
        page,
        as_json,
    )


def summary(found: Promoted) -> Json:
    """The promotion as JSON; `promoted` is the field of the flow file."""
    return {
        "episodes": found.episodes,
        "served": found.served,
        "rounds": found.rounds,
        "promoted": promotion_json(found.promotion),
        "evidence": {site: asdict(of) for site, of in found.evidence.items()},
        "bootstrap": {"draws": N_DRAWS, "seed": SEED, "unit": "task"},
    }
