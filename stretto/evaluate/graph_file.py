"""
Graphs in a file, so that the next batch of settings finds them grown.

A file is for one flow (whatever its thresholds and promotions), one decider, these
episodes and this build; for anything else it is not read. It is numpy's `.npz`, without
pickled objects, and every number in it is checked before it is used.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from stretto import __version__
from stretto.episodes.episode import Episode
from stretto.errors import FormatError
from stretto.evaluate.flat import ARRAYS, Flat
from stretto.evaluate.nodes import END, UNKNOWN
from stretto.evaluate.setting import open_flow
from stretto.files import read_bytes, write_bytes
from stretto.flow.flow import Flow
from stretto.flow.wire import flow_json

ENGINE = 2
"""Raised whenever the same sessions would grow other graphs."""

MAX_BYTES = 2**31
"""The most a file's arrays may come to, unpacked."""


_BROKEN = (
    KeyError, TypeError, ValueError, EOFError, MemoryError, OSError,
    NotImplementedError, RuntimeError, zlib.error, zipfile.BadZipFile,
)  # fmt: skip
"""What reading an archive raises that is none, or not of arrays."""


class Kept(NamedTuple):
    """What a file holds."""

    flat: Flat
    floors: Mapping[str, float]
    """By site: the least score that the graphs were grown for."""


def graphs_key(flow: Flow, decider: str, episodes: Iterable[Episode]) -> str:
    """What names the graphs of these episodes: a SHA-256, in hexadecimal."""
    digest = hashlib.sha256()
    head = (ENGINE, __version__, decider, flow_json(open_flow(flow)))
    for part in (*head, *map(asdict, episodes)):
        digest.update(json.dumps(part, sort_keys=True).encode() + b"\n")
    return digest.hexdigest()


def write_graphs(path: Path, key: str, kept: Kept) -> None:
    """
    Write the graphs, whole or not at all.

    Raises:
        CannotWrite: the file cannot be written.
    """
    flat, file = kept.flat, io.BytesIO()
    sites = sorted(kept.floors)
    head = {"key": key, "sites": flat.sites, "floors": sites}
    np.savez_compressed(
        file,
        head=np.frombuffer(json.dumps(head).encode(), np.uint8),
        floors=np.array([kept.floors[site] for site in sites], np.float64),
        **{name: getattr(flat, name) for name in ARRAYS},
    )
    write_bytes(path, file.getvalue())


def read_graphs(path: Path, key: str) -> Kept | None:
    """
    The graphs of that name; None where the file holds others.

    Raises:
        FormatError: the file cannot be read, or is no file of graphs.
    """
    content = read_bytes(path)
    try:
        arrays = _arrays(path, content)
        head = json.loads(arrays["head"].tobytes())
        if head["key"] != key:
            return None
        flat = Flat(
            sites=tuple(map(str, head["sites"])), **{n: arrays[n] for n in ARRAYS}
        )
        floors = dict(zip(head["floors"], arrays["floors"].tolist(), strict=True))
    except _BROKEN as cause:
        _refuse(path, str(cause))
    for fault in _faults(flat):
        _refuse(path, fault)
    return Kept(flat, floors)


def _arrays(path: Path, content: bytes) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(io.BytesIO(content)) as members:
        if sum(member.file_size for member in members.infolist()) > MAX_BYTES:
            _refuse(path, f"it unpacks to more than {MAX_BYTES // 2**20} MiB")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _faults(flat: Flat) -> Iterator[str]:
    """What is wrong with the arrays; each is sound where nothing before it is wrong."""
    like = Flat.of([])
    for name in ARRAYS:
        found, wanted = getattr(flat, name), getattr(like, name)
        if found.dtype != wanted.dtype or found.ndim != wanted.ndim:
            yield f"`{name}` is of another type"
    n, n_nodes = flat.n_episodes, flat.n_nodes
    if any(len(array) != n_nodes for array in (flat.score, flat.order, flat.came)):
        yield "its nodes are not all of one number"
    each = (flat.is_counting, flat.first_adds, flat.first_spent)
    if len(flat.start) != n + 1 or any(len(array) != n for array in each):
        yield "its episodes are not all of one number"
    if any(array.shape != (2, n_nodes) for array in (flat.to, flat.adds, flat.spent)):
        yield "its edges are not two to a node"
    n_rows, table = len(flat.dollars), (flat.first_spent, flat.spent)
    if flat.whole.shape != (n_rows, like.whole.shape[1]) or any(
        ((array < 0) | (array >= n_rows)).any() for array in table
    ):
        yield "what it says is spent stands nowhere"
    sizes = np.diff(flat.start)
    if flat.start[0] != 0 or flat.start[-1] != n_nodes or (sizes < 0).any():
        yield "it does not cut its nodes into episodes"
    if ((flat.site < 0) | (flat.site >= len(flat.sites))).any():
        yield "a node is at no site"
    if ((flat.first < END) | (flat.first >= sizes)).any():
        yield "an episode begins at no node"
    yield from _misled(flat, np.repeat(sizes, sizes))


def _misled(flat: Flat, size: NDArray[np.int64]) -> Iterator[str]:
    """Edges that lead nowhere or do not lead on; `size` is of each node's episode."""
    if ((flat.to < END) | (flat.to >= size)).any():
        yield "an edge leads to no node"
    if ((flat.came < -1) | (flat.came >= 2 * size)).any():
        yield "a node comes from no node"
    begins = np.repeat(flat.start[:-1], np.diff(flat.start))
    _, node = known = np.nonzero(flat.to > UNKNOWN)
    if (flat.order[flat.to[known] + begins[node]] <= flat.order[node]).any():
        yield "an edge does not lead on"
    [node] = came = np.nonzero(flat.came >= 0)
    if (flat.order[flat.came[came] // 2 + begins[node]] >= flat.order[node]).any():
        yield "a node comes from one after it"


def _refuse(path: Path, cause: str) -> NoReturn:
    raise FormatError(
        str(path),
        f"is no file of graphs: {cause}",
        hint="delete it; the graphs are grown again",
    )
