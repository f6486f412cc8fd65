"""`stretto init`: a host's configuration that starts a server through the proxy."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from stretto.cli.examples import example
from stretto.flow.wire import read_flow
from stretto.home import Home
from stretto.hosts.change import (
    located,
    put_behind,
    reach_at,
    server_of,
    taken_out,
)
from stretto.hosts.config import Config
from stretto.hosts.doubts import doubts
from stretto.hosts.host import HOSTS
from stretto.hosts.naming import derived
from stretto.hosts.proxy import program
from stretto.hosts.server import Address, Command, Entry, Server, behind
from stretto.hosts.stage import Stage, plain, recording, serving, watching
from stretto.hosts.supervised import Service, here
from stretto.proxy.http.access import Address as Where
from stretto.proxy.http.access import address

_FILE = click.Path(path_type=Path, dir_okay=False)


def _variables(
    _: click.Context, __: click.Parameter, given: tuple[str, ...]
) -> Mapping[str, str]:
    pairs = [text.partition("=") for text in given]
    if any(not name or not equals for name, equals, _ in pairs):
        # Not quoted: what stands there may be a secret.
        raise click.BadParameter("one of them is not NAME=VALUE")
    return {name: value for name, _, value in pairs}


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog=example(
        "stretto init --host cursor -- npx -y @acme/shop-server",
        "stretto init --host cursor --name shop-server --flow shop.flow.json \\",
        "    --shadow --write",
        "stretto init --host cursor --unwrap shop-server --write",
    ),
)
@click.argument("server", nargs=-1, metavar="[-- SERVER...]")
@click.option(
    "--host",
    required=True,
    type=click.Choice(list(HOSTS)),
    help="The program whose configuration it is.",
)
@click.option(
    "--name",
    metavar="NAME",
    help="What the host calls the server; found in its command if left out.",
)
@click.option("--domain", metavar="NAME", help="What the server is about, for the log.")
@click.option(
    "--flow",
    type=_FILE,
    metavar="FILE",
    help="Have this flow look up behind the agent's calls.",
)
@click.option(
    "--shadow", is_flag=True, help="Have the flow decide, and look nothing up."
)
@click.option(
    "--record",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where sessions are recorded, instead of ~/.stretto/logs/NAME, or with "
    "--shadow ~/.stretto/shadow/NAME; a flow that serves records only with this.",
)
@click.option(
    "--env",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_variables,
    help="A variable for the server.",
)
@click.option(
    "--upstream", metavar="URL", help="The server's address, instead of its command."
)
@click.option(
    "--upstream-header",
    "headers",
    multiple=True,
    metavar="NAME=VAR",
    help="A header for the server, whose value is in the variable VAR.",
)
@click.option(
    "--listen",
    metavar="HOST:PORT",
    help="Have the host reach the proxy there, and a service of yours keep it running.",
)
@click.option("--unwrap", metavar="NAME", help="Take the proxy out of this entry.")
@click.option(
    "--file", type=_FILE, metavar="FILE", help="The host's file, if not the usual one."
)
@click.option(
    "--write", is_flag=True, help="Put it into the host's file, and keep a copy of it."
)
@click.option(
    "--force", is_flag=True, help="Replace the entry of another server of that name."
)
def init(
    server: tuple[str, ...],
    host: str,
    name: str | None,
    domain: str | None,
    flow: Path | None,
    shadow: bool,
    record: Path | None,
    env: Mapping[str, str],
    upstream: str | None,
    headers: tuple[str, ...],
    listen: str | None,
    unwrap: str | None,
    file: Path | None,
    write: bool,
    force: bool,
) -> None:
    """
    Configure a host to start a server through the proxy.

    Prints the entry, or with --write puts it into the host's file. Without SERVER it is
    the server that the file already has under --name; its environment is kept.

    Three stages: without --flow sessions are recorded; with --flow and --shadow a
    flow's decisions are logged; with --flow alone it serves. Run it again for the next.

    With --listen the host has an address, and a service keeps the proxy running there:
    systemd's, or launchd's. It is printed or written like the entry.
    """
    if unwrap is not None:
        if server or upstream or flow or listen or name:
            raise click.UsageError("--unwrap goes with --host, --file and --write")
        config = Config.read(HOSTS[host], file)
        _put(config, unwrap, taken_out(config, unwrap), "started directly", write)
        return
    given = _server(server, upstream, headers)
    name = name or domain or plain(derived(given) if given else "")
    if not plain(name):
        raise click.UsageError("the server needs a name: --name NAME")
    if write or given is None:
        config = Config.read(HOSTS[host], file)
    else:
        config = Config.empty(HOSTS[host], file)
    found = given or server_of(config, name).server
    stage = _stage(name, flow, shadow, record, domain)
    for doubt in doubts(found, env):
        click.echo(
            f"{click.style('warning:', fg='yellow', bold=True)} {doubt}", err=True
        )
    proxy = (str(program()), *stage.options)
    if listen is None:
        entry = put_behind(config, name, found, proxy, env=env, force=force)
        _put(config, name, entry, str(stage), write)
        return
    where = _listened(config, listen)
    entry = reach_at(config, name, f"http://{where.spelled}/mcp", force=force)
    _put(config, name, entry, str(stage), write)
    words = behind((*proxy, "--listen", where.spelled), located(found))
    _keep(here(stage.server, words, env), words, write)


def _server(
    words: tuple[str, ...], upstream: str | None, headers: tuple[str, ...]
) -> Server | None:
    if headers and upstream is None:
        raise click.UsageError("--upstream-header needs --upstream URL")
    if words and upstream is not None:
        raise click.UsageError("--upstream takes the place of a server's command")
    if upstream is not None:
        return Address(upstream, headers)
    return Command(words) if words else None


def _stage(
    name: str, flow: Path | None, shadow: bool, record: Path | None, domain: str | None
) -> Stage:
    home = Home.of(os.environ)
    if flow is None:
        if shadow:
            raise click.UsageError("--shadow needs --flow FILE")
        stage = recording(name, home)
    else:
        has_reach = read_flow(flow).reach is not None
        path = flow.absolute()
        stage = (
            watching(name, home, path, has_reach=has_reach)
            if shadow
            else serving(name, path)
        )
    kept = stage.record if record is None else record.expanduser().absolute()
    return replace(stage, domain=domain, record=kept)


def _listened(config: Config, listen: str) -> Where:
    where = address(listen)
    if not config.host.takes_urls:
        raise click.UsageError(f"{config.host.title}'s file takes no address")
    if not where.port:
        raise click.UsageError("--listen needs a port that stays the same")
    return where


def _keep(kept: Service | None, words: Sequence[str], write: bool) -> None:
    """Says how the proxy that listens is kept running, or sees to it."""
    if kept is None:
        click.echo(f"keep this running for the host:\n  {shlex.join(words)}", err=True)
        return
    commands = "".join(f"\n  {command}" for command in kept.commands)
    if not write:
        click.echo(f"--write has the proxy kept running by {kept.path}:", err=True)
        click.echo(f"\n{kept.text}\nwhich needs to be said:{commands}", err=True)
    elif kept.write():
        click.echo(f"{kept.path} starts the proxy, once you say:{commands}")
    else:
        click.echo(f"{kept.path} starts the proxy already")


def _put(config: Config, name: str, entry: Entry, says: str, write: bool) -> None:
    host, path = config.host, config.path
    if not write:
        click.echo(host.shown(name, entry), nl=False)
        click.echo(f"{name}: {says}; --write puts it into {path}", err=True)
        return
    changed = config.having(name, entry)
    if changed.text == config.text:
        click.echo(f"{path} has {name} like that already")
        return
    copy = changed.write()
    click.echo(f"{path}: {name} is {says}")
    if copy is not None:
        click.echo(f"as it was before: {copy}")
