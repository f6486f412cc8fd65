"""The three sessions with known counts, and a few words to write sessions in."""

import json
from itertools import count

from stretto.canonical import Json
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)

_ids = count()


def user(text: str) -> UserMessage:
    return UserMessage(text)


def call(tool: str, **arguments: Json) -> ToolCall:
    return ToolCall(f"call-{next(_ids)}", tool, dict(sorted(arguments.items())))


def made(tool: str, returned: Json = None, /, **arguments: Json) -> list[Event]:
    """A turn of one call, and its result."""
    made = call(tool, **arguments)
    return [AssistantTurn(None, (made,)), _result(made, returned)]


def batch(*calls: tuple[ToolCall, Json]) -> list[Event]:
    """A turn of several calls, and their results."""
    turn = AssistantTurn(None, tuple(made for made, _ in calls))
    return [turn, *(_result(made, returned) for made, returned in calls)]


def failed(tool: str, /, **arguments: Json) -> list[Event]:
    """A turn of one call, and its error."""
    made = call(tool, **arguments)
    return [AssistantTurn(None, (made,)), ToolResult(made.id, tool, True, "Error")]


def episode(*events: Event | list[Event]) -> Episode:
    flat = [
        e for event in events for e in (event if isinstance(event, list) else [event])
    ]
    return Episode(f"episode-{next(_ids)}", tuple(flat))


def _result(made: ToolCall, returned: Json) -> ToolResult:
    content = returned if isinstance(returned, str) else json.dumps(returned)
    return ToolResult(made.id, made.tool, False, content)


def _user(name: str, *orders: str) -> list[Event]:
    return made("get_user", {"orders": [*orders], "user_id": name}, user_id=name)


def _order(name: str, **more: str) -> list[Event]:
    return made("get_order", {"order_id": name, **more}, order_id=name)


READS = ("get_order", "get_user")

SHOP = [
    episode(
        user("Hi, user u_1. Where is my order W20?"),
        _user("u_1", "W10", "W20", "W30"),
        _order("W20", status="pending"),
    ),
    episode(
        user("Hi, I'm u_2. What did I buy?"),
        _user("u_2", "W40", "W50"),
        _order("W40"),
        _order("W50"),
    ),
    episode(
        user("u_3 here, one order came with the tag TAG7781."),
        _user("u_3", "W60", "W70", "W80"),
        _order("W60", tag="TAG1111"),
        _order("W70", tag="TAG7781"),
    ),
]
"""A user's orders: one named, all of them, one described."""
