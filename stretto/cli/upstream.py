"""A server at a URL, as options."""

from collections.abc import Mapping

import click


def _variables(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> Mapping[str, str]:
    named = [pair.partition("=") for pair in given]
    if not all(name and variable for name, _, variable in named):
        raise click.BadParameter("a header is NAME=VARIABLE", ctx, param)
    return {name: variable for name, _, variable in named}


upstream_option = click.option(
    "--upstream", metavar="URL", help="The server's address, instead of its command."
)

headers_option = click.option(
    "--upstream-header",
    "headers",
    multiple=True,
    metavar="NAME=VAR",
    callback=_variables,
    help="A header for the server, whose value is in the variable VAR.",
)
