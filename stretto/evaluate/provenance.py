"""Where the arguments of calls come from: the user, a tool's output, or neither."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from stretto.canonical import Json, compact, number
from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)

SHORT = 3
"""The characters a value needs before finding it in a text says anything."""

Match: TypeAlias = Callable[[str, str], bool]
"""Whether a text holds a value; both in lower case."""


class Origin(StrEnum):
    """Where a value stood before the agent passed it: the first that holds."""

    LITERAL = "literal"
    """It is true, false or null."""
    SHORT = "short"
    """It has fewer than three characters."""
    BOTH = "both"
    """In what the user had said and in a tool's output."""
    USER = "user"
    """Only in what the user had said."""
    TOOL_OUTPUT = "tool output"
    """Only in a tool's output, errors included."""
    GENERATED = "generated"
    """In neither."""


class Leaf(NamedTuple):
    """A value somewhere inside an argument."""

    argument: str
    """The top-level argument it stands in."""
    value: str
    """A string trimmed and in lower case; anything else as JSON spells it."""
    is_literal: bool
    """Whether it is true, false or null."""


class Traced(NamedTuple):
    """A leaf, and where its value comes from in two ways of looking for it."""

    leaf: Leaf
    origin: Origin
    """Looked for as a part of any text."""
    whole_origin: Origin
    """Looked for as whole words."""


def leaves(arguments: Json) -> Iterator[Leaf]:
    """The values in a call's arguments: by key, sorted, and lists in their order."""
    if isinstance(arguments, dict):
        for name in sorted(arguments):
            for value in _flat(arguments[name]):
                yield _leaf(name, value)


def traced(events: Iterable[Event]) -> Iterator[tuple[ToolCall, tuple[Traced, ...]]]:
    """Each call with its leaves. The calls of a turn see what stood before the turn."""
    heard = _Heard()
    for event in events:
        match event:
            case UserMessage(text=text):
                heard.user.append(text.lower())
            case ToolResult(content=content):
                heard.outputs.append(content.lower())
            case AssistantTurn(calls=calls):
                for call in calls:
                    yield call, tuple(map(heard.trace, leaves(call.arguments)))


def is_part(value: str, text: str) -> bool:
    """Whether the value stands anywhere in the text, be it inside a word."""
    return value in text


def is_whole(value: str, text: str) -> bool:
    """
    Whether the value stands in the text with no letter or digit of a longer word, and
    no further decimal, on either side. `5` and `5.0` are the same number.
    """
    return any(_stands(spelled, text) for spelled in _spellings(value))


@dataclass(slots=True)
class _Heard:
    """What was said and returned so far, in lower case."""

    user: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    def trace(self, leaf: Leaf) -> Traced:
        if leaf.is_literal:
            return Traced(leaf, Origin.LITERAL, Origin.LITERAL)
        if len(leaf.value) < SHORT:
            return Traced(leaf, Origin.SHORT, Origin.SHORT)
        return Traced(leaf, self._origin(leaf, is_part), self._origin(leaf, is_whole))

    def _origin(self, leaf: Leaf, match: Match) -> Origin:
        said = any(match(leaf.value, text) for text in self.user)
        returned = any(match(leaf.value, text) for text in self.outputs)
        if said and returned:
            return Origin.BOTH
        if said:
            return Origin.USER
        return Origin.TOOL_OUTPUT if returned else Origin.GENERATED


def _flat(value: Json) -> Iterator[Json]:
    match value:
        case dict():
            for key in sorted(value):
                yield from _flat(value[key])
        case list():
            for item in value:
                yield from _flat(item)
        case _:
            yield value


def _leaf(argument: str, value: Json) -> Leaf:
    if value is None or isinstance(value, bool):
        return Leaf(argument, compact(value), True)
    if isinstance(value, str):
        return Leaf(argument, value.strip().lower(), False)
    assert isinstance(value, int | float)
    return Leaf(argument, number(value), False)


_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def _spellings(value: str) -> Sequence[str]:
    """A value, and the other ways to write it where it is a number."""
    if not _NUMBER.fullmatch(value):
        return (value,)
    whole, _, decimals = value.partition(".")
    if decimals.strip("0"):
        shorter = value.rstrip("0")
        return tuple({value, shorter, f"{shorter}0"})
    return tuple({value, whole, f"{whole}.0", f"{whole}.00"})


def _stands(value: str, text: str) -> bool:
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        before = text[max(0, at - 2) : at][::-1]
        if _ends(value[0], before) and _ends(value[-1], text[end : end + 2]):
            return True
        at = text.find(value, at + 1)
    return False


def _ends(last: str, beyond: str) -> bool:
    """Whether a value's outermost character and what lies beyond part two words."""
    if not (last.isalnum() or last == "_"):
        return True
    if beyond[:1].isalnum() or beyond[:1] == "_":
        return False
    return not (last.isdigit() and beyond[:1] == "." and beyond[1:].isdigit())
