"""`stretto costs`: what a saved turn and a detour cost, and the threshold from it."""

from dataclasses import replace
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.chosen import Measured
from stretto.cli.deciding import ORACLE, Deciding
from stretto.cli.examples import example
from stretto.cli.number import Number, Whole
from stretto.cli.options import Sessions, as_json, sessions
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import questions
from stretto.cli.price import price_option
from stretto.cli.reports import html_option, write_report
from stretto.cli.tasks import Tasks, tasks
from stretto.evaluate.balance import TokenPrices
from stretto.evaluate.costing import Costing, costing
from stretto.evaluate.costs import ENOUGH, Cost, Estimate
from stretto.evaluate.costs import thresholds as thresholds_from
from stretto.evaluate.intervals import N_DRAWS, SEED, Share
from stretto.evaluate.replay import Replayer
from stretto.flow.decide import THRESHOLD
from stretto.flow.wire import read_flow, write_flow
from stretto.report.costs import costs_document
from stretto.report.replay import COUNTING


@click.command(
    epilog=example(
        "stretto costs shop.flow.json new-sessions/",
        "stretto costs retail.flow.json results.json.gz --split split.json \\",
        "    --price 5,0.1,1.25 --write retail.priced.flow.json",
    ),
)
@click.argument("flow", type=click.Path(path_type=Path))
@sessions
@tasks("test")
@price_option
@click.option(
    "--decider", metavar="NAME",
    help="Who decides: arbiter, habit or reach; if left out, the arbiter where the "
    "flow has one, else reach where it counted it.",
)  # fmt: skip
@questions(dollars=1, default=ORACLE)
@click.option(
    "--threshold", type=Number(min=0), default=THRESHOLD, show_default=True,
    help="What the flow is replayed at, for its detours.",
)  # fmt: skip
@click.option(
    "--write", "out", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="Write the flow with θ* as the threshold of each of its sites.",
)  # fmt: skip
@click.option(
    "--pooled", "is_pooled", is_flag=True,
    help="Write the pooled θ* at every site.",
)  # fmt: skip
@click.option(
    "--at-least", type=Whole(1), default=ENOUGH, show_default=True,
    metavar="N",
    help="The ceiling turns, and the detours, from which a site has a θ* of its own "
    "written, not the pooled one.",
)  # fmt: skip
@html_option
@as_json
def costs(
    flow: Path,
    sessions: Sessions,
    tasks: Tasks | None,
    prices: TokenPrices,
    decider: str | None,
    choice: OracleChoice,
    threshold: float,
    out: Path | None,
    is_pooled: bool,
    at_least: int,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Say what a saved turn and a detour cost, and which threshold follows.

    Counts the turns that could have been spared, what their prompts came to, and what
    the results of a replay's detours would have; θ* is where a lookup begins to pay.
    The sessions have to record the tokens of their prompts.

    FLOW is a file that `stretto learn` wrote; PATHS are session files and folders of
    them. Use sessions the flow was not learned from.
    """
    if is_pooled and out is None:
        raise click.UsageError("--pooled says what --write writes: give that too")
    compiled = read_flow(flow)
    deciding = Deciding.of(flow, decider, choice)
    replayer = Replayer(deciding.flow, deciding.decider, deciding.oracle())
    found = costing(
        replayer, Measured(sessions, tasks), threshold=threshold, prices=prices
    )
    written: dict[str, float] | None = None
    if out is not None:
        by_site = not is_pooled
        written = thresholds_from(
            compiled, found.costs, by_site=by_site, at_least=at_least
        )
        write_flow(replace(compiled, thresholds=written), out)
        click.echo(f"wrote {out}", err=True)
    write_report(
        lambda _: costs_document(found, flow.name, at_least=at_least),
        summary(found, written),
        page,
        as_json,
    )


def summary(found: Costing, written: dict[str, float] | None = None) -> Json:
    """The costs as JSON. `written` are the thresholds that went into a flow."""
    each = found.costs
    return {
        "counting": "current",
        "assumes": COUNTING,
        "episodes": found.episodes,
        "threshold": found.threshold,
        "prices": each.prices._asdict(),
        "bootstrap": {"draws": N_DRAWS, "seed": SEED, "unit": "task"},
        "pooled": _cost(each.pooled),
        "agents": {agent: _cost(cost) for agent, cost in each.agents.items()},
        "sites": {site: _cost(cost) for site, cost in each.sites.items()},
        "characters_per_token": dict(each.characters),
        "without_usage": list(each.without_usage),
        "ceiling": {
            agent: {
                "state": _share(c.state),
                "words": _share(c.words),
                "fresh_state": _share(c.fresh_state),
                "fresh_words": _share(c.fresh_words),
            }
            for agent, c in found.ceilings.items()
        },
        "turns": [
            {"after": str(trigger), "kind": str(kind), "n": n}
            for (trigger, kind), n in found.turns.items()
        ],
        **({} if written is None else {"thresholds": dict(written)}),
    }


def _cost(cost: Cost) -> Json:
    return {
        "ceiling_turns": cost.ceiling_turns,
        "detours": cost.detours,
        "beta": _estimate(cost.beta),
        "delta": _estimate(cost.delta),
        "theta": _estimate(cost.threshold),
    }


def _estimate(found: Estimate) -> Json:
    interval: Json = None if found.interval is None else [*found.interval]
    return {"value": found.value, "interval": interval}


def _share(found: Share) -> Json:
    interval: Json = None if found.interval is None else [*found.interval]
    share: dict[str, Json] = {"part": found.part, "whole": found.whole}
    return {**share, "share": found.value, "interval": interval}
