"""`stretto export-answers` and `import-answers`: kept answers as a bundle."""

import json
from pathlib import Path

import click

from stretto.cli.examples import example
from stretto.cli.options import as_json
from stretto.cli.oracles import cache_option
from stretto.cli.progress import track
from stretto.cli.warnings import warn
from stretto.errors import FormatError, StrettoError
from stretto.files import write_text
from stretto.oracle.bundle import export_lines, import_lines
from stretto.oracle.cache import Cache
from stretto.oracle.lines import json_lines


@click.command(
    epilog=example(
        "stretto export-answers > answers.jsonl",
        "stretto export-answers --oracle-cache phase0 -o answers.jsonl",
    ),
)
@cache_option
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write them to a file, whole or not at all.",
)
def export_answers(oracle_cache: Path, out: Path | None) -> None:
    """
    Print the answers kept, a line each.

    A line is an answer and its request's key, sorted by key. Requests are not kept, so
    none is printed; an answer still holds its options' names. A damaged file is told
    and left out.
    """
    if not oracle_cache.is_dir():
        raise StrettoError(
            f"{oracle_cache} holds no answers", hint="--oracle-cache names the folder"
        )
    damaged: list[FormatError] = []
    lines = export_lines(Cache(oracle_cache), damaged)
    if out is None:
        for line in lines:
            click.echo(line)
    else:
        write_text(out, "".join(f"{line}\n" for line in lines))
    for cause in damaged:
        warn(str(cause))


@click.command(
    epilog=example(
        "stretto import-answers answers.jsonl",
        "gunzip -c answers.jsonl.gz | stretto import-answers -",
    ),
)
@click.argument("bundle", type=click.Path(path_type=Path, allow_dash=True))
@cache_option
@as_json
def import_answers(bundle: Path, oracle_cache: Path, as_json: bool) -> None:
    """
    Keep the answers of a bundle.

    BUNDLE is a file that `stretto export-answers` wrote, or - for standard input. An
    answer that is there already stays, also where the bundle's differs, which is told.
    """
    lines = track(json_lines(bundle), "importing answers")
    found = import_lines(Cache(oracle_cache), lines)
    if as_json:
        counts = {"new": found.kept, "known": found.known, "differ": found.differ}
        click.echo(json.dumps(counts, indent=2))
    else:
        click.echo(f"{found.kept:,} new, {found.known:,} there already")
    if found.differ:
        n = len(found.differ)
        warn(f"{n:,} differ from what is kept, which stays: {found.differ[0]}")
