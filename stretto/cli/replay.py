"""`stretto replay`: recorded sessions with a flow behind the agent's calls."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click
import numpy as np

from stretto.cli.chosen import Measured
from stretto.cli.counting import Counting, counting
from stretto.cli.deciding import ORACLE, Deciding
from stretto.cli.decisions import (
    DecisionLog,
    decisions_option,
    explore_option,
    explore_seed_option,
)
from stretto.cli.examples import example
from stretto.cli.number import Number
from stretto.cli.options import Sessions, as_json, sessions
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import questions
from stretto.cli.price import price_option
from stretto.cli.replay_alone import replay_alone
from stretto.cli.replay_json import summary
from stretto.cli.reports import html_option, write_report
from stretto.cli.settings import jobs_option, one_site_apart, told
from stretto.cli.tasks import Tasks, tasks
from stretto.cli.unknowns import Unknowns, draws_option, taught_option
from stretto.episodes.episode import Episode
from stretto.evaluate.balance import TokenPrices
from stretto.evaluate.growing import Grower
from stretto.evaluate.intervals import saved_interval
from stretto.evaluate.replay import Replayer
from stretto.evaluate.rows import Row, row, totals
from stretto.evaluate.setting import Setting
from stretto.evaluate.spent import Spent
from stretto.evaluate.summed import Sum, Summed
from stretto.evaluate.sweep import replay_all
from stretto.evaluate.tokens import Meters
from stretto.flow.decide import THRESHOLD
from stretto.proxy.serving import Exploration
from stretto.report.replay import Replayed, replay_document
from stretto.report.replay_sites import Point

SWEEP = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The thresholds of `--sweep`."""


@click.command(
    epilog=example(
        "stretto replay shop.flow.json new-sessions/",
        "stretto replay retail.flow.json results.json.gz --decider habit --sweep \\",
        "    --html replay.html",
        "stretto replay shop.flow.json new-sessions/ --threshold 0.25 --sites",
        "stretto replay shop.flow.json new-sessions/ --draws 20 \\",
        "    --learned-from sessions/",
        "stretto replay shop.flow.json new-sessions/ --writes \\",
        '    --server "python shop_server.py --copy"',
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
    "--threshold", "thresholds", type=Number(min=0), multiple=True,
    default=[THRESHOLD], show_default=True,
    help="How likely a lookup and its arguments together have to be to be made. Give "
    "it again for more; the report is about the first.",
)  # fmt: skip
@click.option("--sweep", is_flag=True, help="Also replay at thresholds 0.1 to 0.9.")
@click.option(
    "--sites", "each_site", is_flag=True,
    help="Also change one site's threshold at a time: to 0.1 to 0.9, and to off.",
)  # fmt: skip
@price_option
@draws_option
@taught_option
@decisions_option
@explore_option
@explore_seed_option
@counting
@jobs_option
@html_option
@as_json
def replay(
    flow: Path,
    sessions: Sessions,
    tasks: Tasks | None,
    decider: str | None,
    choice: OracleChoice,
    thresholds: Sequence[float],
    sweep: bool,
    each_site: bool,
    prices: TokenPrices,
    n_draws: int,
    taught: tuple[Path, ...],
    decisions: Path | None,
    epsilon: float,
    explore_seed: int,
    alone: Counting | None,
    jobs: int,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Replay recorded sessions with a flow behind them.

    What the flow would have looked up behind each of the agent's calls, which of the
    agent's later calls that would have answered, and how many LLM turns it would have
    saved. Results come from the record, and no tool is called; with --server they come
    from a server, which is started anew for each session and is sent its calls and the
    flow's lookups. An arbiter asks as it goes, or takes answers that were kept.

    FLOW is a file that `stretto learn` wrote; PATHS are session files and folders of
    them. Every session is replayed, whether it succeeded or not.
    """
    deciding = Deciding.of(flow, decider, choice)
    values = sorted({*thresholds, *(SWEEP if sweep else ())})
    if alone is not None:
        if each_site or n_draws or decisions is not None:
            raise click.UsageError(
                "--sites, --draws and --decisions replay in the record, by the current "
                "rule"
            )
        replay_alone(
            deciding,
            Measured(sessions, tasks),
            values,
            values.index(thresholds[0]),
            alone,
            name=flow.name,
            jobs=jobs,
            page=page,
            as_json=as_json,
        )
        return
    if taught and not n_draws:
        raise click.UsageError("--learned-from needs --draws N")
    grower = Grower(deciding.flow, given=deciding.decider, oracle=deciding.oracle())
    settings = [Setting.of(deciding.flow, value) for value in values]
    base = Setting.of(deciding.flow, thresholds[0])
    apart = one_site_apart(deciding.flow, base, SWEEP) if each_site else {}
    every = [*settings, *(s for changed in apart.values() for s in changed)]
    measured = Measured(sessions, tasks, again=bool(n_draws))
    episodes: Iterable[Episode] = measured
    if decisions is not None:
        replayer = Replayer(deciding.flow, deciding.decider, grower.oracle)
        how = Exploration(epsilon, explore_seed)
        log = DecisionLog(replayer, thresholds[0], how)
        episodes = log.noting(episodes)
    meters = Meters()
    played = told(
        replay_all(grower, meters.noting(episodes), every, jobs=jobs, is_spent=True)
    )
    rows: list[list[Row]] = [[] for _ in values]
    spends: list[list[Spent]] = [[] for _ in values]
    of_sites = Summed(len(every) - len(values))
    for episode in played:
        counted, others = np.split(episode.counted, [len(values)])
        for place, packed in enumerate(counted.tolist()):
            rows[place].append(row(episode.size, packed))
        for place, spent in enumerate(islice(episode.spent or (), len(values))):
            spends[place].append(spent)
        of_sites.add(others)
    if decisions is not None:
        log.write(decisions)
    rates = meters.rates()
    found = [
        replace(
            replayed(v, rows[place]), tokens=meters.tokens(rates, spends[place], prices)
        )
        for place, v in enumerate(values)
    ]
    if n_draws:
        unknown = Unknowns(deciding, n_draws, taught, tasks)
        models = unknown.intervals(measured, settings)
        found = [replace(of, model=m) for of, m in zip(found, models, strict=True)]
    chosen = values.index(thresholds[0])
    nets = meters.nets(rates, spends[chosen], prices)
    sites = _points(apart, iter(of_sites))
    name = grower.decider.name
    write_report(
        lambda draw: replay_document(
            found, found[chosen], flow.name, name, draw, sites=sites, prices=prices
        ),
        summary(found[chosen], found, rows[chosen], nets, name, sites, prices),
        page,
        as_json,
    )


def replayed(threshold: float, rows: list[Row]) -> Replayed:
    """A threshold's rows added up, with the interval of the share saved."""
    return Replayed(threshold, totals(rows), saved_interval(rows))


def _points(
    apart: dict[str, list[Setting]], sums: Iterator[Sum]
) -> dict[str, list[Point]]:
    return {
        site: [Point(s.thresholds[site], *next(sums)) for s in settings]
        for site, settings in apart.items()
    }
