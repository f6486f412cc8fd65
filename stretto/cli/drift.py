"""`stretto drift`: has the agent changed since the flow was learned?"""

from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.chosen import Measured
from stretto.cli.examples import example
from stretto.cli.number import PROBABILITY, Whole
from stretto.cli.options import Sessions, as_json, sessions
from stretto.cli.reports import html_option, write_report
from stretto.cli.tasks import Tasks, tasks
from stretto.evaluate.alike import Parting
from stretto.evaluate.changepoints import MIN_RUN
from stretto.evaluate.drift import LEVEL, WINDOW, By, Drift, Series
from stretto.evaluate.drift import drift as drift_from
from stretto.flow.wire import read_flow
from stretto.report.drift import drift_document


@click.command(
    epilog=example(
        "stretto drift shop.flow.json sessions/",
        "stretto drift shop.flow.json sessions/ --by steps --level 0.01",
        "stretto drift shop.flow.json sessions/ --online --html drift.html",
    ),
)
@click.argument("flow", type=click.Path(path_type=Path))
@sessions
@tasks("test")
@click.option(
    "--window", type=Whole(min=MIN_RUN), default=WINDOW, show_default=True,
    metavar="N", help="The longest run of sessions that counts as recent.",
)  # fmt: skip
@click.option(
    "--online", is_flag=True,
    help="Expect what the first ten sessions were like, as a watch that runs along "
    "has to; if left out, what all of them are like.",
)  # fmt: skip
@click.option(
    "--by", type=click.Choice([str(by) for by in By]), default=str(By.ANY),
    show_default=True,
    help="What is an alarm: a change in one of the series, next steps that part, or "
    "either.",
)  # fmt: skip
@click.option(
    "--level", type=PROBABILITY, default=LEVEL, show_default=True,
    help="How often next steps of sessions that go on alike may be said to part.",
)  # fmt: skip
@html_option
@as_json
@click.pass_context
def drift(
    ctx: click.Context,
    flow: Path,
    sessions: Sessions,
    tasks: Tasks | None,
    window: int,
    online: bool,
    by: str,
    level: float,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Say whether the agent has changed since a flow was learned.

    Follows the habit's surprise, its disagreements and what is new to it from session
    to session, and says since when one of them is another. Also finds where the
    agent's next steps part furthest, and how often the same sessions, in random
    order, part as far. Exits 1 on an alarm and 2 on an error.

    FLOW is a file that `stretto learn` wrote; PATHS are session files and folders of
    them, in the order they took place; ten sessions at least.
    """
    found = drift_from(
        read_flow(flow),
        Measured(sessions, tasks),
        window=window,
        online=online,
        level=level,
    )
    write_report(
        lambda draw: drift_document(found, flow.name, draw),
        summary(found),
        page,
        as_json,
    )
    ctx.exit(1 if found.is_alarm(By(by)) else 0)


def summary(found: Drift) -> Json:
    """The drift as JSON. Surprise is in nats; places count from 0."""
    return {
        "sessions": list(found.sessions),
        "series": {str(s): list(found.values[s]) for s in Series},
        "alarms": [
            {
                "series": str(a.series),
                "start": a.start,
                "found": a.found,
                "probability": a.p,
                "before": a.before,
                "after": a.after,
                "moved": [
                    {"site": str(m.site), "before": m.before, "after": m.after}
                    for m in a.moved
                ],
            }
            for a in found.alarms
        ],
        "parting": None if found.parting is None else _parting(found.parting),
        "level": found.level,
    }


def _parting(found: Parting) -> Json:
    return {
        "start": found.start,
        "p": found.p,
        "sites": [
            {
                "site": None if row.site is None else str(row.site),
                "next": row.action,
                "before": row.before,
                "since": row.since,
                "nats": row.nats,
            }
            for row in found.parted
        ],
    }
