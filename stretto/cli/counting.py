"""How a replay counts, and what answers its calls, as options."""

import functools
import importlib
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import click

from stretto.cli.number import Number
from stretto.cli.upstream import headers_option, upstream_option
from stretto.client.environment import PATIENCE_S
from stretto.client.live import Live
from stretto.client.session import Ends
from stretto.client.started import Open, started
from stretto.errors import StrettoError
from stretto.evaluate.rules import CURRENT, Rule


@dataclass(frozen=True, slots=True)
class Counting:
    """A replay of one setting at a time: by which rule, and in what."""

    rule: Rule
    live: Live | None
    """None for the record."""


def counting(command: Callable[..., None]) -> Callable[..., None]:
    """Has the command take a rule and a server, as `alone`; None if neither is."""

    @functools.wraps(command)
    def wrapped(
        is_legacy: bool,
        same_result: bool,
        by_record: bool,
        equal_numbers: bool,
        bounds: bool,
        server: Sequence[str] | None,
        upstream: str | None,
        headers: Mapping[str, str],
        reset: Sequence[str] | None,
        writes: bool,
        patience_s: float,
        **others: object,
    ) -> None:
        rule = Rule(is_legacy, same_result, by_record, equal_numbers)
        reach = _reach(server, upstream, headers)
        live = None
        if reach is not None:
            goes_on = upstream is not None
            live = Live(reach, goes_on, reset or (), writes, patience_s)
        elif reset or writes:
            raise click.UsageError("--reset and --writes need --server or --upstream")
        alone = None
        if bounds or live is not None or rule != CURRENT:
            alone = Counting(rule, live)
        command(alone=alone, **others)

    decorated: Callable[..., None] = wrapped
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _words(
    ctx: click.Context, param: click.Parameter, given: str | None
) -> Sequence[str] | None:
    if given is None:
        return None
    try:
        words = shlex.split(given)
    except ValueError as cause:
        raise click.BadParameter(f"{cause}", ctx, param) from cause
    if not words:
        raise click.BadParameter("there is no command in it", ctx, param)
    return words


def _reach(
    server: Sequence[str] | None, upstream: str | None, headers: Mapping[str, str]
) -> Callable[[Open], AbstractContextManager[Ends]] | None:
    if server is not None and upstream is not None:
        raise click.UsageError("--upstream takes the place of a server's command")
    if headers and upstream is None:
        raise click.UsageError("--upstream-header needs --upstream URL")
    if server is not None:
        return functools.partial(started, server, is_quiet=True)
    if upstream is None:
        return None
    # What speaks HTTP takes a while to import
    module = importlib.import_module("stretto.client.reached")
    values = {name: _secret(variable) for name, variable in headers.items()}
    return functools.partial(module.reached, upstream, values)


def _secret(variable: str) -> str:
    if (value := os.environ.get(variable)) is None:
        raise StrettoError(
            f"the environment has no {variable}",
            hint="set it where stretto is started; its value is never logged",
        )
    return value


_OPTIONS = (
    click.option(
        "--legacy", "is_legacy", is_flag=True,
        help="Count by the older rule: any call that anyone made before is skipped.",
    ),
    click.option(
        "--same-result", is_flag=True,
        help="A lookup also answers a call of its tool with the same result, where "
        "their arguments agree.",
    ),
    click.option(
        "--by-record", is_flag=True,
        help="A write leaves lookups in force that share no value with its arguments.",
    ),
    click.option(
        "--equal-numbers", is_flag=True, help="Take arguments 1 and 1.0 as the same."
    ),
    click.option(
        "--bounds", is_flag=True,
        help="Also say between what detours lie, and count turns skipped in part.",
    ),
    click.option(
        "--server", callback=_words, metavar="COMMAND",
        help="Replay against this server instead of the record, started anew for each "
        "session and threshold.",
    ),
    upstream_option,
    headers_option,
    click.option(
        "--reset", callback=_words, metavar="COMMAND",
        help="Run this before each session; it puts the server's state back.",
    ),
    click.option(
        "--writes", is_flag=True,
        help="Have the server carry out the sessions' own writes. A copy, never the "
        "server that others rely on.",
    ),
    click.option(
        "--patience", "patience_s", type=Number(min=0, min_open=True), metavar="S",
        default=PATIENCE_S, show_default=True,
        help="How many seconds the server may take over each call.",
    ),
)  # fmt: skip
