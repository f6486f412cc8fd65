"""What a served session was told of, kept by the test as the proxy itself does not."""

from collections.abc import Callable
from functools import partial
from typing import Any

from stretto.episodes.episode import AssistantTurn, Event, ToolCall
from stretto.proxy.unfolding import Unfolding


def followed(episode: Unfolding) -> list[Event]:
    """The events that an episode takes in from now on; the list grows with it."""
    events: list[Event] = []
    turn = 0

    def called(call: ToolCall, *, joins: bool) -> None:
        nonlocal turn
        turn = turn if joins else len(events)
        before = events[turn].calls if joins else ()  # type: ignore[union-attr]
        events[turn : turn + 1] = [AssistantTurn(calls=(*before, call))]

    for name, add in (
        ("called", called),
        ("returned", events.append),
        ("said", events.append),
    ):
        setattr(episode, name, partial(_both, getattr(episode, name), add))
    return events


def _both(
    whole: Callable[..., None], add: Callable[..., None], *args: Any, **named: Any
) -> None:
    add(*args, **named)
    whole(*args, **named)
