"""Bundles: kept answers as lines, `{"key", "response"}`, to hand to somebody else."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from stretto.canonical import in_order
from stretto.errors import FormatError
from stretto.files import Node
from stretto.oracle.cache import Cache
from stretto.oracle.wire import read_response, response_json


@dataclass(slots=True)
class Imported:
    """What became of a bundle's lines."""

    kept: int = 0
    """Answers that were new to the cache."""
    known: int = 0
    """Answers it held already."""
    differ: list[str] = field(default_factory=list)
    """The keys it holds another answer to, which stays."""


def export_lines(cache: Cache, damaged: list[FormatError]) -> Iterator[str]:
    """
    Every answer kept, a line each, sorted by key.

    Args:
        damaged: Collects the files that do not read, which are left out.
    """
    for key in cache.listed():
        try:
            response = cache.get(key)
        except FormatError as cause:
            damaged.append(cause)
        else:
            if response is not None:
                yield in_order({"key": key, "response": response_json(response)})


def import_lines(cache: Cache, lines: Iterable[Node]) -> Imported:
    """
    Keep a bundle's answers. What is kept already stays as it is.

    Raises:
        FormatError: a line is no answer with its key; the ones before it are kept.
        OracleError: a key is none.
        CannotWrite: the folder cannot be written to.
    """
    imported = Imported()
    for line in lines:
        line.only("key", "response")
        key, response = line["key"].text(), read_response(line["response"])
        try:
            found = cache.get(key)
        except FormatError:
            cache.set_aside(key)
            found = None
        if found is None:
            cache.put(key, response)
            imported.kept += 1
        elif found == response:
            imported.known += 1
        else:
            imported.differ.append(key)
    return imported
