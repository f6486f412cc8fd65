"""`stretto doctor`: what works, what is worth knowing, and what does not."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.options import as_json
from stretto.doctor.against import against
from stretto.doctor.ask import listed_tools
from stretto.doctor.configured import configured
from stretto.doctor.data import data
from stretto.doctor.finding import Finding, Status, problem
from stretto.doctor.installation import installation, key
from stretto.errors import StrettoError
from stretto.flow.wire import read_flow
from stretto.home import Home
from stretto.markdown import printable

_COLOURS = {Status.OK: "green", Status.NOTE: "blue", Status.PROBLEM: "red"}


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog=example(
        "stretto doctor --json",
        "stretto doctor --flow shop.flow.json -- npx -y @acme/shop-server",
    ),
)
@click.argument("server", nargs=-1, metavar="[-- SERVER...]")
@click.option(
    "--data",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The data folder, instead of the one in STRETTO_HOME, or ~/.stretto.",
)
@click.option(
    "--flow",
    "flows",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare this flow with the tools that SERVER lists.",
)
@as_json
@click.pass_context
def doctor(
    ctx: click.Context,
    server: tuple[str, ...],
    folder: Path | None,
    flows: tuple[Path, ...],
    as_json: bool,
) -> None:
    """
    Check the installation, the data and the hosts.

    A line for each thing looked at: ok, note or problem. The versions of the binaries,
    the data folder with its flows and logs, and the servers that hosts start through
    the proxy. With --flow and a SERVER, that is started and asked which tools it has.

    Exits with 1 where there is a problem.
    """
    if bool(server) != bool(flows):
        raise click.UsageError("--flow FILE and a server's command go together")
    root = Home.of(os.environ).root if folder is None else folder
    found: list[Finding] = []
    for finding in _findings(root, server, flows):
        found.append(finding)
        if not as_json:
            mark = click.style(finding.status.value, fg=_COLOURS[finding.status])
            click.echo(f"{mark} {printable(finding.text)}")
    is_well = all(finding.status is not Status.PROBLEM for finding in found)
    if as_json:
        said: Json = {"ok": is_well, "findings": [f.json() for f in found]}
        click.echo(json.dumps(said, indent=2))
    ctx.exit(0 if is_well else 1)


def _findings(
    root: Path, server: tuple[str, ...], flows: tuple[Path, ...]
) -> Iterator[Finding]:
    yield from installation()
    yield key()
    yield from data(root)
    yield from configured()
    if not server:
        return
    try:
        learned = [(read_flow(path), path.name) for path in flows]
        tools = listed_tools(server)
    except StrettoError as cause:
        yield problem(str(cause))
        return
    for flow, name in learned:
        yield from against(flow, name, tools)
