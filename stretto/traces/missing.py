"""
Where a session log stops being a session.

What the disk was too slow for is missing from a log, which says so in that place. The
episode ends there, as it would if the host had left: what came after the missing lines
came after something that nobody knows.
"""

from collections.abc import Sequence

from stretto.episodes.episode import AssistantTurn, Event, ToolResult
from stretto.traces.sessionlog import GAP, Entry, Sender


def before_gap(entries: Sequence[Entry]) -> Sequence[Entry]:
    """The entries before the first lines that are missing."""
    for index, entry in enumerate(entries):
        if entry.sender is Sender.PROXY and any(
            message.get("method") == GAP for message in entry.messages
        ):
            return entries[:index]
    return entries


def settled(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """
    The events without the last turn that made calls, if one of them has no result.

    How a turn went on into which the missing lines cut, nobody knows.
    """
    answered = {event.call_id for event in events if isinstance(event, ToolResult)}
    for index in reversed(range(len(events))):
        event = events[index]
        if isinstance(event, AssistantTurn) and event.calls:
            is_whole = all(call.id in answered for call in event.calls)
            return events if is_whole else events[:index]
    return events
