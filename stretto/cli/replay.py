"""`stretto replay`: recorded sessions with a flow behind the agent's calls."""

from collections import defaultdict
from dataclasses import asdict
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.chosen import Measured
from stretto.cli.deciding import ORACLE, Deciding
from stretto.cli.examples import example
from stretto.cli.number import Number
from stretto.cli.options import Sessions, as_json, sessions
from stretto.cli.oracles import OracleChoice, questions
from stretto.cli.reports import html_option, write_report
from stretto.cli.tasks import Tasks, tasks
from stretto.evaluate.intervals import share_interval
from stretto.evaluate.replay import Replayer
from stretto.evaluate.rows import Row, totals
from stretto.flow.decide import THRESHOLD
from stretto.report.replay import COUNTING, Setting, replay_document

SWEEP = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The thresholds of `--sweep`."""


@click.command(
    epilog=example(
        "stretto replay shop.flow.json new-sessions/",
        "stretto replay retail.flow.json results.json.gz --decider habit --sweep \\",
        "    --html replay.html",
    ),
)
@click.argument("flow", type=click.Path(path_type=Path))
@sessions
@tasks("test")
@click.option(
    "--decider", metavar="NAME",
    help="Who decides: arbiter, habit or reach; if left out, the arbiter where the "
    "flow has one, else reach where it counted it.",
)  # fmt: skip
@questions(dollars=1, default=ORACLE)
@click.option(
    "--threshold", type=Number(min=0), default=THRESHOLD, show_default=True,
    help="How likely a lookup and its arguments together have to be to be made.",
)  # fmt: skip
@click.option("--sweep", is_flag=True, help="Also replay at thresholds 0.1 to 0.9.")
@html_option
@as_json
def replay(
    flow: Path,
    sessions: Sessions,
    tasks: Tasks | None,
    decider: str | None,
    choice: OracleChoice,
    threshold: float,
    sweep: bool,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Replay recorded sessions with a flow behind them.

    What the flow would have looked up behind each of the agent's calls, which of the
    agent's later calls that would have answered, and how many LLM turns it would have
    saved. Results come from the record, and no tool is called. An arbiter asks as it
    goes, or takes answers that were kept.

    FLOW is a file that `stretto learn` wrote; PATHS are session files and folders of
    them. Every session is replayed, whether it succeeded or not.
    """
    deciding = Deciding.of(flow, decider, choice)
    replayer = Replayer(deciding.flow, deciding.decider, deciding.oracle())
    thresholds = sorted({threshold, *(SWEEP if sweep else ())})
    rows: dict[float, list[Row]] = defaultdict(list)
    for episode in Measured(sessions, tasks):
        for value in thresholds:
            rows[value].append(replayer.row(episode, value))
    name = replayer.decider.name
    settings = [setting(value, rows[value]) for value in thresholds]
    chosen = settings[thresholds.index(threshold)]
    write_report(
        lambda draw: replay_document(settings, chosen, flow.name, name, draw),
        summary(chosen, settings, rows[threshold], name),
        page,
        as_json,
    )


def setting(threshold: float, rows: list[Row]) -> Setting:
    """A threshold's rows added up, with the interval of the share saved."""
    interval = share_interval(
        [row.task for row in rows],
        [row.turns_saved for row in rows],
        [row.turns for row in rows],
    )
    return Setting(threshold, totals(rows), interval)


def summary(
    chosen: Setting, settings: list[Setting], rows: list[Row], decider: str
) -> Json:
    """The replay as JSON."""
    return {
        "counting": "current",
        "assumes": COUNTING,
        "decider": decider,
        "threshold": chosen.threshold,
        "totals": _totals(chosen),
        "thresholds": [{"threshold": s.threshold, **_totals(s)} for s in settings],
        "episodes": [asdict(row) for row in rows],
    }


def _totals(setting: Setting) -> dict[str, Json]:
    share = round(setting.totals.turns_saved_share, 4)
    interval = None if setting.interval is None else list(setting.interval)
    return {
        **asdict(setting.totals),
        "turns_saved_share": share,
        "turns_saved_share_interval": interval,
    }
