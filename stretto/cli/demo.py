"""`stretto demo`: the whole job, nothing asked."""

from pathlib import Path

import click

from stretto.cli.examples import example
from stretto.demo.tour import tour
from stretto.errors import CannotWrite
from stretto.report.replay import saving

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
    result = tour(out, seed, click.echo)
    chosen = result.chosen.totals
    click.echo(
        f"\nBehind this agent's calls the flow would save {saving(result.chosen)}, "
        f"with {chosen.detours} needless lookups in {chosen.episodes} sessions."
    )
    served = result.served
    click.echo(
        f"Served in the same sessions, it saved {served.turns_saved} of "
        f"{served.turns_without} LLM turns ({served.share:.1%}), "
        f"with {served.needless} needless lookups."
    )
