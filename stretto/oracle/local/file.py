"""
A local model's file: networks, their calibrations, and where they came from.

It is a safetensors file of six networks: five that each leave out a fold of tasks, and
one learned from all. Its arrays are `PLACE.words`, `PLACE.word_rows`, `PLACE.marks` and
`PLACE.mark_rows`, with 0 to 4 or `all` for PLACE; the rest is JSON in a text,
`about`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stretto.canonical import Json, compact
from stretto.episodes.tasks import N_FOLDS, fold, task_group
from stretto.errors import FormatError, VersionError
from stretto.files import Node, parse_json, read_bytes, write_bytes
from stretto.oracle.local.calibration import HIGHEST, LOWEST, Calibration
from stretto.oracle.local.net import Net, Table
from stretto.oracle.local.tensors import Tensor, Tensors, parse_tensors, tensors_bytes

FIELD = "stretto_local"

VERSION = 1

ALL = "all"

PLACES = (*map(str, range(N_FOLDS)), ALL)
"""The networks' names: the fold that each leaves out, and the one of all tasks."""

MAX_WIDTH = 256
"""The widest row that is read."""

N_BUCKETS = len(Calibration().again)


@dataclass(frozen=True, slots=True)
class Member:
    """One network, and how its scores are read."""

    net: Net
    calibration: Calibration


class Gain(NamedTuple):
    """A 95% interval of how much less a log loss is than the habit's, in nats."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a model came from, and what it was worth."""

    stretto: str
    domain: str
    sources: tuple[str, ...]
    """The agents whose sessions were learned from, sorted."""
    sessions: int
    decisions: int
    sha256: str
    """Of the sessions, as they were read."""
    tasks: tuple[int, ...]
    """The tasks' groups (`task_group`), rising: by them it knows what it has seen."""
    settings: Mapping[str, Json]
    """Of the training, the seed among them."""
    gain: Gain | None
    """On held-out decisions, over tasks; None of too few to tell."""
    scores: Mapping[str, Json]
    """On held-out decisions, beside the habit's."""

    @property
    def beats_habit(self) -> bool:
        """Whether steps of tasks it never saw were likelier than under the habit."""
        return self.gain is not None and self.gain.low > 0


@dataclass(frozen=True, slots=True)
class LocalModel:
    """What a file holds."""

    members: Mapping[str, Member]
    """By `PLACES`."""
    provenance: Provenance
    digest: str = ""
    """The SHA-256 of the file's bytes; empty before it is written."""

    def member(self, task: str | None = None) -> Member:
        """
        The network to ask.

        Args:
            task: Whose session is asked about. One that was learned from is answered
                by the network that left its fold out.
        """
        if task is None or task_group(task) not in self.provenance.tasks:
            return self.members[ALL]
        return self.members[str(fold(task))]


def local_bytes(model: LocalModel) -> bytes:
    """The file's bytes; the same model gives the same ones."""
    arrays: dict[str, Tensor] = {}
    for place, member in model.members.items():
        for kind, table in _tables(member.net):
            arrays[f"{place}.{kind}s"] = table.numbers
            arrays[f"{place}.{kind}_rows"] = table.rows.astype(np.float32)
    about: Json = {
        "calibrations": {
            place: _calibration_json(member.calibration)
            for place, member in model.members.items()
        },
        "provenance": _provenance_json(model.provenance),
    }
    texts = {FIELD: str(VERSION), "about": compact(about)}
    return tensors_bytes(Tensors(arrays, texts))


def write_local(model: LocalModel, path: str | Path) -> LocalModel:
    """
    The model as its file, and with the file's digest.

    Raises:
        CannotWrite: the folder is missing or closed, or the disk is full.
    """
    data = local_bytes(model)
    write_bytes(path, data)
    return parse_local(data, str(path))


def read_local(path: str | Path) -> LocalModel:
    """
    The model of a file.

    Raises:
        VersionError: it is of another version, or is no local model.
        FormatError: it is missing, too large, or does not have the format's shape.
    """
    return parse_local(read_bytes(path), str(path))


def parse_local(data: bytes, path: str) -> LocalModel:
    """As `read_local`, from the file's bytes."""
    found = parse_tensors(data, path)
    if (version := found.texts.get(FIELD)) != str(VERSION):
        raise VersionError(path, FIELD, found=version, reads=(VERSION,))
    about = parse_json(found.texts.get("about", ""), path)
    about.only("calibrations", "provenance")
    calibrations = about["calibrations"]
    calibrations.only(*PLACES)
    members = {
        place: Member(_net(found, place, path), _calibration(calibrations[place]))
        for place in PLACES
    }
    if extra := sorted(found.arrays.keys() - _names()):
        raise FormatError(path, f"holds an array it should not, `{extra[0]}`")
    return LocalModel(
        members, _provenance(about["provenance"]), sha256(data).hexdigest()
    )


def _tables(net: Net) -> tuple[tuple[str, Table], tuple[str, Table]]:
    return ("word", net.words), ("mark", net.marks)


def _names() -> set[str]:
    kinds = ("words", "word_rows", "marks", "mark_rows")
    return {f"{place}.{kind}" for place in PLACES for kind in kinds}


def _net(found: Tensors, place: str, path: str) -> Net:
    words, marks = (_table(found, f"{place}.{kind}", path) for kind in ("word", "mark"))
    if marks.rows.shape[1] != words.rows.shape[1] + 1:
        raise FormatError(path, "has rows of two widths", place=place)
    return Net(words, marks)


def _table(found: Tensors, name: str, path: str) -> Table:
    known, rows = (found.arrays.get(f"{name}{end}") for end in ("s", "_rows"))
    if known is None or rows is None:
        raise FormatError(path, f"has no array `{name}s` or `{name}_rows`")
    if known.dtype != np.uint32 or known.ndim != 1 or not _is_rising(known):
        cause = "is no list of rising numbers from 1 up"
        raise FormatError(path, cause, place=f"{name}s")
    if rows.dtype != np.float32 or rows.ndim != 2 or len(rows) != len(known):
        raise FormatError(path, "has not a row for each", place=f"{name}_rows")
    if not 1 <= rows.shape[1] <= MAX_WIDTH:
        cause = f"has rows of {rows.shape[1]} numbers, not 1 to {MAX_WIDTH}"
        raise FormatError(path, cause, place=f"{name}_rows")
    return Table(known, rows.astype(np.float64))


def _is_rising(known: Tensor) -> bool:
    return bool((known[:1] > 0).all() and (known[1:] > known[:-1]).all())


def _calibration_json(calibration: Calibration) -> Json:
    return {**asdict(calibration), "again": [*calibration.again]}


def _calibration(node: Node) -> Calibration:
    node.only("next", "tool", "go_on", "again")
    return Calibration(
        next=node["next"].number(LOWEST, HIGHEST),
        tool=node["tool"].number(LOWEST, HIGHEST),
        go_on=node["go_on"].number(LOWEST, HIGHEST),
        again=tuple(p.number(0, 1) for p in node["again"].array(N_BUCKETS)),
    )


def _provenance_json(provenance: Provenance) -> Json:
    tasks: list[Json] = [f"{group:016x}" for group in provenance.tasks]
    gain: Json = None if provenance.gain is None else [*provenance.gain]
    listed: dict[str, Json] = {"sources": [*provenance.sources], "tasks": tasks}
    return {**asdict(provenance), **listed, "gain": gain}


def _provenance(node: Node) -> Provenance:
    node.only(*Provenance.__slots__)
    return Provenance(
        stretto=node["stretto"].text(),
        domain=node["domain"].text(),
        sources=tuple(source.text() for source in node["sources"].array()),
        sessions=node["sessions"].integer(),
        decisions=node["decisions"].integer(),
        sha256=node["sha256"].text(),
        tasks=tuple(task.one_of(_group, _GROUP) for task in node["tasks"].array()),
        settings=node["settings"].fields(),
        gain=None if (gain := node.get("gain")) is None else _gain(gain),
        scores=node["scores"].fields(),
    )


def _gain(node: Node) -> Gain:
    low, high = (bound.number() for bound in node.array(2))
    return Gain(low, high)


def _group(digits: str) -> int:
    if len(digits) != 16:
        raise ValueError(digits)
    return int.from_bytes(bytes.fromhex(digits))


_GROUP = "16 hexadecimal digits"
