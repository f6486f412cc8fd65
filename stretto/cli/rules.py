"""Which rules a command goes by: those of `--rules`, else those of `--domain`."""

from collections.abc import Callable

import click

from stretto.cli.options import Sessions
from stretto.errors import StrettoError
from stretto.guards.guard import Guards
from stretto.guards.load import load

rules_option: Callable[[Callable[..., None]], Callable[..., None]] = click.option(
    "--rules",
    "named",
    metavar="NAME|FILE",
    help="The rules: airline, retail or another installed set, or a rule file; those "
    "of --domain if left out.",
)


def rules_name(sessions: Sessions, named: str | None) -> str:
    """
    What the rules are called.

    Raises:
        StrettoError: neither option says.
    """
    name = named or sessions.options.domain
    if name is None:
        raise StrettoError(
            "which rules are meant was not said",
            hint="give --domain retail or airline, or --rules NAME|FILE",
        )
    return name


def rules_of(sessions: Sessions, named: str | None) -> tuple[Guards, str]:
    """
    The rules, a file's as it asks for them, and what a report calls them.

    Raises:
        StrettoError: neither option says which.
        UnknownPlugin: there are none of that name.
        FormatError: the file is no rule file.
    """
    name = rules_name(sessions, named)
    loaded = load(name)
    rules = loaded.guards if loaded.file is None else loaded.file.asked
    return rules, rules.domain or name
