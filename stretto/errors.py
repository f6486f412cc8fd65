"""
Every error stretto raises on purpose.

* StrettoError
  - TraceError         a session file could not be read, whole or in part
  - FormatError        a stretto file does not have the shape its format asks for
    · VersionError     … it is of a version this build does not read
  - ProgramError       a program does not parse, names something unknown, or misran
  - NothingToLearn     no successful session is left to learn from
  - NoConvergence      a chain did not mix; its draws are not to be used
  - CannotDecide       a flow lacks what the decider asked for
  - OracleError        a System-One model did not answer, or not what was asked
    · OracleDown       … and would not have answered another request either
    · AnswerMissing    … because answers are replayed, and this one was not kept
    · AnswerIncomplete … a question that the decider cannot do without
  - UnknownPlugin      no installed package provides that name
  - BrokenPlugin       one does, and it does not load
  - CannotWrite        an output could not be written
  - CannotStart        a server's command could not be run
  - ServerFailed       a server ended, refused, or did not answer in time

Anything else that escapes is a bug, and keeps its traceback.
"""

from collections.abc import Sequence
from json import JSONDecodeError


class StrettoError(Exception):
    """Something a user can act on: one sentence, and a hint at what to try."""

    hint: str | None = None

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        if hint is not None:
            self.hint = hint


class TraceError(StrettoError):
    """A session file, or one entry of it, that could not be read."""

    def __init__(
        self, path: str, cause: str, *, line: int | None = None, hint: str | None = None
    ) -> None:
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {cause}", hint=hint)
        self.path, self.line, self.cause = path, line, cause


class FormatError(StrettoError):
    """A file that does not have the shape its format asks for."""

    def __init__(
        self, path: str, cause: str, *, place: str = "", hint: str | None = None
    ) -> None:
        where = f"{path}: {place}" if place else path
        super().__init__(f"{where}: {cause}", hint=hint)
        self.path, self.place, self.cause = path, place, cause


class VersionError(FormatError):
    """A file of another version, or of another format altogether."""

    hint = "docs/reference/versions.md says which build reads which version"

    def __init__(
        self, path: str, field: str, *, found: object, reads: Sequence[int]
    ) -> None:
        wanted = " and ".join(map(str, reads))
        plural = "versions" if len(reads) > 1 else "version"
        if found is None:
            cause = f"has no `{field}` field; this build reads {plural} {wanted}"
        else:
            cause = f"`{field}` is {found!r}, and this build reads {plural} {wanted}"
        super().__init__(path, cause)
        self.field, self.found, self.reads = field, found, tuple(reads)


class ProgramError(StrettoError):
    """A program that does not parse, does not check, or cannot be run on its data."""

    def __init__(self, cause: str, *, place: str = "", hint: str | None = None) -> None:
        super().__init__(f"{place}: {cause}" if place else cause, hint=hint)
        self.cause, self.place = cause, place


class NothingToLearn(StrettoError):
    """No successful session is left to learn from."""

    hint = (
        "`stretto episodes` shows what was read and which sessions succeeded; "
        "`--rewards FILE` names the ones that did"
    )


class NoConvergence(StrettoError):
    """A Markov chain whose diagnostics say its draws are not to be used."""

    hint = "draw more, or use the deterministic grid (`--sampler grid`)"


class CannotDecide(StrettoError):
    """A flow was asked to decide in a way it holds nothing for."""


class OracleError(StrettoError):
    """A System-One model that did not answer, or not what it was asked."""


class OracleDown(OracleError):
    """A model that cannot be reached, or answers nobody."""


class AnswerMissing(OracleError):
    """A replayed answer that nobody kept."""

    hint = "ask it once with an oracle that answers, or import the answers' bundle"

    def __init__(self, key: str, place: str) -> None:
        super().__init__(f"{place} holds no answer to {key}")
        self.key, self.place = key, place


class AnswerIncomplete(OracleError):
    """Answers that lack one which a decider cannot do without."""


class UnknownPlugin(StrettoError):
    """No installed package provides that name."""

    def __init__(self, group: str, name: str, known: Sequence[str]) -> None:
        super().__init__(
            f"no installed package provides {name!r} in {group}",
            hint=f"installed: {', '.join(known) or 'none'}",
        )
        self.group, self.name, self.known = group, name, tuple(known)


class BrokenPlugin(StrettoError):
    """An installed plug-in that does not load."""

    def __init__(self, group: str, name: str, value: str, cause: BaseException) -> None:
        super().__init__(
            f"{name!r} in {group} ({value}) does not load: {cause}",
            hint="reinstall or remove the package that provides it",
        )
        self.group, self.name, self.value = group, name, value


class CannotWrite(StrettoError):
    """An output file that could not be written; nothing was left half-written."""


class CannotStart(StrettoError):
    """A server's command that could not be run."""

    hint = (
        "a host may have another PATH than your shell: give the program's full path, "
        "as `command -v NAME` prints it"
    )

    def __init__(self, program: str, cause: Exception) -> None:
        why = cause.strerror if isinstance(cause, OSError) else None
        super().__init__(f"{program} cannot be started: {why or cause}")
        self.program = program


class ServerFailed(StrettoError):
    """A server that ended, refused, or did not answer in time."""


def json_fault(cause: JSONDecodeError) -> str:
    """What is wrong with JSON text and where, with line and column counted from 1."""
    what = cause.msg.removesuffix(" at")
    return f"{what} at line {cause.lineno}, column {cause.colno}"
