"""
Paths into arguments and records, as rule files write them: `items[*].item_id`.

Names stand between dots; `[*]` takes every item of a list, `[0]` one of them.
"""

import re
from typing import TypeAlias

from stretto.canonical import Json
from stretto.files import Node

_STEP = re.compile(r"([^.\[\]]+)|\[(\*|\d{1,6})\]")
_PATH = re.compile(r"[^.\[\]]+(?:\[(?:\*|\d{1,6})\]|\.[^.\[\]]+)*")
_EVERY = "*"

Path: TypeAlias = tuple[str | int, ...]


class NotKnown(Exception):
    """A fact that a rule needs is not in hand; its text says which."""


def path(node: Node) -> Path:
    """A path as a file spells it."""
    spelled = node.text()
    if _PATH.fullmatch(spelled) is None:
        node.wanted("a path, such as `status` or `items[*].item_id`")
    return tuple(
        name or (index if index == _EVERY else int(index))
        for name, index in _STEP.findall(spelled)
    )


def at(value: Json, steps: Path, what: str) -> Json:
    """
    What stands at a path; a list of what is there, where the path has a `[*]`.

    Raises:
        NotKnown: nothing does, or null; not behind a `[*]`, where it is left out.
    """
    for place, step in enumerate(steps):
        if step == _EVERY:
            return _each(value, steps[place + 1 :], what)
        value = _step(value, step)
        if value is None:
            raise NotKnown(f"{what} has no {written(steps)}")
    return value


def written(steps: Path) -> str:
    """A path as a file spells it."""
    parts = [
        f"[{step}]" if isinstance(step, int) or step == _EVERY else f".{step}"
        for step in steps
    ]
    return "".join(parts).removeprefix(".")


def _each(value: Json, rest: Path, what: str) -> list[Json]:
    found: list[Json] = []
    for item in value if isinstance(value, list) else []:
        try:
            inside = at(item, rest, what)
        except NotKnown:
            continue
        if _EVERY in rest and isinstance(inside, list):
            found += inside
        else:
            found.append(inside)
    return found


def _step(value: Json, step: str | int) -> Json:
    if isinstance(step, int):
        is_there = isinstance(value, list) and step < len(value)
        return value[step] if is_there and isinstance(value, list) else None
    return value.get(step) if isinstance(value, dict) else None
