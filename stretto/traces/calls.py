"""Calls on their way into an episode: ids made unique, arguments made comparable."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from stretto.canonical import Json, sort_keys
from stretto.episodes.content import MAX_DEPTH
from stretto.episodes.episode import AssistantTurn, Event, ToolResult
from stretto.traces.decode import Unreadable, decode
from stretto.traces.ledger import Ledger
from stretto.traces.names import Names
from stretto.traces.record import label

_PLAIN = frozenset({str, int, bool, type(None)})


class Sent(NamedTuple):
    """A call that was sent: its id within the episode, and its tool."""

    id: str
    tool: str


class CallIds:
    """
    The call ids of one episode.

    Recorded ids may repeat within a session. The n-th call with an id is called
    `ID#n` from the second on, and a result belongs to the last call sent with its id.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._names = Names()
        self._last: dict[str, Sent] = {}

    def sent(self, id: Json, tool: str) -> str:
        """Enters a call; gives its id within the episode."""
        unique = self.unique(id)
        self._last[label(id)] = Sent(unique, tool)
        return unique

    def unique(self, id: Json) -> str:
        """As `sent`, of a call whose result is told from others without its id."""
        recorded = label(id)
        unique = self._names.unique(recorded)
        if unique != recorded:
            self._ledger.count("renamed calls")
        return unique

    def last(self, id: Json) -> Sent | None:
        """The last call sent with a recorded id."""
        return self._last.get(label(id))


def answered(events: Sequence[Event], ledger: Ledger) -> tuple[Event, ...]:
    """The events without the calls that no result belongs to, which are counted."""
    returned = {event.call_id for event in events if isinstance(event, ToolResult)}
    turns = [event for event in events if isinstance(event, AssistantTurn)]
    n_dropped = sum(call.id not in returned for turn in turns for call in turn.calls)
    if not n_dropped:
        return tuple(events)
    ledger.count("dropped calls", n_dropped)
    return tuple(
        replace(event, calls=tuple(c for c in event.calls if c.id in returned))
        if isinstance(event, AssistantTurn)
        else event
        for event in events
    )


def arguments(value: Json) -> Json:
    """
    A call's arguments with their keys sorted, at every depth.

    Raises:
        Unreadable: they are nested too deep, or hold a number beyond a float.
    """
    if type(value) is dict and _PLAIN.issuperset(map(type, value.values())):
        return {key: value[key] for key in sorted(value)}
    _check(value)
    return sort_keys(value)


def parsed_arguments(value: Json, ledger: Ledger) -> Json:
    """The arguments that JSON text holds; the text itself where it cannot be read."""
    if not isinstance(value, str):
        return arguments(value)
    try:
        return arguments(decode(value, ledger))
    except Unreadable:
        ledger.count("unparsed arguments")
        return value


def _check(value: Json) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Json] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
            elif isinstance(item, float) and not math.isfinite(item):
                raise Unreadable("has arguments with a number beyond a float")
        if not below:
            return
        level = below
    raise Unreadable(f"has arguments nested deeper than {MAX_DEPTH} levels")
