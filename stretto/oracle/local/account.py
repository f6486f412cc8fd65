"""
A state read back: the calls it tells of, and what was said.

It reads what `stretto.oracle.state` writes, and makes what it can of any other JSON.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from stretto.canonical import Json
from stretto.oracle.local.tokens import (
    KEPT,
    MAX_TEXT,
    Result,
    ids,
    is_id,
    result,
    shape,
)

MAX_CALLS, MAX_MESSAGES, MAX_VALUES = 20, 5, 64
"""The calls, the messages, and the values of one call's arguments that are read."""

_LINE = re.compile(r"([^(]{1,200})\((.*)\) → (ok|error)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Call:
    """A call as a state tells it."""

    tool: str
    failed: bool
    taken: frozenset[str]
    """The ids among its arguments."""
    result: Result = field(default_factory=lambda: result(""))
    """Nothing of one that only its line tells of."""

    def __str__(self) -> str:
        return f"{self.tool}!" if self.failed else self.tool


@dataclass(frozen=True)
class Account:
    """A session so far, as its state tells it."""

    calls: tuple[Call, ...]
    latest: tuple[Call, ...]
    """Those of `calls` whose results are told."""
    customer: tuple[str, ...]
    """The customer's messages, the first one first; empty where there are none."""
    said: str
    """The agent's last message."""

    @cached_property
    def last(self) -> Call | None:
        """The call that came last."""
        return self.calls[-1] if self.calls else None

    @cached_property
    def run(self) -> int:
        """How many calls in a row, up to the last, were of one tool."""
        n = 0
        for call in reversed(self.calls):
            if call.tool != self.calls[-1].tool:
                break
            n += 1
        return n

    @cached_property
    def spoken(self) -> str:
        """All that the customer wrote, in lower case."""
        return "\n".join(self.customer).lower()

    @cached_property
    def taken(self) -> frozenset[str]:
        """The ids that some call took."""
        return frozenset().union(*(call.taken for call in self.calls))

    @cached_property
    def named(self) -> frozenset[str]:
        """The ids that the customer wrote and no call took."""
        return frozenset().union(*map(ids, self.customer)) - self.taken

    def unread(self, call: Call) -> list[tuple[str, str]]:
        """The ids of a call's result that no call took, each with its key."""
        return [pair for pair in call.result.ids if pair[1] not in self.taken]

    def pending(self) -> dict[str, int]:
        """By tool that was called: the unread ids shaped as those it took."""
        unread = {id for call in self.latest for _, id in self.unread(call)}
        shapes = [shape(id) for id in unread | self.named]
        taken: dict[str, set[str]] = {}
        for call in self.calls:
            taken.setdefault(call.tool, set()).update(map(shape, call.taken))
        return {tool: sum(s in of for s in shapes) for tool, of in taken.items()}


def account(state: Json) -> Account:
    """What a state tells. Of anything not as `Slice` writes it, nothing is told."""
    told = state if isinstance(state, dict) else {}
    latest = tuple(map(_whole, _objects(told.get("latest_results"))[-MAX_CALLS:]))
    lines = _texts(told.get("earlier_lookups"))[-MAX_CALLS:]
    earlier = tuple(call for call in map(_line, lines) if call is not None)
    first = _texts([told.get("customer_request")])
    later = _texts(told.get("later_customer_messages"))[-MAX_MESSAGES:]
    said = _texts([told.get("agent_last_message")])
    return Account(
        calls=earlier + latest,
        latest=latest,
        customer=(*(first or [""] if later else first), *later),
        said=said[0] if said else "",
    )


@lru_cache(KEPT)
def _line(text: str) -> Call | None:
    """An earlier call, from its line."""
    if (found := _LINE.fullmatch(text[:MAX_TEXT])) is None:
        return None
    tool, arguments, outcome = found.groups()
    return Call(tool, outcome == "error", frozenset(ids(arguments)))


def _whole(told: dict[str, Json]) -> Call:
    tool, text = told.get("tool_call"), told.get("result")
    return Call(
        tool if isinstance(tool, str) else "",
        told.get("error") is True,
        frozenset(_taken(told.get("arguments"))),
        result(text[:MAX_TEXT] if isinstance(text, str) else ""),
    )


def _taken(arguments: Json) -> Iterator[str]:
    """The ids among the values of some arguments, at any depth."""
    left, n = [arguments], 0
    while left and n < MAX_VALUES:
        match left.pop():
            case dict() as fields:
                left.extend(fields.values())
            case list() as items:
                left.extend(items[:MAX_VALUES])
            case str() as value:
                n += 1
                yield from [value] if is_id(value) else ids(value)
            case int() as value if not isinstance(value, bool):
                n += 1
                yield from ids(str(value))


def _objects(value: Json) -> list[dict[str, Json]]:
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]


def _texts(value: Json) -> list[str]:
    items = value if isinstance(value, list) else []
    return [item[:MAX_TEXT] for item in items if isinstance(item, str)]
