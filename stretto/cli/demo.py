"""`stretto demo`: the whole job, nothing asked."""

import importlib
from pathlib import Path

import click

from stretto.cli.examples import example
from stretto.errors import CannotWrite

SEED = 7


@click.command(
    epilog=example("stretto demo --out demo", "stretto demo --out tour --seed 3"),
)
@click.option(
    "-o",
    "--out",
    default="demo",
    show_default=True,
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write to; made if missing.",
)
@click.option(
    "--seed", type=int, default=SEED, show_default=True, metavar="N",
    help="The shop's seed.",
)  # fmt: skip
def demo(out: Path, seed: int) -> None:
    """
    Record, learn, audit, replay and serve on a small shop.

    A scripted agent serves customers of a shop through its MCP server, and its sessions
    are recorded. A flow is learned from them, shown, audited and replayed on sessions
    recorded after them. Then it is served in those sessions, held again, and a report
    written. No key, no network, nothing asked.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise CannotWrite(f"{out} cannot be made: {cause.strerror}") from cause
    tour = importlib.import_module("stretto.demo.tour")  # it speaks MCP
    result = tour.tour(out, seed, click.echo)
    click.echo(f"\n{tour.closing(result)}")
