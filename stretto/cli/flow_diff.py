"""`stretto flow-diff`: what changed between two flows."""

import json
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.number import PROBABILITY
from stretto.flow.decide import THRESHOLD
from stretto.flow.diff import compare, show_difference
from stretto.flow.diff.compare import TOLERANCE
from stretto.flow.wire import read_flow


@click.command(
    epilog=example(
        "stretto flow-diff shop.flow.json relearned.flow.json",
        "stretto flow-diff old.flow.json new.flow.json --json | jq '.changes[].code'",
    )
)
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option(
    "--threshold",
    type=PROBABILITY,
    default=THRESHOLD,
    show_default=True,
    help="The threshold both flows are to be served at.",
)
@click.option(
    "--tolerance",
    type=PROBABILITY,
    default=TOLERANCE,
    show_default=True,
    help="The least move of a share or a chance that is listed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of Markdown.")
@click.pass_context
def flow_diff(
    ctx: click.Context,
    before: Path,
    after: Path,
    threshold: float,
    tolerance: float,
    as_json: bool,
) -> None:
    """
    Compare two flows: what needs review, first.

    A change that may widen what the flow sends needs review; the rest is listed. Exits
    with 0 when nothing needs review, with 1 when something does, and with 2 when a flow
    cannot be read.
    """
    found = compare(
        read_flow(before), read_flow(after), threshold=threshold, tolerance=tolerance
    )
    if as_json:
        names: dict[str, Json] = {"before": str(before), "after": str(after)}
        click.echo(json.dumps({**names, **found.json()}, indent=2))
    else:
        click.echo(show_difference(found, before.name, after.name))
    ctx.exit(1 if found.needs_review else 0)
