"""`stretto export-arbiter`: a flow's arbiter on its own, to serve elsewhere."""

from pathlib import Path

import click

from stretto.cli.examples import example
from stretto.flow.arbiter_file import write_arbiter
from stretto.flow.wire import read_flow
from stretto.learn.adopt import exported


@click.command(
    epilog=example(
        "stretto export-arbiter retail.flow.json -o retail.arbiter.json",
        "stretto learn sessions/ --arbiter-from retail.arbiter.json -o new.flow.json",
    ),
)
@click.argument("flow", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The arbiter file to write.",
)
def export_arbiter(flow: Path, out: Path) -> None:
    """
    Write a flow's arbiter to a file of its own.

    It holds counts by tool, weights and the questions' texts, and nothing anyone said.
    The flow's folds have to share one fit, as those of `stretto learn` do unless
    --by-fold is given.

    FLOW is a file that `stretto learn` wrote.
    """
    write_arbiter(exported(read_flow(flow)), out)
    click.echo(f"wrote {out}")
