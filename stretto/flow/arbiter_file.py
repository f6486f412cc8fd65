"""
Arbiter files: a flow's arbiter on its own, to serve with a habit learned elsewhere.

Format `stretto_arbiter: 1`, pretty-printed. It holds counts, weights and questions, and
nothing anyone said.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stretto.canonical import Json
from stretto.errors import VersionError
from stretto.files import Node, read_json, write_text
from stretto.flow.flow import Fit, Provenance
from stretto.flow.wire.arbiter import (
    fit_json,
    provenance_json,
    read_fit,
    read_provenance,
    read_weighed,
)
from stretto.oracle.predicates import Predicate, predicates_json, read_predicates

FIELD = "stretto_arbiter"

VERSION = 1

FIELDS = (
    FIELD,
    "domain",
    "provenance",
    "predicates",
    "weighed",
    "fitted",
    "model",
)
"""The file's fields, in its order. Any other one is kept, and written after these."""


@dataclass(frozen=True, slots=True)
class Arbiter:
    """One fit, and the questions it was fitted with."""

    domain: str
    """The domain whose decisions it was fitted on."""
    provenance: Provenance
    """Of the flow it came from."""
    fitted: Fit
    model: str
    predicates: tuple[Predicate, ...] = ()
    weighed: tuple[Predicate, ...] = ()
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Optional fields this build does not know, kept as they were read."""


def read_arbiter(path: str | Path) -> Arbiter:
    """
    The arbiter in a file.

    Raises:
        VersionError: it is of another version, or no arbiter.
        FormatError: its parts do not have the format's shape.
    """
    return parse_arbiter(read_json(path))


def parse_arbiter(node: Node) -> Arbiter:
    """An arbiter from a file's node. Raises as `read_arbiter` does."""
    found = node.fields().get(FIELD)
    if type(found) is not int or found != VERSION:
        raise VersionError(node.path, FIELD, found=found, reads=(VERSION,))
    predicates = read_predicates(node["predicates"])
    weighed = read_weighed(node["weighed"], predicates)
    return Arbiter(
        domain=node["domain"].text(),
        provenance=read_provenance(node["provenance"]),
        fitted=read_fit(node["fitted"], weighed),
        model=node["model"].text(),
        predicates=predicates,
        weighed=weighed,
        extra={k: v for k, v in node.fields().items() if k not in FIELDS},
    )


def arbiter_json(arbiter: Arbiter) -> dict[str, Json]:
    """An arbiter as its file's JSON value, fields in the file's order."""
    known: dict[str, Json] = {
        FIELD: VERSION,
        "domain": arbiter.domain,
        "provenance": provenance_json(arbiter.provenance),
        "predicates": predicates_json(arbiter.predicates),
        "weighed": predicates_json(arbiter.weighed),
        "fitted": fit_json(arbiter.fitted),
        "model": arbiter.model,
    }
    return {**known, **arbiter.extra}


def write_arbiter(arbiter: Arbiter, path: str | Path) -> None:
    """
    Write an arbiter file, whole or not at all.

    Raises:
        CannotWrite: the folder is missing or closed, or the disk is full.
    """
    text = json.dumps(arbiter_json(arbiter), indent=2, ensure_ascii=False)
    write_text(path, text)
