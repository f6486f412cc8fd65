"""The calls that a benchmark's task expects, where its files say so."""

from stretto.canonical import Json
from stretto.episodes.episode import ToolCall
from stretto.traces.calls import arguments
from stretto.traces.decode import Unreadable
from stretto.traces.record import mapping


def expected_calls(actions: Json, *, given: str) -> tuple[ToolCall, ...] | None:
    """
    A task's actions as calls without ids; those of the customer are left out.

    None where there is no list of actions, or one of them cannot be read.

    Args:
        given: The field that holds an action's arguments.
    """
    if not isinstance(actions, list):
        return None
    found: list[ToolCall] = []
    for action in map(mapping, actions):
        if action.get("requestor") == "user":
            continue
        name = action.get("name")
        if not isinstance(name, str):
            return None
        try:
            found.append(ToolCall("", name, arguments(action.get(given))))
        except Unreadable:
            return None
    return tuple(found)
