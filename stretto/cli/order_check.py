"""`stretto order-check`: how much does a model favour the option that stands first?"""

import json
from dataclasses import replace
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.asking import ask_choice
from stretto.cli.examples import example
from stretto.cli.options import as_json
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import asks, requests_file
from stretto.cli.table import show_table
from stretto.errors import OracleError
from stretto.evaluate.intervals import Share
from stretto.evaluate.positions import MAX_OPTIONS, Positions, positions, turned
from stretto.oracle.dump import read_requests
from stretto.oracle.lines import json_lines
from stretto.oracle.order import SEED, Orderless


@click.command(
    epilog=example(
        "stretto order-check --requests asked.jsonl --oracle mock",
        "stretto order-check --requests asked.jsonl --oracle jev --oracle-limit 200",
    ),
)
@requests_file
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=SEED,
    show_default=True,
    help="What the first order of each choice is drawn from.",
)
@asks(dollars=1.0)
@as_json
def order_check(file: Path, seed: int, choice: OracleChoice, as_json: bool) -> None:
    """
    Measure how much a System-One model favours options for where they stand.

    Each choice of the requests is asked in as many orders as it has options, so that
    every option stands in every place once. A place that has more than its even share
    then has it for being that place. The model asked is --oracle's, whichever the
    requests name. With --oracle-limit the first requests by key are asked.
    """
    oracle = choice.oracle()
    by_key = {request.key: request for request in read_requests(json_lines(file))}
    chosen = [by_key[key] for key in sorted(by_key)][: choice.limit]
    named = (replace(one, model=oracle.model or one.model) for one in chosen)
    todo = [*turned(named, oracle, seed)]
    if isinstance(oracle, Orderless):
        found = positions(todo, oracle)
    else:
        every = (turn.request for one in todo for turn in one.turns)
        found = positions(todo, ask_choice(replace(choice, limit=None), every))
    if not found.moved:
        raise OracleError(
            f"no choice was answered in every order; {found.unanswered} were not",
            hint=f"only choices of 2 to {MAX_OPTIONS} options are asked",
        )
    if as_json:
        click.echo(json.dumps(summary(found, oracle.name), indent=2))
    else:
        _show(found, oracle.name)


def summary(found: Positions, oracle: str) -> Json:
    """The measurement as JSON."""
    return {
        "oracle": oracle,
        "choices": len(found.moved),
        "unanswered": found.unanswered,
        "first": _share(found.above(0)),
        "last": _share(found.above(-1)),
        "by_place": [_share(found.above(place)) for place in range(found.places)],
        "pick_changed": _share(found.changed),
        "distance": found.distance,
    }


def _share(found: Share) -> Json:
    within: Json = None if found.interval is None else [*found.interval]
    return {"mean": found.value, "interval": within, "choices": int(found.whole)}


def _show(found: Positions, oracle: str) -> None:
    click.echo(f"{oracle}: {len(found.moved):,} choices in every order")
    if found.unanswered:
        click.echo(f"{found.unanswered:,} more lack an answer, and are left out")
    places = [(f"{n + 1}", found.above(n)) for n in range(found.places)]
    rows = [
        (name, f"{int(of.whole):,}", _signed(of.value), _interval(of))
        for name, of in (*places, ("last", found.above(-1)))
    ]
    heads = ("place", "choices", "above its even share", "95%")
    show_table(heads, rows)
    changed = found.changed
    click.echo(
        f"\nanother order changes {changed.value:.1%} of the picks, and moves an "
        f"average of {found.distance:.3f} of the probability"
    )


def _interval(of: Share) -> str:
    if of.interval is None:
        return ""
    return f"[{_signed(of.interval.low)}, {_signed(of.interval.high)}]"


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}"  # what rounds to −0 is +0
