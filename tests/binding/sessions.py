"""Small random sessions, whose values collide often and whose results are odd."""

import json
from random import Random

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)

READS = ("get_order", "get_user", "list_all", "price_all", "search")
TOOLS = (*READS, "cancel")

_VALUES = (
    "u_11",
    "u_12",
    "ord1",
    "ord2",
    "ord3",
    "ord4",
    "#tag7",
    "blue",
    "ok",
    "7001",
)
_WORDS = ("hello", "Please", "thanks", "ORD1", "blue?", "tag7", "7001.", "", "ord4")


def session(random: Random, name: str, *, n_turns: int = 6) -> Episode:
    """An episode of so many turns with calls."""
    events: list[Event] = [UserMessage(_message(random))]
    orders = random.sample(_VALUES, 4)
    for turn in range(n_turns):
        calls = tuple(
            _call(random, f"{turn}.{i}", orders)
            for i in range(random.choice((1, 1, 1, 2, 3)))
        )
        events.append(AssistantTurn(None, calls))
        for call in random.sample(calls, len(calls)):
            if random.random() < 0.9:
                failed = random.random() < 0.15
                events.append(
                    ToolResult(
                        call.id, call.tool, failed, _content(random, call, orders)
                    )
                )
        if random.random() < 0.2:
            events += AssistantTurn("Anything else?"), UserMessage(_message(random))
    return Episode(name, tuple(events))


def sessions(random: Random, n: int) -> list[Episode]:
    """So many episodes."""
    return [session(random, f"s{i}") for i in range(n)]


def _message(random: Random) -> str:
    return " ".join(random.choices(_WORDS, k=random.randrange(4)))


def _call(random: Random, name: str, orders: list[str]) -> ToolCall:
    tool = random.choice((*TOOLS, "get_order", "get_order"))
    if random.random() < 0.03:
        return ToolCall(name, tool, random.choice((None, "not json", [])))
    return ToolCall(name, tool, dict(sorted(_arguments(random, tool, orders).items())))


def _arguments(random: Random, tool: str, orders: list[str]) -> dict:
    value = random.choice(_VALUES)
    match tool:
        case "price_all":
            items = random.choices(_VALUES, k=random.choice((0, 1, 1, 2)))
            return {"ids": items if random.random() < 0.9 else value}
        case "list_all":
            return {} if random.random() < 0.7 else {"limit": 10}
        case "search":
            return {
                "color": value,
                "page": 1,
                "size": random.choice((20, 20, 20, "20")),
            }
        case "get_user":
            return {"user_id": value, "deep": True} | _sometimes(random, verbose="yes")
        case _:
            return {"order_id": random.choice((value, *orders))} | _sometimes(
                random, shop="shop-1"
            )


def _sometimes(random: Random, **arguments: str) -> dict:
    return arguments if random.random() < 0.7 else {}


def _content(random: Random, call: ToolCall, orders: list[str]) -> str:
    def one() -> str:
        return random.choice(_VALUES)

    shapes = {
        "get_order": {
            "items": [{"id": one(), "n": one()}, {"id": one()}],
            "tag": one(),
        },
        "get_user": {"id": one(), "orders": orders, "n": 7001, "on": True},
        "list_all": [{"id": one(), "order_id": one()}, {"id": one()}, None],
        "price_all": {one(): 7001.0, "a.b": one(), "a": {"b": one()}, "c[d": [one()]},
        "search": {"hits": [[{"id": one()}], [{"id": one()}]], "user_id": one()},
        "cancel": one(),
    }
    odd = (
        one(),
        f"{one()}\n\n  {one()} \r\n",
        f" {one()} ",
        "7001",
        f'{{"id": "{one()}", "n": NaN}}',
        "",
    )
    if random.random() < 0.2:
        return random.choice(odd)
    return json.dumps(shapes[call.tool])
