"""Where a report goes: Markdown to standard output, and a page if asked for."""

import json
from collections.abc import Callable
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.files import write_text
from stretto.report.document import Document, html, markdown
from stretto.report.drawing import Drawing, drawing

Build = Callable[[Drawing | None], Document]
"""Makes a report, with figures where they can be drawn."""

html_option = click.option(
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the report, with figures, as one HTML page.",
)


def write_report(build: Build, summary: Json, page: Path | None, as_json: bool) -> None:
    """
    Write a report in the forms asked for.

    Raises:
        CannotWrite: the page could not be written.
    """
    if page is not None:
        write_text(page, html(build(drawing())))
        click.echo(f"wrote {page}", err=True)
    if as_json:
        click.echo(json.dumps(summary, indent=2))
    else:
        click.echo(markdown(build(None)))
