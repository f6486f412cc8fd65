"""Small episodes and flows with answers that can be worked out by hand."""

import json
from collections.abc import Mapping, Sequence

from stretto.canonical import Json
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.manifest import Kind, Manifest
from stretto.learn.learn import Learned, Settings, learn

SHOP = Manifest("shop", {"cancel": Kind.WRITE, "find": Kind.READ, "get": Kind.READ})
"""Two reads and a write."""


class Script:
    """An episode written down event by event."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.calls = 0

    def user(self, text: str) -> "Script":
        """The user says something."""
        self.events.append(UserMessage(text))
        return self

    def reply(self, text: str = "Anything else?") -> "Script":
        """The agent says something."""
        self.events.append(AssistantTurn(text))
        return self

    def turn(self, *calls: tuple[str, Mapping[str, Json], object]) -> "Script":
        """One turn of calls: tool, arguments, and what it returns (None: no result)."""
        made, results = [], []
        for tool, arguments, returned in calls:
            self.calls += 1
            name = f"c{self.calls}"
            made.append(ToolCall(name, tool, dict(arguments)))
            if returned is None:
                continue
            error = isinstance(returned, Exception)
            text = str(returned) if error else json.dumps(returned)
            results.append(ToolResult(name, tool, error, text))
        self.events += [AssistantTurn(calls=tuple(made)), *results]
        return self

    def episode(self, name: str = "e", *, reward: float | None = 1.0) -> Episode:
        """The episode so far; its task is its name."""
        return Episode(name, tuple(self.events), task=name, reward=reward)


def walked(name: str, walk: str) -> Episode:
    """An episode from a walk: `r` a reply the user answers, `R` one that ends it."""
    script = Script()
    tools = {"f": "find", "g": "get", "c": "cancel"}
    for letter in walk:
        if letter in "rR":
            script.reply()
            if letter == "r":
                script.user("yes")
        else:
            script.turn((tools[letter], {}, "ok"))
    return script.episode(name)


TOY = (walked("E1", "rfggrcR"), walked("E2", "rfgR"))
"""The two episodes of the habit's worked example; α = β = 1 there."""


def taught(
    episodes: Sequence[Episode],
    manifest: Manifest = SHOP,
    *,
    alpha: float = 1.0,
    features: bool = False,
) -> Learned:
    """What these episodes teach."""
    settings = Settings(alpha=alpha, features=features, now_ms=lambda: 0)
    return learn(episodes, manifest, settings)
