"""
Exploration: now and then another lookup than the flow's choice, at a rate that is told.

The draw is the published one: splitmix64, seeded by what the session is about and all
that happened in it so far, so that a session replayed explores alike.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from stretto.binding.bind import Bound, bind
from stretto.canonical import Json, compact
from stretto.episodes.episode import AssistantTurn, Event, ToolResult, UserMessage
from stretto.episodes.tasks import mixed, task_group
from stretto.episodes.vocabulary import RESPOND
from stretto.flow.decision import Decision, HandBack, Lookup
from stretto.flow.flow import Flow
from stretto.flow.moment import Moment
from stretto.flow.options import within_reach
from stretto.proxy.serving import Exploration

_MASK = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15
_UNHASHED = frozenset({"id", "call_id", "usage"})
"""The keys that no draw depends on, at any depth."""


class _Taken(NamedTuple):
    """What was drawn, and how likely it was."""

    action: Lookup | HandBack
    propensity: float


@dataclass(frozen=True, slots=True)
class Explored:
    """A decision, drawn, and how it was drawn."""

    decision: Decision
    policy: dict[str, Json]


class Splitmix:
    """Steele, Lea and Flood's splitmix64: 64-bit numbers, one after the other."""

    def __init__(self, state: int) -> None:
        self.state = state

    def next(self) -> int:
        """The next number."""
        self.state = (self.state + _STEP) & _MASK
        return mixed(self.state)

    def uniform(self) -> float:
        """The next number's leading 53 bits, as one in [0, 1)."""
        return (self.next() >> 11) / 2**53


class Explorer:
    """Draws a session's decisions."""

    def __init__(self, flow: Flow, by: str, how: Exploration) -> None:
        """`by` is what the decider is called."""
        self._flow, self._by, self._how = flow, by, how
        self._n_hashed = 0
        self._hash = task_group(f"{how.task}/[")

    def drawn(
        self,
        greedy: Decision,
        moment: Moment,
        threshold: float,
        settled: Sequence[Event],
        shown: Sequence[Event],
    ) -> Explored:
        """
        The flow's choice, or one of its alternatives.

        Args:
            threshold: The one in force at the site.
            settled: The session's first events; they only grow from draw to draw.
            shown: Those after them, as the flow is shown them.
        """
        bound = self._bound(greedy, moment)
        taken = self._taken(_alternatives(greedy, bound), greedy, settled, shown)
        chosen = greedy.action.tool if isinstance(greedy.action, Lookup) else RESPOND
        policy: dict[str, Json] = {
            "decider": self._by,
            "threshold": threshold,
            "epsilon": self._how.epsilon,
            "explored": taken.action is not greedy.action,
            "greedy": chosen,
            "propensity": taken.propensity,
            "task_id": self._how.task,
            "events": len(settled) + len(shown),
            "options": self._options(greedy, bound, moment),
        }
        return Explored(replace(greedy, action=taken.action), policy)

    def _bound(self, greedy: Decision, moment: Moment) -> dict[str, Bound | str]:
        """Each option's arguments, or why it has none."""
        bindings, manifest = self._flow.bindings, self._flow.manifest
        return {
            tool: bind(bindings, manifest, tool, moment.seen, moment.pending)
            for tool in greedy.probabilities
            if tool != RESPOND
        }

    def _taken(
        self,
        others: Sequence[Lookup],
        greedy: Decision,
        settled: Sequence[Event],
        shown: Sequence[Event],
    ) -> _Taken:
        epsilon = self._how.epsilon
        if not others or epsilon <= 0:
            return _Taken(greedy.action, 1.0)
        draw = Splitmix(self._state(settled, shown))
        if draw.uniform() >= epsilon:
            return _Taken(greedy.action, 1.0 - epsilon)
        other = _pick(others, draw.uniform())
        return _Taken(other, epsilon * other.p / sum(each.p for each in others))

    def _state(self, settled: Sequence[Event], shown: Sequence[Event]) -> int:
        """The seed of the draw after these events; the settled ones are hashed once."""
        for event in settled[self._n_hashed :]:
            self._hash = task_group(f"{_spelled(event)},", self._hash)
        self._n_hashed = len(settled)
        rest = ",".join(map(_spelled, shown)) + "]"
        return self._how.seed ^ task_group(rest, self._hash)

    def _options(
        self, greedy: Decision, bound: Mapping[str, Bound | str], moment: Moment
    ) -> list[Json]:
        flow = self._flow
        ids = [flow.vocab.id(tool) for tool in bound]
        habit = flow.habit.chance(moment.history, ids, flow.group)
        options: list[Json] = []
        for (tool, found), usual in zip(bound.items(), habit, strict=True):
            option: dict[str, Json] = {
                "tool": tool,
                "p": greedy.probabilities[tool],
                "habit": usual,
            }
            if isinstance(found, str):
                option |= {"binding": None, "arguments": None, "unbound": found}
            else:
                option |= {"binding": found.chance, "arguments": found.arguments}
            options.append(option)
        return options


def _alternatives(greedy: Decision, bound: Mapping[str, Bound | str]) -> list[Lookup]:
    """The lookups that could be made instead, likely or not."""
    assert greedy.site is not None
    chosen = greedy.action.tool if isinstance(greedy.action, Lookup) else None
    return [
        Lookup(tool, found.arguments, p, found.chance)
        for tool in within_reach(greedy.site, tuple(bound))
        if tool != chosen
        and not isinstance(found := bound[tool], str)
        and (p := greedy.probabilities[tool]) > 0
    ]


def _pick(others: Sequence[Lookup], u: float) -> Lookup:
    """One of the alternatives, in proportion to their probabilities."""
    ends = list(accumulate(other.p for other in others))
    return others[min(bisect_right(ends, u * ends[-1]), len(others) - 1)]


def _spelled(event: Event) -> str:
    """An event as the seed is made of it."""
    return compact(_bare(_json(event)))


def _json(event: Event) -> Json:
    match event:
        case UserMessage(text):
            return {"kind": "user", "text": text}
        case ToolResult():
            return {
                "kind": "tool_result",
                "name": event.tool,
                "error": event.error,
                "content": event.content,
            }
        case AssistantTurn():
            calls: list[Json] = [
                {"name": call.tool, "arguments": call.arguments} for call in event.calls
            ]
            return {"kind": "assistant", "text": event.text, "calls": calls}


def _bare(value: Json) -> Json:
    match value:
        case dict():
            return {k: _bare(v) for k, v in value.items() if k not in _UNHASHED}
        case list():
            return [*map(_bare, value)]
        case _:
            return value
