"""The first pass over training: which arguments were passed, and where they stood."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from stretto.binding.outputs import read
from stretto.binding.said import Said
from stretto.binding.seen import Returned
from stretto.binding.sources import ArgCounts, Argument, Bindings, Found, Source
from stretto.canonical import Json, compact
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolCall,
    ToolResult,
    UserMessage,
)

MIN_CONSTANT = 5
"""The calls that have to have passed one value before it is a constant."""

_PERSONAL = re.compile("[0-9@]")
"""What makes a string that a user wrote theirs, as an id or an address is."""


@dataclass(slots=True)
class _Argument:
    """What one argument was, over training."""

    first: Json
    passed: int = 0
    varies: bool = False
    strings: int = 0
    lists: int = 0
    string_sources: Counter[Source] = field(default_factory=Counter)
    list_sources: Counter[Source] = field(default_factory=Counter)
    site_sources: Counter[tuple[str, Source]] = field(default_factory=Counter)


@dataclass(slots=True)
class _Lookup:
    """How one lookup was called, over training."""

    calls: int = 0
    bare: int = 0
    arguments: dict[str, _Argument] = field(default_factory=dict)

    def counts(self) -> ArgCounts:
        passed = {name: a.passed for name, a in sorted(self.arguments.items())}
        return ArgCounts(self.calls, passed)


def count(
    episodes: Iterable[Episode], reads: Collection[str], *, constants: bool
) -> Bindings:
    """What can be counted without picking: bindings that nothing agrees with yet."""
    lookups: dict[str, _Lookup] = {}
    messages: list[str] = []
    for episode in episodes:
        _count_episode(episode, reads, lookups)
        if constants:
            messages += (e.text for e in episode.events if isinstance(e, UserMessage))
    args = {tool: lookup.counts() for tool, lookup in sorted(lookups.items())}
    arguments = {
        (tool, name): lookups[tool].arguments[name]
        for tool, counts in args.items()
        for name in counts.args
    }
    return Bindings(
        args,
        sources={
            key: _found(a.strings, a.string_sources)
            for key, a in arguments.items()
            if a.strings
        },
        agreed={},
        lists={
            key: _found(a.lists, a.list_sources)
            for key, a in arguments.items()
            if a.lists
        },
        bare={
            tool: lookups[tool].bare
            for tool, counts in args.items()
            if lookups[tool].bare < counts.calls and not counts.required()
        },
        constants=_constants(args, arguments, messages) if constants else {},
        site_sources={
            (*key, site, source): n
            for key, a in arguments.items()
            if len(a.string_sources) > 1
            for (site, source), n in sorted(a.site_sources.items())
        },
    )


def _count_episode(
    episode: Episode, reads: Collection[str], lookups: dict[str, _Lookup]
) -> None:
    outputs: list[Returned] = []
    for event in episode.events:
        match event:
            case AssistantTurn(calls=calls):
                site = outputs[-1].tool if outputs else None
                for call in calls:
                    if call.tool in reads:
                        _count_call(call, site, outputs, lookups)
                        site = call.tool
            case ToolResult(error=False):
                outputs.append(Returned(event.tool, read(event.content)))


def _count_call(
    call: ToolCall,
    site: str | None,
    outputs: Sequence[Returned],
    lookups: dict[str, _Lookup],
) -> None:
    if not isinstance(call.arguments, dict):
        return
    lookup = lookups.setdefault(call.tool, _Lookup())
    lookup.calls += 1
    lookup.bare += not call.arguments
    for name, value in call.arguments.items():
        argument = lookup.arguments.setdefault(name, _Argument(value))
        argument.passed += 1
        argument.varies = argument.varies or compact(value) != compact(argument.first)
        if isinstance(value, str):
            argument.strings += 1
            source = _string_source(value, outputs)
            if source is not None:
                argument.string_sources[source] += 1
                if site is not None:
                    argument.site_sources[site, source] += 1
        elif items := _strings(value):
            argument.lists += 1
            argument.list_sources.update(_list_source(items, outputs))


def _strings(value: Json) -> list[str]:
    """The items of a list of strings; none for any other value."""
    if not isinstance(value, list):
        return []
    items = [item for item in value if isinstance(item, str)]
    return items if len(items) == len(value) else []


def _string_source(value: str, outputs: Sequence[Returned]) -> Source | None:
    """Where the latest output that holds the string holds it first."""
    for tool, output in reversed(outputs):
        path = output.first_paths.get(value)
        if path is not None:
            return Source(tool, path)
    return None


def _list_source(items: list[str], outputs: Sequence[Returned]) -> Iterator[Source]:
    """The place that holds every item, in the latest output that has one, if any."""
    for tool, output in reversed(outputs):
        for path in output.paths(items[0]):
            if {leaf.value for leaf in output.at(path)}.issuperset(items):
                yield Source(tool, path)
                return


def _found(values: int, sources: Counter[Source]) -> Found:
    return Found(values, dict(sorted(sources.items())))


def _constants(
    args: dict[str, ArgCounts],
    arguments: dict[Argument, _Argument],
    messages: list[str],
) -> dict[Argument, Json]:
    said = Said()
    said.hear("\n".join(messages))
    return {
        (tool, name): a.first
        for (tool, name), a in arguments.items()
        if a.passed >= MIN_CONSTANT
        and 2 * a.passed >= args[tool].calls
        and not a.varies
        and not a.string_sources
        and not a.list_sources
        and not _is_personal(a.first, said)
    }


def _is_personal(value: Json, said: Said) -> bool:
    if not isinstance(value, str) or not _PERSONAL.search(value):
        return False
    return said.mentions(value)
