"""Small random sessions of a shop, whose agent mostly passes what it has seen."""

import json
from dataclasses import replace
from random import Random

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.manifest import Kind, Manifest, ToolDocs

MANIFEST = Manifest(
    "shop",
    {
        "about": Kind.READ,
        "cancel": Kind.WRITE,
        "find": Kind.READ,
        "get": Kind.READ,
        "list_all": Kind.READ,
        "price": Kind.READ,
        "search": Kind.READ,
        "track": Kind.READ,
        "user": Kind.READ,
    },
    {"track": ToolDocs("Where a parcel is.", {"order_id": "", "user_id": ""})},
)
"""No session calls `about` or `track`; `think` is of no known kind."""

_SERVERS = {"find": "desk", "user": "desk", "search": "desk", "cancel": "desk"}
"""Where tools live in the sessions of several servers; the others are the depot's."""

_USERS = ("u_11", "u_12")
_ORDERS = ("W101", "W102", "W103", "#W104", *(f"W{n}" for n in range(105, 141)))
_WORDS = ("hello", "where is w101", "order W102, please", "TAG7", "yes", "", "u_11")
_USUAL = {"find": "user", "user": "get", "get": "get", "list_all": "price"}
"""What the agent mostly calls next."""
_CALLS = ("find", "user", "get", "get", "get", "list_all", "price", "search")


def episodes(
    seed: int,
    n: int,
    *,
    n_turns: int = 10,
    n_orders: int = 3,
    unanswered: float = 0.05,
) -> list[Episode]:
    """
    So many episodes of at most so many turns with calls, always the same for a seed.

    Args:
        n_orders: The most orders that a user has.
        unanswered: The share of calls without a result.
    """
    random = Random(seed)
    return [
        Session(random, n_orders, unanswered).episode(f"s{i}", n_turns)
        for i in range(n)
    ]


def across_servers(episode: Episode) -> Episode:
    """The episode as one host recorded it that runs two servers."""

    def renamed(event: Event) -> Event:
        match event:
            case AssistantTurn(calls=calls):
                calls = tuple(replace(c, tool=qualified(c.tool)) for c in calls)
                return replace(event, calls=calls)
            case ToolResult(tool=tool):
                return replace(event, tool=qualified(tool))
            case _:
                return event

    return replace(episode, events=tuple(map(renamed, episode.events)))


def qualified(tool: str) -> str:
    """A tool's name where there are two servers."""
    return f"{_SERVERS.get(tool, 'depot')}::{tool}"


MANIFESTS = (
    MANIFEST,
    Manifest(
        "shop",
        {qualified(tool): kind for tool, kind in MANIFEST.tools.items()},
        {qualified(tool): docs for tool, docs in MANIFEST.docs.items()},
    ),
)
"""Of one server, and of two."""


class Session:
    """One session on its way."""

    def __init__(self, random: Random, n_orders: int, unanswered: float) -> None:
        self.random = random
        self.unanswered = unanswered
        self.events: list[Event] = []
        self.n_calls = 0
        self.user = random.choice(_USERS)
        self.orders = random.sample(
            _ORDERS[: n_orders + 1], random.randint(1, n_orders)
        )
        self.next = self.orders[0]
        self.made: list[tuple[str, object]] = []

    def sometimes(self, share: float) -> bool:
        """True in about that share of cases."""
        return self.random.random() < share

    def episode(self, name: str, n_turns: int) -> Episode:
        """The session, over."""
        if self.sometimes(0.3):
            self.events.append(AssistantTurn("Welcome!"))
        self.say()
        for _ in range(self.random.randrange(n_turns + 1)):
            self.turn()
            while self.sometimes(0.2):
                self.events.append(AssistantTurn(None))
                if self.sometimes(0.8):
                    self.say()
        reward = self.random.choice((1.0, 1.0, 1.0, 0.0, None))
        return Episode(name, tuple(self.events), task=f"t{name}", reward=reward)

    def say(self) -> None:
        """The user says something."""
        self.events.append(UserMessage(self.random.choice(_WORDS)))

    def turn(self) -> None:
        """A turn of one to three calls, and what came back of them."""
        calls = [self.call() for _ in range(self.random.choice((1, 1, 1, 1, 2, 3)))]
        self.events.append(AssistantTurn(None, tuple(calls)))
        for call in self.random.sample(calls, len(calls)):
            if self.sometimes(0.05):
                self.say()
            if not self.sometimes(self.unanswered):
                self.events.append(self.result(call))

    def call(self) -> ToolCall:
        """A call: one made before, or a new one."""
        self.n_calls += 1
        if self.made and self.sometimes(0.1):
            return ToolCall(f"c{self.n_calls}", *self.random.choice(self.made))
        tool = self.random.choice(_CALLS)
        if self.made and self.sometimes(0.6):
            tool = _USUAL.get(self.made[-1][0], tool)
        if self.sometimes(0.1):
            tool = self.random.choice(("cancel", "cancel", "think", "unheard_of"))
        arguments = self.arguments(tool)
        if self.sometimes(0.02):
            arguments = self.random.choice((None, "not an object", []))
        self.made.append((tool, arguments))
        return ToolCall(f"c{self.n_calls}", tool, arguments)

    def arguments(self, tool: str) -> dict:
        """A call's arguments, keys sorted."""
        order = self.next if self.sometimes(0.4) else self.random.choice(self.orders)
        match tool:
            case "find":
                return {"name": self.random.choice(("Ann", "Bo"))}
            case "user":
                return {"user_id": self.user, "with": "orders"}
            case "get" | "cancel":
                return {"order_id": order} | (
                    {"x": "y"} if self.sometimes(0.05) else {}
                )
            case "price":
                some = self.random.choices(_ORDERS[:4], k=self.random.randrange(3))
                return {"orders": self.orders if self.sometimes(0.7) else some}
            case "search":
                return {"near": order} if self.sometimes(0.3) else {}
            case _:
                return {}

    def result(self, call: ToolCall) -> ToolResult:
        """What a call returned."""
        if self.sometimes(0.1):
            said = self.random.choice(('"no such id"', "not found", ""))
            return ToolResult(call.id, call.tool, True, said)
        return ToolResult(call.id, call.tool, False, self.content(call))

    def content(self, call: ToolCall) -> str:
        """A result's text: JSON, or lines, or neither."""
        arguments = call.arguments if isinstance(call.arguments, dict) else {}
        order = arguments.get("order_id", self.random.choice(_ORDERS[:4]))
        self.next = self.random.choice(self.orders)
        status = self.random.choice(("sent", "sent", "open"))
        shapes = {
            "find": self.user,
            "user": {"orders": self.orders, "user_id": self.user},
            "get": {"next": self.next, "order_id": order, "status": status,
                    "tag": f"TAG{order[-1]}", "user_id": self.user},
            "list_all": [{"id": o, "n": 1} for o in self.orders],
            "price": {"prices": [{"n": 2.5, "order_id": o} for o in self.orders]},
            "search": {"hits": [[order]], "more": None, "ok": True},
        }  # fmt: skip
        if call.tool == "find" and self.sometimes(0.7):
            return self.user
        if call.tool == "list_all" and self.sometimes(0.5):
            return "\n".join(self.orders)
        if self.sometimes(0.05):
            return self.random.choice(
                ('{"status": NaN}', "W101\r\n\n W102 ", "7", "[]")
            )
        return json.dumps(shapes.get(call.tool, "done"))
