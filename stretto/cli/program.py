"""`stretto program`: check, print, score and simulate what a flow runs."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

import click

from stretto.canonical import Json
from stretto.cli.choices import read_choices
from stretto.cli.examples import example
from stretto.cli.number import Whole
from stretto.cli.runs import run_json, show_run, show_tally, tally_json
from stretto.episodes.site import Site
from stretto.episodes.vocabulary import RESPOND
from stretto.errors import StrettoError
from stretto.files import parse_json, read_text
from stretto.flow.caps import PER_CALL
from stretto.flow.flow import Flow
from stretto.flow.rehearsal import rehearse
from stretto.flow.run import Runner
from stretto.flow.tally import tally
from stretto.flow.wire import parse_flow, read_flow
from stretto.program import handlers
from stretto.program.ast import Program
from stretto.program.source import located, read_program_file
from stretto.program.standard import admit
from stretto.program.text import render

_file = click.argument("file", type=click.Path(path_type=Path))

_flow = click.option(
    "--flow",
    metavar="FLOW",
    type=click.Path(path_type=Path),
    help="The flow whose counts the program draws by.",
)

_json = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON instead of text."
)


def _after(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say which of the agent's calls the run comes after."""
    for option in (
        click.option(
            "--max-lookups", type=Whole(0, 1000), default=PER_CALL,
            show_default=True, help="How many lookups may follow the call.",
        ),
        click.option("--call-failed", is_flag=True, help="As if the call had failed."),
        click.option(
            "--call", metavar="TOOL", default=RESPOND,
            help="The tool the agent called; if left out, a run can only hand back.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


@click.group(
    epilog=example(
        "stretto program check programs/stop-at-failure.fugue",
        "stretto program show shop.flow.json",
        "stretto program simulate shop.flow.json --call get_user_details",
    )
)
def program() -> None:
    """
    Check, print, run or score a program.

    FILE is a program, as text or as JSON. It may also be a flow, which stands for its
    own program and, where --flow names no other, its own counts; or the name of a
    program that comes with stretto, such as one-lookup.
    """


@program.command(epilog=example("stretto program check my.fugue --flow shop.flow.json"))
@_file
@_flow
@_json
def check(file: Path, flow: Path | None, as_json: bool) -> None:
    """
    Say whether a flow may run a program.

    The most that a run can do is printed too. With a flow, the program is also tried
    out after each of the flow's tools.
    """
    found = _load(file, flow)
    bounds = admit(found.program)
    tried = None if found.flow is None else rehearse(found.flow, found.program)
    draws, statements = str(bounds.draws), str(bounds.statements)
    if as_json:
        _print({"draws": draws, "statements": statements, "tried": tried})
        return
    click.echo(f"{file} may run in a flow")
    click.echo(f"  draws: at most {draws}")
    click.echo(f"  statements: at most {statements}")
    if tried is not None:
        click.echo(f"  tried: {tried:,} runs, none with a mistake")


@program.command(epilog=example("stretto program show shop.flow.json"))
@_file
def show(file: Path) -> None:
    """Print a program as text."""
    click.echo(render(_load(file, None).program))


@program.command(
    epilog=example(
        "stretto program score shop.flow.json --call get_user_details \\",
        """    --choices '{"decide#0": "get_order_details", "outcome#0": true,""",
        """                "decide#1": "respond"}'""",
    )
)
@_file
@_flow
@_after
@click.option(
    "--choices", required=True, metavar="JSON|FILE",
    help="What each address drew, as {address: value}; a decision is a tool's name or "
    "number, an outcome is true or false.",
)  # fmt: skip
@_json
def score(
    file: Path,
    flow: Path | None,
    call: str,
    call_failed: bool,
    max_lookups: int,
    choices: str,
    as_json: bool,
) -> None:
    """
    Print the log-probability of one run, in nats.

    The choices have to be exactly those the run draws.
    """
    runner = _load(file, flow).runner()
    site = _site(runner, call, call_failed)
    made = read_choices(choices, runner.numbers)
    run = handlers.score(runner.after(site, max_lookups=max_lookups), made)
    if as_json:
        _print(run_json(run))
    else:
        show_run(run, runner.numbers)


@program.command(
    epilog=example("stretto program simulate shop.flow.json --call get_user_details")
)
@_file
@_flow
@_after
@click.option(
    "-n", "--runs", type=Whole(1), default=1000, show_default=True,
    help="How many runs to draw.",
)  # fmt: skip
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="The draws' seed.",
)
@_json
def simulate(
    file: Path,
    flow: Path | None,
    call: str,
    call_failed: bool,
    max_lookups: int,
    runs: int,
    seed: int,
    as_json: bool,
) -> None:
    """Draw runs after one call, and count the lookups they make."""
    runner = _load(file, flow).runner()
    site, random = _site(runner, call, call_failed), Random(seed)
    drawn = (
        handlers.simulate(runner.after(site, max_lookups=max_lookups), random)
        for _ in range(runs)
    )
    found = tally(drawn, runner.numbers)
    if as_json:
        _print({"seed": seed, "site": str(site), **tally_json(found)})
    else:
        show_tally(found)


class _Loaded(NamedTuple):
    """A program, and the flow whose counts it draws by."""

    program: Program
    flow: Flow | None

    def runner(self) -> Runner:
        if self.flow is None:
            raise StrettoError(
                "a program needs a flow to draw by",
                hint="name one with `--flow FLOW`",
            )
        return Runner.of(self.flow, self.program)


def _load(file: Path, flow: Path | None) -> _Loaded:
    counts = None if flow is None else read_flow(flow)
    if (text := read_text(located(file))).lstrip().startswith("{"):
        node = parse_json(text, str(file))
        if "stretto_flow" in node.fields():
            own = parse_flow(node)
            return _Loaded(own.program, counts or own)
    return _Loaded(read_program_file(file), counts)


def _site(runner: Runner, call: str, failed: bool) -> Site:
    if call not in runner.numbers.names:
        raise StrettoError(
            f"the flow knows no tool called {call!r}",
            hint=f"it knows {', '.join(runner.numbers.names[1:])}",
        )
    return Site(call, failed)


def _print(found: Json) -> None:
    click.echo(json.dumps(found, indent=2))
