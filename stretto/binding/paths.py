"""
The paths of a result: `$` for the whole, then `.key` and `[*]`, as `$.items[*].id`.

A key runs to the next `.` or `[`, so a path through a key that holds either of them can
be written, and leads nowhere when it is read.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from stretto.canonical import Json

_STEP = re.compile(r"\.([^.\[]*)|\[\*\]")


class Leaf(NamedTuple):
    """A string, with the other strings of the object that holds it."""

    value: str
    siblings: tuple[str, ...] = ()


def find(value: Json, wanted: str) -> Iterator[str]:
    """The paths at which that string stands: depth first, keys in order."""
    return (path for path, found in _strings(value, "$") if found == wanted)


def first_paths(value: Json) -> dict[str, str]:
    """Each string, and the first path to it: depth first, keys in order."""
    found: dict[str, str] = {}
    _enter_first_paths(value, "$", found)
    return found


def _enter_first_paths(value: Json, path: str, found: dict[str, str]) -> None:
    if isinstance(value, str):
        found.setdefault(value, path)
    elif isinstance(value, dict):
        for key in sorted(value):
            _enter_first_paths(value[key], f"{path}.{key}", found)
    elif isinstance(value, list):
        for item in value:
            _enter_first_paths(item, f"{path}[*]", found)


def _strings(value: Json, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from _strings(value[key], f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, f"{path}[*]")


def at(value: Json, path: str) -> tuple[Leaf, ...]:
    """The strings at a path, in order; none where the path cannot be read."""
    steps = _steps(path)
    if steps is None:
        return ()
    nodes: list[tuple[Json, dict[str, Json]]] = [(value, {})]
    for key in steps:
        if key is None:
            nodes = [
                (x, {}) for node, _ in nodes if isinstance(node, list) for x in node
            ]
        else:
            nodes = [
                (node[key], node)
                for node, _ in nodes
                if isinstance(node, dict) and key in node
            ]
    return tuple(leaf(node, owner) for node, owner in nodes if isinstance(node, str))


def under(value: Json, name: str) -> Iterator[Leaf]:
    """The strings under a key of that name, wherever: depth first, keys in order."""
    if isinstance(value, dict):
        for key in sorted(value):
            item = value[key]
            if key == name and isinstance(item, str):
                yield leaf(item, value)
            yield from under(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from under(item, name)


def leaf(value: str, owner: dict[str, Json]) -> Leaf:
    """A string of an object, beside the object's other strings."""
    others = (v for v in owner.values() if isinstance(v, str) and v != value)
    return Leaf(value, tuple(others))


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[str | None, ...] | None:
    """The keys of a path, None for each `[*]`; None for what is no path."""
    if not path.startswith("$"):
        return None
    steps: list[str | None] = []
    position = 1
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            return None
        steps.append(step[1])
        position = step.end()
    return tuple(steps)
