"""
Maps whose keys are no strings: lists of `[key, value]` pairs, sorted by key.

Maps by name are objects, and their names are sorted too, so that equal parts have equal
text.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from stretto.canonical import Json
from stretto.files import Node

K = TypeVar("K")
V = TypeVar("V")


def read_pairs(
    node: Node, key: Callable[[Node], K], value: Callable[[Node], V]
) -> dict[K, V]:
    """
    The map that a list of pairs spells.

    Raises:
        FormatError: an entry is no pair, or two have the same key.
    """
    found: dict[K, V] = {}
    for pair in node.array():
        left, right = pair.array(2)
        name = key(left)
        if name in found:
            left.fail("stands twice; every key has one entry")
        found[name] = value(right)
    return found


def pairs_json(
    found: Mapping[K, V], key: Callable[[K], Json], value: Callable[[V], Json]
) -> Json:
    """A map as a list of pairs, sorted by key."""
    names: Any = found.keys()  # the keys of one map are of one, ordered type
    return [[key(name), value(found[name])] for name in sorted(names)]


def read_names(node: Node | None, value: Callable[[Node], V]) -> dict[str, V]:
    """The map that an object spells; empty where it is left out."""
    if node is None:
        return {}
    return {name: value(item) for name, item in node.items()}


def names_json(found: Mapping[str, V], value: Callable[[V], Json]) -> dict[str, Json]:
    """A map by name as an object, its names sorted."""
    return {name: value(found[name]) for name in sorted(found)}


def texts(node: Node | None) -> tuple[str, ...]:
    """An array of strings; empty where it is left out."""
    return () if node is None else tuple(item.text() for item in node.array())


def named_pair(node: Node) -> tuple[str, str]:
    """A key made of two names."""
    first, second = node.array(2)
    return first.text(), second.text()


def at_most(node: Node, part: float, whole: float, what: str) -> None:
    """Fail where a part is counted more often than its whole, which is `what`."""
    if part > whole * (1 + 1e-9) + 1e-9:
        node.fail(f"counts {part:g} of {whole:g} {what}")
