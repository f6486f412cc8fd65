"""`stretto redact`: copies of session logs that can be shared."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from stretto.cli.examples import example
from stretto.cli.number import Whole
from stretto.cli.options import as_json
from stretto.cli.problems import warn_of_problems
from stretto.cli.progress import track
from stretto.errors import StrettoError
from stretto.files import read_bytes
from stretto.traces.ledger import Ledger
from stretto.traces.redact.copies import Copied, Log, copy, logs
from stretto.traces.redact.pseudonym import MIN_SALT
from stretto.traces.redact.values import Choice

VARIABLE = "STRETTO_REDACT_SALT"

_MAX_SALT = 4096
_HINT = (
    "put 32 random bytes into a file that stays with you: "
    "`head -c 32 /dev/urandom | base64 > salt`, then `--salt-file salt`"
)


def _fields(
    _: click.Context, __: click.Parameter, given: tuple[str, ...]
) -> frozenset[str]:
    return frozenset(field for text in given for field in text.split(",") if field)


@click.command(
    epilog=example(
        "stretto redact sessions/ -o to-share --salt-file salt",
        "stretto redact sessions/ -o to-share --salt-file salt --keep status,size",
    ),
)
@click.argument(
    "given",
    metavar="LOGS...",
    nargs=-1,
    type=click.Path(exists=True, path_type=Path),
)
@click.option(
    "--sessions", "more", metavar="PATH", multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="More logs, as LOGS are; may be repeated.",
)  # fmt: skip
@click.option(
    "-o", "--out", required=True, metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write the copies to; made if missing.",
)  # fmt: skip
@click.option(
    "--salt-file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="A file with the salt, which has to stay secret.",
)  # fmt: skip
@click.option(
    "--salt-env", default=VARIABLE, show_default=True, metavar="VAR",
    help="The variable with the salt, where there is no file.",
)  # fmt: skip
@click.option(
    "--keep", multiple=True, metavar="FIELD", callback=_fields,
    help="Leave the values of a field as they are, wherever they stand.",
)  # fmt: skip
@click.option(
    "--keep-shared", type=Whole(min=2), metavar="N",
    help="Leave the values as they are that stand in N sessions or more.",
)  # fmt: skip
@click.option(
    "--hash-field", "hashed", multiple=True, metavar="FIELD", callback=_fields,
    help="Replace the values of a field whatever else would keep them.",
)  # fmt: skip
@click.option(
    "--hash-keys", "keys", is_flag=True,
    help="Replace every key that no tool declares, so that paths hold pseudonyms.",
)  # fmt: skip
@click.option(
    "--recursive", is_flag=True, help="Look into the folders of a folder too."
)
@as_json
def redact(
    given: tuple[Path, ...],
    more: tuple[Path, ...],
    out: Path,
    salt_file: Path | None,
    salt_env: str,
    keep: frozenset[str],
    keep_shared: int | None,
    hashed: frozenset[str],
    keys: bool,
    recursive: bool,
    as_json: bool,
) -> None:
    """
    Copy session logs with pseudonyms in place of what was said.

    Every string and number that somebody said becomes a pseudonym: one and the same
    wherever it stands, under one salt. What a flow is learned from stays: which tools
    were called when, and where their arguments came from. Of messages stays which of
    the sessions' values they name. The logs beside sessions are copied with them.

    Whoever has the salt can look for a value that they guess. Keep it secret, and keep
    it, so that later copies have the same pseudonyms.

    LOGS are session logs and folders of them, compressed or not; name all of a host's
    servers at once. No file is overwritten.
    """
    named = (*given, *more)
    if not named:
        raise click.UsageError("name session logs, or folders of them: LOGS...")
    salt = _salt(salt_file, salt_env)
    choice = Choice(keep, keep_shared, hashed, keys)
    ledger = Ledger()
    found = logs(named, ledger, recursive=recursive)
    if not found:
        warn_of_problems(ledger)
        raise StrettoError("there is no session log to copy")
    copied = copy(found, out, salt, choice=choice, ledger=ledger, watch=_watched)
    warn_of_problems(ledger)
    if as_json:
        click.echo(json.dumps({"out": str(out), **asdict(copied)}, indent=2))
    else:
        click.echo(_told(copied, out))


def _watched(found: Sequence[Log], title: str) -> Iterable[Log]:
    return track(found, title, total=len(found))


def _told(copied: Copied, out: Path) -> str:
    return (
        f"wrote {copied.sessions:,} session logs and {copied.beside:,} logs beside "
        f"them, {copied.lines:,} lines, to {out}\n"
        f"replaced {copied.replaced:,} times, left {copied.left:,} times: "
        f"{copied.values:,} values, {copied.declared:,} names that tools declare"
    )


def _salt(path: Path | None, variable: str) -> bytes:
    if path is not None:
        found, place = read_bytes(path), str(path)
    elif (said := os.environ.get(variable)) is not None:
        found, place = os.fsencode(said), variable
    else:
        raise StrettoError(f"there is no salt: {variable} is not set", hint=_HINT)
    salt = found.strip()
    if not MIN_SALT <= len(salt) <= _MAX_SALT:
        raise StrettoError(
            f"{place} holds no salt of {MIN_SALT} to {_MAX_SALT:,} bytes", hint=_HINT
        )
    return salt
