"""A whole flow file: its fields in order, and what ties one part to another."""

from pathlib import Path

from stretto.canonical import Json, in_order
from stretto.episodes.manifest import Manifest, parse_manifest
from stretto.errors import FormatError, ProgramError
from stretto.files import Node, read_json, write_text
from stretto.flow.flow import Flow
from stretto.flow.wire.arbiter import (
    fit_json,
    provenance_json,
    read_fit,
    read_provenance,
    read_weighed,
)
from stretto.flow.wire.bindings import bindings_json, read_bindings
from stretto.flow.wire.counts import (
    backoff_json,
    habit_json,
    map_json,
    read_habit,
    read_map,
    read_reach,
    read_vocab,
    vocab_json,
)
from stretto.flow.wire.pairs import names_json, read_names
from stretto.flow.wire.sites import (
    promotion_json,
    read_promotion,
    read_sites,
    read_surprise,
    read_threshold,
    sites_json,
    surprise_json,
)
from stretto.flow.wire.versions import FIELD, check_version, name_log, version
from stretto.oracle.predicates import predicates_json, read_predicates
from stretto.program.ast import Program
from stretto.program.standard import STANDARD, admit
from stretto.program.wire import program_json, read_program

FIELDS = (
    FIELD,
    "provenance",
    "vocab",
    "manifest",
    "map",
    "group",
    "habit",
    "sites",
    "predicates",
    "weighed",
    "folds",
    "bindings",
    "model",
    "program",
    "promoted",
    "thresholds",
    "contracts",
    "reach",
    "surprise",
)
"""The file's fields, in its order. Any other one is kept, and written after these."""


def read_flow(path: str | Path) -> Flow:
    """
    The flow in a file.

    Raises:
        VersionError: it is of a version this build does not read.
        FormatError: it is no flow, or one whose parts do not fit together.
        ProgramError: its program uses what a flow's program may not.
    """
    try:
        node = read_json(path)
    except FormatError as cause:
        name_log(path, cause)
        raise
    return parse_flow(node)


def parse_flow(node: Node) -> Flow:
    """A flow from a file's node. Raises as `read_flow` does."""
    check_version(node)
    vocab = read_vocab(node["vocab"])
    manifest = parse_manifest(node["manifest"])
    predicates = read_predicates(node.get("predicates"))
    weighed = read_weighed(node.get("weighed"), predicates)
    folds, model = node.get("folds"), node.get("model")
    program = _read_program(node.get("program"))
    return Flow(
        provenance=read_provenance(node["provenance"]),
        vocab=vocab,
        manifest=manifest,
        map=read_map(node["map"]),
        group=node["group"].integer(),
        habit=read_habit(node["habit"], vocab.size),
        sites=read_sites(node["sites"], manifest),
        predicates=predicates,
        weighed=weighed,
        folds=()
        if folds is None
        else tuple(read_fit(fold, weighed) for fold in folds.array()),
        bindings=read_bindings(node["bindings"]),
        model="" if model is None else model.text(),
        program=STANDARD if program is None else program,
        promoted=read_promotion(node.get("promoted")),
        thresholds=read_names(node.get("thresholds"), read_threshold),
        contracts=read_names(node.get("contracts"), Node.text),
        reach=read_reach(node.get("reach"), vocab.size),
        surprise=read_surprise(node.get("surprise")),
        has_program=program is not None,
        extra={k: v for k, v in node.fields().items() if k not in FIELDS},
    )


def flow_json(flow: Flow) -> dict[str, Json]:
    """
    A flow as its file's JSON value, fields in the file's order.

    Equal flows give equal text: every map is sorted.
    """
    always: dict[str, Json] = {
        FIELD: version(flow),
        "provenance": provenance_json(flow.provenance),
        "vocab": vocab_json(flow.vocab),
        "manifest": _manifest_json(flow.manifest),
        "map": map_json(flow.map),
        "group": flow.group,
        "habit": habit_json(flow.habit),
        "sites": sites_json(flow.sites),
        "predicates": predicates_json(flow.predicates),
        "weighed": predicates_json(flow.weighed),
        "folds": [fit_json(fold) for fold in flow.folds],
        "bindings": bindings_json(flow.bindings),
        "model": flow.model,
    }
    return {**always, **_optional_json(flow), **flow.extra}


def write_flow(flow: Flow, path: str | Path) -> None:
    """
    Write a flow file, on one line, whole or not at all.

    Raises:
        CannotWrite: the folder is missing or closed, or the disk is full.
    """
    write_text(path, in_order(flow_json(flow)))


def _read_program(node: Node | None) -> Program | None:
    if node is None:
        return None
    program = read_program(node)
    try:
        admit(program)
    except ProgramError as cause:
        if cause.place:
            raise
        place = f"{node.path}: {node.place()}"
        raise ProgramError(cause.cause, place=place, hint=cause.hint) from cause
    return program


def _optional_json(flow: Flow) -> dict[str, Json]:
    found: dict[str, Json] = {}
    if flow.has_program or flow.program != STANDARD:
        found["program"] = program_json(flow.program)
    if flow.promoted is not None:
        found["promoted"] = promotion_json(flow.promoted)
    if flow.thresholds:
        found["thresholds"] = names_json(flow.thresholds, float)
    if flow.contracts:
        found["contracts"] = names_json(flow.contracts, lambda contract: contract)
    if flow.reach is not None:
        found["reach"] = backoff_json(flow.reach)
    if flow.surprise is not None:
        found["surprise"] = surprise_json(flow.surprise)
    return found


def _manifest_json(manifest: Manifest) -> Json:
    return {
        "domain": manifest.domain,
        "tools": names_json(manifest.tools, str),
        "docs": names_json(
            manifest.docs,
            lambda docs: {
                "summary": docs.summary,
                "args": names_json(docs.args, lambda text: text),
            },
        ),
    }
