"""`stretto doctor`: what works, what is worth knowing, and what does not."""

import importlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import click

from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.options import as_json
from stretto.cli.proxy_options import Http
from stretto.cli.upstream import headers_option, upstream_option
from stretto.doctor.against import against
from stretto.doctor.ask import started_tools
from stretto.doctor.configured import configured
from stretto.doctor.data import data
from stretto.doctor.finding import Finding, Status, problem
from stretto.doctor.installation import installation, key
from stretto.errors import StrettoError
from stretto.flow.wire import read_flow
from stretto.home import Home
from stretto.markdown import printable
from stretto.traces.messages import Message

_COLOURS = {Status.OK: "green", Status.NOTE: "blue", Status.PROBLEM: "red"}


Lists: TypeAlias = Callable[[], list[Message]]
"""Has a server list its tools."""


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog=example(
        "stretto doctor --json",
        "stretto doctor --flow shop.flow.json -- npx -y @acme/shop-server",
        "stretto doctor --flow shop.flow.json --upstream https://shop.example/mcp",
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
@upstream_option
@headers_option
@as_json
@click.pass_context
def doctor(
    ctx: click.Context,
    server: tuple[str, ...],
    folder: Path | None,
    flows: tuple[Path, ...],
    upstream: str | None,
    headers: Mapping[str, str],
    as_json: bool,
) -> None:
    """
    Check the installation, the data and the hosts.

    A line for each thing looked at: ok, note or problem. The versions of the binaries,
    the data folder with its flows and logs, and the servers that hosts start through
    the proxy. With --flow and a SERVER, that is started and asked which tools it has;
    a server at a URL is asked there, as the proxy would ask it.

    Exits with 1 where there is a problem.
    """
    if server and upstream is not None:
        raise click.UsageError("--upstream takes the place of a server's command")
    if headers and upstream is None:
        raise click.UsageError("--upstream-header needs --upstream URL")
    if (bool(server) or upstream is not None) != bool(flows):
        raise click.UsageError("--flow FILE and a server go together")
    lists = partial(started_tools, server)
    if upstream is not None:
        lists = partial(_tools_at, Http(upstream=upstream, headers=headers))
    root = Home.of(os.environ).root if folder is None else folder
    found: list[Finding] = []
    for finding in chain(_findings(root), _live(flows, lists)):
        found.append(finding)
        if not as_json:
            mark = click.style(finding.status.value, fg=_COLOURS[finding.status])
            click.echo(f"{mark} {printable(finding.text)}")
    is_well = all(finding.status is not Status.PROBLEM for finding in found)
    if as_json:
        said: Json = {"ok": is_well, "findings": [f.json() for f in found]}
        click.echo(json.dumps(said, indent=2))
    ctx.exit(0 if is_well else 1)


def _findings(root: Path) -> Iterator[Finding]:
    yield from installation()
    yield key()
    yield from data(root)
    yield from configured()


def _live(flows: Sequence[Path], lists: Lists) -> Iterator[Finding]:
    if not flows:
        return
    try:
        learned = [(read_flow(path), path.name) for path in flows]
        tools = lists()
    except StrettoError as cause:
        yield problem(str(cause))
        return
    for flow, name in learned:
        yield from against(flow, name, tools)


def _tools_at(http: Http) -> list[Message]:
    # What speaks HTTP takes a while to import
    module = importlib.import_module("stretto.cli.doctor_upstream")
    found: list[Message] = module.tools_at(http)
    return found
