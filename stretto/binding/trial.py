"""
The second pass over training: what a binding would have picked, beside what the agent
passed.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeAlias

from stretto.binding.pick import Mention, Pick, pick
from stretto.binding.seen import Seen
from stretto.binding.sources import Agreement, Bindings, Picks, Tally
from stretto.canonical import compact, text
from stretto.episodes.episode import AssistantTurn, Episode, ToolCall, ToolResult

_Outcomes: TypeAlias = defaultdict[tuple[str, Mention], list[bool]]
"""By lookup and mention, for each pick: whether it was the agent's own."""


class Trials(NamedTuple):
    """How a binding's picks fared, by lookup; only lookups that were picked for."""

    agreed: dict[str, Agreement]
    named_other: dict[str, Picks]
    described_read: dict[str, Picks]


def try_out(
    bindings: Bindings, episodes: Sequence[Episode], reads: Collection[str]
) -> Trials:
    """
    The picks at the agent's own lookups, and those nobody asked about.

    The first are held against the call made there; the second, made after every
    successful result, against all later calls, each distinct pick once an episode.
    """
    at_calls: _Outcomes = defaultdict(list)
    unasked: _Outcomes = defaultdict(list)
    for episode in episodes:
        seen = Seen()
        probes = _Probes(bindings, episode, unasked)
        for index, event in enumerate(episode.events):
            if isinstance(event, AssistantTurn):
                _try_turn(bindings, event, reads, seen, at_calls)
            seen.add(event)
            if isinstance(event, ToolResult) and not event.error:
                probes.probe(index, seen)
    return Trials(
        _agreements(at_calls),
        _picks(unasked, Mention.OTHER),
        _picks(unasked, Mention.DESCRIBED),
    )


def _try_turn(
    bindings: Bindings,
    turn: AssistantTurn,
    reads: Collection[str],
    seen: Seen,
    outcomes: _Outcomes,
) -> None:
    for index, call in enumerate(turn.calls):
        if call.tool in reads:
            found = pick(bindings, call.tool, seen, turn.calls[:index])
            if isinstance(found, Pick) and found.arguments:
                outcomes[call.tool, found.mention].append(_is_passed(found, call))


class _Probes:
    """The picks nobody asked about, in one episode."""

    def __init__(
        self, bindings: Bindings, episode: Episode, outcomes: _Outcomes
    ) -> None:
        self._bindings = bindings
        self._outcomes = outcomes
        self._known: set[tuple[str, str]] = set()
        self._tools = [tool for tool in bindings.args if _has_choice(bindings, tool)]
        self._calls: dict[str, list[tuple[int, ToolCall]]] = {}
        for index, event in enumerate(episode.events):
            if isinstance(event, AssistantTurn):
                for call in event.calls:
                    self._calls.setdefault(call.tool, []).append((index, call))

    def probe(self, index: int, seen: Seen) -> None:
        """Note each new pick after the event at `index`, and if it was made later."""
        for tool in self._tools:
            found = pick(self._bindings, tool, seen)
            if isinstance(found, str) or found.mention not in _UNASKED:
                continue
            key = tool, compact(found.arguments)
            if key not in self._known:
                self._known.add(key)
                made = any(
                    _is_passed(found, call)
                    for at, call in self._calls.get(tool, ())
                    if at > index
                )
                self._outcomes[tool, found.mention].append(made)


_UNASKED = (Mention.OTHER, Mention.DESCRIBED)


def _has_choice(bindings: Bindings, tool: str) -> bool:
    """Whether a pick can leave out a value the user named: it binds a string."""
    recipe = bindings.recipe(tool)
    return (
        recipe is not None
        and recipe.can_bind
        and not all(slot.takes_lists for slot in recipe.slots)
    )


def _is_passed(found: Pick, call: ToolCall) -> bool:
    """Whether the call passes what was picked; it may pass more."""
    given = call.arguments
    return isinstance(given, dict) and all(
        argument in given and text(given[argument]) == text(value)
        for argument, value in found.arguments.items()
    )


def _agreements(outcomes: _Outcomes) -> dict[str, Agreement]:
    unmentioned: defaultdict[str, list[bool]] = defaultdict(list)
    mentioned: defaultdict[str, list[bool]] = defaultdict(list)
    for (tool, mention), own in outcomes.items():
        column = mentioned if mention is Mention.PICKED else unmentioned
        column[tool] += own
    return {
        tool: Agreement(_tally(unmentioned[tool]), _tally(mentioned[tool]))
        for tool in sorted({tool for tool, _ in outcomes})
    }


def _tally(own: list[bool]) -> Tally:
    return Tally(sum(own), len(own))


def _picks(outcomes: _Outcomes, mention: Mention) -> dict[str, Picks]:
    return {
        tool: Picks(sum(own), len(own))
        for (tool, found), own in sorted(outcomes.items())
        if found is mention
    }
