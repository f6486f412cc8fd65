"""`stretto flow-show`: a flow for a reviewer."""

import importlib
import json
from pathlib import Path

import click

from stretto.cli.examples import example
from stretto.cli.number import PROBABILITY
from stretto.flow.decide import THRESHOLD
from stretto.flow.review import review
from stretto.flow.show import show
from stretto.flow.wire import read_flow


@click.command(
    epilog=example(
        "stretto flow-show shop.flow.json",
        "stretto flow-show shop.flow.json --json | jq .cautions",
    )
)
@click.argument("flow", type=click.Path(path_type=Path))
@click.option(
    "--threshold",
    type=PROBABILITY,
    default=THRESHOLD,
    show_default=True,
    help="The threshold the flow is to be served at.",
)
@click.option(
    "--decider", metavar="NAME",
    help="Who is to decide: arbiter, habit or reach; the one the flow asks for if left "
    "out.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of Markdown.")
def flow_show(flow: Path, threshold: float, decider: str | None, as_json: bool) -> None:
    """
    Print a flow for review.

    Which tools it calls by itself, after which calls and how likely; where the
    arguments come from; and first of all, what to look at. Markdown on standard output.
    """
    compiled = read_flow(flow)
    if decider is not None:
        # Looking installed deciders up loads what the command does without.
        deciders = importlib.import_module("stretto.flow.deciders.decider")
        decider = deciders.decider(compiled, decider).name
    found = review(compiled, threshold=threshold, decider=decider)
    click.echo(json.dumps(found.json(), indent=2) if as_json else show(found))
