"""Where a report goes: Markdown to standard output, and a page if asked for."""

import importlib
import json
from collections.abc import Callable
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.files import write_text
from stretto.report.document import Document, markdown
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

out_option = click.option(
    "-o", "--out", metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the report there instead of printing it, and its JSON beside it.",
)  # fmt: skip


def write_report(
    build: Build,
    summary: Json,
    page: Path | None,
    as_json: bool,
    *,
    out: Path | None = None,
) -> None:
    """
    Write a report in the forms asked for.

    Args:
        out: Where the Markdown goes, and the JSON under the same name.

    Raises:
        CannotWrite: a file could not be written.
    """
    if out is not None:
        beside = out.with_suffix(".json")
        write_text(out, markdown(build(None)) + "\n")
        write_text(beside, json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
        click.echo(f"wrote {out} and {beside}", err=True)
    if page is not None:
        write_text(page, _html(build(drawing())))
        click.echo(f"wrote {page}", err=True)
    if as_json:
        click.echo(json.dumps(summary, indent=2))
    elif out is None:
        click.echo(markdown(build(None)))


def _html(document: Document) -> str:
    """The page; what makes it is imported here, and only when one is wanted."""
    page: str = importlib.import_module("stretto.report.page").html(document)
    return page
