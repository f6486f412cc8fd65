"""Which version a flow file is, and whether this build reads it."""

from collections.abc import Iterator
from pathlib import Path

from stretto.errors import FormatError, VersionError
from stretto.files import Node, parse_json
from stretto.flow.flow import Flow
from stretto.flow.wire import bindings

FIELD = "stretto_flow"

READS = (1, 2)
"""The versions this build reads."""

_TOP_LEVEL = ("thresholds", "surprise")

VERSION_2 = (*_TOP_LEVEL, *(f"bindings.{name}" for name in bindings.VERSION_2))
"""The fields that make a flow version 2."""

MAX_LINE = 2**16
"""How much of a first line is read to tell what a file is, in bytes."""

_OTHERS = {
    "stretto_arbiter": "an arbiter, not a flow",
    "stretto_procedure": "a procedure, not a flow",
    "fugue_program": "a program, not a flow",
    "stretto_mcp_log": "a session log, not a flow",
    "simulations": "τ²-bench results, not a flow",
}
"""The files somebody may hand over in a flow's place, by a field they begin with."""


def version(flow: Flow) -> int:
    """The version a flow is written as: 2 where it holds what version 1 does not."""
    held = [getattr(flow, name) for name in _TOP_LEVEL]
    held += [getattr(flow.bindings, name) for name in bindings.VERSION_2]
    return 2 if any(held) else 1


def check_version(node: Node) -> None:
    """
    Fail on a file of a version this build does not read, before reading anything else.

    Raises:
        VersionError: the version is another one, or missing.
        FormatError: the file is something else, or a version 1 that holds fields of
            version 2.
    """
    if not isinstance(node.value, dict):
        node.wanted("an object: a flow is one")
    if FIELD not in node.value:
        _check_other(node)
    found = node.value.get(FIELD)
    if type(found) is not int or found not in READS:
        error = VersionError(node.path, FIELD, found=found, reads=READS)
        error.hint = f"`stretto learn` writes a flow from its sessions; {error.hint}"
        raise error
    if found == 1 and (later := list(_later_fields(node))):
        node[FIELD].fail(
            f"is 1, and the file holds {' and '.join(later)}, which version 1 lacks",
            hint=f"set `{FIELD}` to 2, or delete what version 1 lacks",
        )


def name_log(path: str | Path, cause: FormatError) -> None:
    """
    Fail for a better reason where a file that is no JSON is a log of one line each.

    Raises:
        FormatError: its first line begins something other than a flow.
    """
    try:
        with open(path, "rb") as file:
            first = parse_json(file.readline(MAX_LINE), str(path))
    except (OSError, FormatError):
        return
    if isinstance(first.value, dict):
        _check_other(first, cause)


def _check_other(node: Node, cause: FormatError | None = None) -> None:
    for field, what in _OTHERS.items():
        if field in node.fields():
            raise FormatError(
                node.path,
                f"is {what}",
                hint="`stretto learn` makes a flow from recorded sessions",
            ) from cause


def _later_fields(node: Node) -> Iterator[str]:
    for name in _TOP_LEVEL:
        if node.fields().get(name):
            yield f"`{name}`"
    held = node.get("bindings")
    for name in bindings.VERSION_2:
        if held is not None and held.fields().get(name):
            yield f"`bindings.{name}`"
