"""A warning on standard error."""

import click

from stretto.markdown import printable


def warn(text: str) -> None:
    """Say that something is not as one would wish."""
    mark = click.style("warning:", fg="yellow", bold=True)
    click.echo(f"{mark} {printable(text)}", err=True)
