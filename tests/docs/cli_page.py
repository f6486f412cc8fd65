"""
The pages of the commands, made from the commands.

`python -m tests.docs.cli_page` writes docs/reference/cli.md and proxy.md.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from inspect import cleandoc
from textwrap import dedent
from typing import NamedTuple

import click

from stretto.cli.main import cli
from stretto.cli.proxy_arguments import NAME as PROXY
from stretto.cli.proxy_arguments import parser
from stretto.demo.server import NAME as DEMO
from stretto.demo.server import main as demo
from stretto.markdown import code, fenced, table
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "reference" / "cli.md"
PROXY_PAGE = PAGE.with_name("proxy.md")

OPENING = """\
# Commands

From this page you know every command, its options and their defaults.

The page is made from the commands, by `make docs`.
`stretto COMMAND --help` says the same.

A command's result goes to standard output, as text or with `--json` as JSON.
Warnings and errors go to standard error.
A file is written whole or not at all.

| exit code | means |
| --------: | ----- |
| 0 | it did its job |
| 1 | it could not, and says why; of `flow-diff`, that something needs review |
| 2 | it was called wrongly; of `flow-diff`, also that it could not do its job |
| 130 | it was interrupted |
"""

READING = """\
## Reading sessions

Every command that takes `PATHS` takes these options.
[How to read your traces](../how-to/read-your-traces.md) goes through them.
"""

PROXY_OPENING = f"""\
# The proxy and the demo's server

From this page you know every option of `{PROXY}` and of `{DEMO}`, and their defaults.

The page is made from the two commands, by `make docs`.
`{PROXY} --help` and `{DEMO} --help` say the same.

How the proxy is put to work is told in [record a server](../how-to/record-a-server.md), [put the proxy in front](../how-to/put-the-proxy-in-front.md) and [serve a flow](../how-to/serve-a-flow.md).
"""  # noqa: E501

_SENTENCE = re.compile(r"(?<=\.) (?=[A-Z])")


class Option(NamedTuple):
    """A row of a command's table."""

    spelled: str
    says: str


def page() -> str:
    """What docs/reference/cli.md has to hold."""
    commands = [*_commands(cli, "stretto")]
    readers = [_options(command) for _, command in commands if _reads(command)]
    shared = [option for option in readers[0] if all(option in r for r in readers)]
    sections = [_section(path, command, shared) for path, command in commands]
    return "\n".join([OPENING, *sections, READING, _table(shared)])


def proxy_page() -> str:
    """What docs/reference/proxy.md has to hold."""
    return "\n".join([PROXY_OPENING, _proxy_section(), _section(DEMO, demo, [])])


def _proxy_section() -> str:
    reads = parser()
    told, _, example = (reads.epilog or "").partition("Example:\n")
    parts = [
        f"## {PROXY}",
        fenced(reads.format_usage().removeprefix("usage: ").strip()),
        *_paragraphs(reads.description or ""),
        *_paragraphs(told),
        fenced(dedent(example).rstrip(), "sh"),
    ]
    for group in reads._action_groups:
        if rows := [*_arguments(group._group_actions)]:
            parts += [f"### {_headed(group.title or '')}", _table(rows).rstrip()]
    return "\n\n".join(parts) + "\n"


def _headed(title: str) -> str:
    return title[:1].upper() + title[1:]


def _arguments(actions: Sequence[argparse.Action]) -> Iterator[Option]:
    """What help says of the arguments, but for the one that asks for it."""
    for action in actions:
        if action.help in (None, argparse.SUPPRESS) or action.dest == "help":
            continue
        takes = "|".join(action.choices) if action.choices else action.metavar
        spelled = [*action.option_strings[-1:], *filter(None, [takes])]
        yield Option(" ".join(map(str, spelled)), str(action.help))


def _commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """The commands by name, and a group before those in it."""
    context = _context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")


def _context(command: click.Command) -> click.Context:
    """Where the command line runs it: a command keeps the first help option it had."""
    return click.Context(command, **cli.context_settings)


def _reads(command: click.Command) -> bool:
    return any(parameter.name == "paths" for parameter in command.params)


def _section(path: str, command: click.Command, shared: Sequence[Option]) -> str:
    usage = command.collect_usage_pieces(_context(command))
    told = _paragraphs(cleandoc(command.help or ""))
    example = (command.epilog or "").partition("Example:\n")[2]
    parts = [
        f"{'#' * (1 + max(path.count(' '), 1))} {path}",
        fenced(" ".join([path, *usage])),
        *told,
    ]
    own = [option for option in _options(command) if option not in shared]
    if own:
        parts.append(_table(own).rstrip())
    if _reads(command):
        parts.append("And the options for [reading sessions](#reading-sessions).")
    parts.append(fenced(dedent(example), "sh"))
    return "\n\n".join(parts) + "\n"


def _paragraphs(text: str) -> list[str]:
    """Its paragraphs, a sentence a line."""
    told = text.strip().split("\n\n")
    return ["\n".join(_SENTENCE.split(" ".join(part.split()))) for part in told]


def _options(command: click.Command) -> list[Option]:
    context = _context(command)
    records = [parameter.get_help_record(context) for parameter in command.params]
    return [Option(*record) for record in records if record is not None and record[1]]


def _table(options: Sequence[Option]) -> str:
    rows = [(code(option.spelled), option.says) for option in options]
    return table(("option", "what it does"), rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    PROXY_PAGE.write_text(proxy_page(), encoding="utf-8")
