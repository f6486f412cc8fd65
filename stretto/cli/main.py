"""
`stretto`: the names of the commands, and how an error is told.

A command's module is imported when it runs. The table holds what `--help` prints, so
that help loads none of them.
"""

import difflib
import errno
import gc
import importlib
import io
import os
import sys
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from stretto import __version__
from stretto.cli.examples import example
from stretto.errors import CannotWrite, StrettoError


class Entry(NamedTuple):
    """Where a command is, and its help's first line."""

    home: str
    """`module:attribute`."""
    help: str


COMMANDS = {
    "ask": Entry("stretto.cli.ask:ask", "Ask a System-One model a file of requests."),
    "audit": Entry("stretto.cli.audit:audit", "Score recorded sessions under a flow."),
    "compile": Entry(
        "stretto.cli.compile:compile_", "Compile a flow from a benchmark's results."
    ),
    "completions": Entry(
        "stretto.cli.completions:completions", "Print a shell's completions."
    ),
    "confirm": Entry(
        "stretto.cli.confirm:confirm",
        "Ask a System-One model whether the customer agreed to each recorded write.",
    ),
    "costs": Entry(
        "stretto.cli.costs:costs",
        "Say what a saved turn and a detour cost, and which threshold follows.",
    ),
    "curve": Entry(
        "stretto.cli.curve:curve",
        "Show what a flow saves by how many tasks it was learned from.",
    ),
    "demo": Entry(
        "stretto.cli.demo:demo",
        "Record, learn, audit, replay and serve on a small shop.",
    ),
    "doctor": Entry(
        "stretto.cli.doctor:doctor", "Check the installation, the data and the hosts."
    ),
    "drift": Entry(
        "stretto.cli.drift:drift",
        "Say whether the agent has changed since a flow was learned.",
    ),
    "episodes": Entry(
        "stretto.cli.episodes:episodes", "Show what recorded sessions hold."
    ),
    "evaluate": Entry(
        "stretto.cli.evaluate:evaluate",
        "Estimate another rule from decisions that a flow explored.",
    ),
    "export-answers": Entry(
        "stretto.cli.answers:export_answers", "Print the answers kept, a line each."
    ),
    "export-arbiter": Entry(
        "stretto.cli.export_arbiter:export_arbiter",
        "Write a flow's arbiter to a file of its own.",
    ),
    "fit-arbiter": Entry(
        "stretto.cli.fit_arbiter:fit_arbiter",
        "Fit one arbiter on the decisions of several logs.",
    ),
    "flow-diff": Entry(
        "stretto.cli.flow_diff:flow_diff",
        "Compare two flows: what needs review, first.",
    ),
    "flow-show": Entry("stretto.cli.flow_show:flow_show", "Print a flow for review."),
    "guards": Entry(
        "stretto.cli.guards:guards", "Check recorded writes against a policy's rules."
    ),
    "import-answers": Entry(
        "stretto.cli.answers:import_answers", "Keep the answers of a bundle."
    ),
    "init": Entry(
        "stretto.cli.init:init", "Configure a host to start a server through the proxy."
    ),
    "jev-check": Entry(
        "stretto.cli.jev_check:jev_check", "Ask a System-One model one question."
    ),
    "learn": Entry("stretto.cli.learn:learn", "Learn a flow from recorded sessions."),
    "match": Entry(
        "stretto.cli.match:match",
        "Ask a System-One model which records the customer meant.",
    ),
    "order-check": Entry(
        "stretto.cli.order_check:order_check",
        "Measure how much a System-One model favours options for where they stand.",
    ),
    "phase0": Entry(
        "stretto.cli.phase0:phase0",
        "Say what a flow could save here, and how far the agents can be foretold.",
    ),
    "program": Entry(
        "stretto.cli.program:program", "Check, print, run or score a program."
    ),
    "promote": Entry(
        "stretto.cli.promote:promote",
        "Find the sites where a flow may act, by recorded sessions.",
    ),
    "redact": Entry(
        "stretto.cli.redact:redact",
        "Copy session logs with pseudonyms in place of what was said.",
    ),
    "refine": Entry(
        "stretto.cli.refine:refine",
        "Choose further predicates by what they explain.",
    ),
    "replay": Entry(
        "stretto.cli.replay:replay", "Replay recorded sessions with a flow behind them."
    ),
    "search": Entry(
        "stretto.cli.search:search",
        "Search for thresholds, site by site, that save more turns with fewer detours.",
    ),
    "serve": Entry(
        "stretto.cli.serve:serve", "Answer other harnesses with a flow's decisions."
    ),
    "simulate": Entry(
        "stretto.cli.simulate:simulate", "Draw sessions from a flow's own model."
    ),
    "train-local": Entry(
        "stretto.cli.train_local:train_local",
        "Train a System-One model on recorded sessions.",
    ),
}

COLLECTING = 100_000, 50, 50
"""
How seldom Python looks for cycles: sessions and graphs are many objects, and none
points back. A search takes 15% less time, and no more memory.
"""

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

ALIASES = {"flow-serve": "serve"}
"""Commands' other published names."""

ANSWERS = {"drift", "flow-diff"}
"""Commands whose exit code 1 is an answer; their errors exit 2."""


class LazyGroup(click.Group):
    """The commands of the table, each imported when it runs."""

    def list_commands(self, _: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        name = ALIASES.get(name, name)
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name].home.split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in {*COMMANDS, *ALIASES} and not name.startswith("-"):
            near = difflib.get_close_matches(name, COMMANDS, n=1)
            guess = f" Did you mean {near[0]}?" if near else ""
            ctx.fail(f"there is no command {name!r}.{guess}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, COMMANDS[name].help) for name in sorted(COMMANDS)]
            )

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        return [
            *(
                CompletionItem(name, help=entry.help)
                for name, entry in sorted(COMMANDS.items())
                if name.startswith(incomplete)
            ),
            *click.Command.shell_complete(self, ctx, incomplete),
        ]

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except StrettoError as error:
            _tell(error)
            ctx.exit(2 if ctx.invoked_subcommand in ANSWERS else 1)
        except KeyboardInterrupt:
            start = "\n" if sys.stderr.isatty() else ""  # behind the terminal's ^C
            click.echo(f"{start}interrupted; no output was left half-written", err=True)
            ctx.exit(130)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=example(
        "stretto episodes sessions/",
        "stretto learn sessions/ -o shop.flow.json",
        "stretto flow-show shop.flow.json",
    ),
)
@click.version_option(__version__, prog_name="stretto", message="%(prog)s %(version)s")
def cli() -> None:
    """Learn an agent's tool-calling habit; serve its read-only part as a flow."""


def main() -> None:
    """Run the command that the process was started for, and exit as it says."""
    gc.set_threshold(*COLLECTING)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no `→`
    try:
        cli(prog_name="stretto")
    except OSError as cause:
        if cause.errno not in _FULL:
            raise
        _tell(CannotWrite(f"an output cannot be written: {cause.strerror}"))
        # what is left to be written has nowhere to go
        os._exit(2 if ANSWERS & {*sys.argv[1:2]} else 1)


def _tell(error: StrettoError) -> None:
    click.echo(f"{click.style('error:', fg='red', bold=True)} {error}", err=True)
    if error.hint:
        click.echo(f"{click.style('hint:', bold=True)} {error.hint}", err=True)
