"""Folders of session logs, copied with their values replaced."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from stretto.errors import CannotWrite, StrettoError
from stretto.newfile import write_new
from stretto.traces.ledger import Ledger
from stretto.traces.redact.logs import beside_lines, session_lines
from stretto.traces.redact.pseudonym import MIN_SALT, Pseudonyms
from stretto.traces.redact.values import Choice, Hidden, Survey, Values
from stretto.traces.sessionlog import is_beside, read_header

Watch: TypeAlias = "Callable[[Sequence[Log], str], Iterable[Log]]"
"""Shows how far some work is: the logs it goes over, and what is done with them."""

NOTHING_STAYS = Choice()
"""But what tools declare."""

_SUFFIXES = (".jsonl", ".jsonl.gz")


@dataclass(frozen=True, slots=True)
class Copied:
    """What was written."""

    sessions: int
    """The session logs, each part of a session by itself."""
    beside: int
    """The logs beside them."""
    lines: int
    values: int
    """How many distinct values were met, the longest not counted."""
    replaced: int
    """How often a value was replaced."""
    left: int
    """How often one stayed as it was."""
    declared: int
    """How many values stay because a tool declares them."""


class Log(NamedTuple):
    """A file to copy."""

    path: Path
    session: str
    """What its header calls the session; by its name, of a log that lies beside one."""
    is_beside: bool = False

    def lines(self, values: Values, check: str, ledger: Ledger) -> Iterator[bytes]:
        """Its lines, walked over."""
        walk = beside_lines if self.is_beside else session_lines
        return walk(self.path, values, check, ledger)

    @property
    def copy(self) -> str:
        """What its copy is called."""
        return self.path.name.removesuffix(".gz")


def logs(
    paths: Iterable[Path], ledger: Ledger, *, recursive: bool = False
) -> list[Log]:
    """
    The logs among files and in folders. What is none is reported, and left out.

    Raises:
        StrettoError: the copies of two of them would have one name.
    """
    found: dict[str, Log] = {}
    for path in _files(paths, recursive):
        if is_beside(path):
            log = Log(path, path.name.removesuffix(".gz").rsplit(".", 2)[0], True)
        elif (header := read_header(path, ledger)) is not None:
            log = Log(path, header.session)
        else:
            continue
        other = found.setdefault(log.copy, log)
        if other.path.resolve() != path.resolve():
            raise StrettoError(
                f"{other.path} and {path} would be copied to one file",
                hint="redact them into folders of their own, with the same salt",
            )
    return [*found.values()]


def copy(
    found: Sequence[Log],
    out: Path,
    salt: bytes,
    *,
    choice: Choice = NOTHING_STAYS,
    ledger: Ledger,
    watch: Watch = lambda logs, _: logs,
) -> Copied:
    """
    Copies the logs to a folder, made where it is missing, their values replaced.

    The logs are read twice, and none is held. Each copy is written whole or not at all.
    What a log holds that cannot be read is reported, and not copied.

    Args:
        salt: What the pseudonyms are made with, at least `MIN_SALT` bytes.

    Raises:
        CannotWrite: a copy is there already, or one cannot be written.
        StrettoError: the salt is too short.
    """
    if len(salt) < MIN_SALT:
        raise StrettoError(f"the salt is shorter than {MIN_SALT} bytes")
    _make(out, found)
    pseudonyms = Pseudonyms(salt)
    survey = surveyed(watch(found, "looking through the sessions"), choice)
    hidden = Hidden(survey, pseudonyms)
    counted = _Counted()
    for log in watch(found, "writing copies"):
        lines = log.lines(hidden, pseudonyms.check, ledger)
        write_new(out / log.copy, counted.through(lines))
    n_beside = sum(log.is_beside for log in found)
    return Copied(
        len(found) - n_beside, n_beside, counted.n, len(survey.spelled),
        hidden.n_replaced, hidden.n_left, len(survey.declared),
    )  # fmt: skip


def surveyed(found: Iterable[Log], choice: Choice) -> Survey:
    """What logs hold that the choice, and what a message names, depend on."""
    survey = Survey(choice)
    for log in found:
        survey.session = log.session
        for _ in log.lines(survey, "", Ledger()):
            pass
    return survey


class _Counted:
    def __init__(self) -> None:
        self.n = 0

    def through(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        for line in lines:
            self.n += 1
            yield line


def _files(paths: Iterable[Path], recursive: bool) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            inside = path.rglob("*") if recursive else path.iterdir()
            yield from sorted(p for p in inside if p.name.endswith(_SUFFIXES))
        else:
            yield path


def _make(out: Path, found: Sequence[Log]) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise CannotWrite(f"{out} cannot be made: {cause.strerror}") from cause
    for log in found:
        if (out / log.copy).exists():
            raise CannotWrite(
                f"{out / log.copy} is there already, and nothing is overwritten",
                hint="name an empty folder",
            )
