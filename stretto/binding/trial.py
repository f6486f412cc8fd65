"""
The second pass over training: what a binding would have picked, beside what the agent
passed.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from stretto.binding.pick import Mention, Pick, pick
from stretto.binding.seen import Seen
from stretto.binding.sources import Agreement, Bindings, Picks, Source, Tally
from stretto.canonical import text
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
)

_Outcomes: TypeAlias = defaultdict[tuple[str, Mention], list[bool]]
"""By lookup and mention, for each pick: whether it was the agent's own."""


class Trials(NamedTuple):
    """How a binding's picks fared, by lookup; only lookups that were picked for."""

    agreed: dict[str, Agreement]
    named_other: dict[str, Picks]
    described_read: dict[str, Picks]


def try_out(
    bindings: Bindings, episodes: Iterable[Episode], reads: Collection[str]
) -> Trials:
    """
    The picks at the agent's own lookups, and those nobody asked about.

    The first are held against the call made there; the second, made after every
    successful result, against all later calls, each distinct pick once an episode.
    """
    at_calls: _Outcomes = defaultdict(list)
    probes = _Probes(bindings)
    for episode in episodes:
        probes.begin()
        seen = Seen()
        for index, event in enumerate(episode.events):
            if isinstance(event, AssistantTurn):
                _try_turn(bindings, event, reads, seen, at_calls)
            seen.add(event)
            if isinstance(event, ToolResult) and not event.error:
                probes.probe(seen, episode.events, index)
    return Trials(
        _agreements(at_calls),
        _picks(probes.outcomes, Mention.OTHER),
        _picks(probes.outcomes, Mention.DESCRIBED),
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
    """The picks nobody asked about, in one episode after another."""

    def __init__(self, bindings: Bindings) -> None:
        self.outcomes: _Outcomes = defaultdict(list)
        self._bindings = bindings
        sources = ((tool, _sources(bindings, tool)) for tool in bindings.args)
        self._sources = {tool: found for tool, found in sources if found}
        self._known: set[tuple[str, ...]] = set()

    def begin(self) -> None:
        """Nothing has been picked yet."""
        self._known = set()

    def probe(self, seen: Seen, events: Sequence[Event], index: int) -> None:
        """Note each pick not noted before, and if a call after `index` makes it."""
        for tool, sources in self._sources.items():
            if len(seen.outputs_of(tool)) < 2 and not any(map(seen.names_any, sources)):
                continue  # nothing is named, and no two records can be told apart
            found = pick(self._bindings, tool, seen)
            if isinstance(found, str) or found.mention not in _UNASKED:
                continue
            key = tool, *map(text, found.arguments.values())
            if key not in self._known:
                self._known.add(key)
                made = _is_made(tool, found, events[index + 1 :])
                self.outcomes[tool, found.mention].append(made)


_UNASKED = (Mention.OTHER, Mention.DESCRIBED)


def _sources(bindings: Bindings, tool: str) -> list[Source]:
    """Where the user can have named a value that a pick leaves out."""
    recipe = bindings.recipe(tool)
    slots = recipe.slots if recipe is not None and recipe.can_bind else ()
    return [s for slot in slots if not slot.takes_lists for s in slot.sources]


def _is_made(tool: str, found: Pick, events: Sequence[Event]) -> bool:
    return any(
        call.tool == tool and _is_passed(found, call)
        for event in events
        if isinstance(event, AssistantTurn)
        for call in event.calls
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
