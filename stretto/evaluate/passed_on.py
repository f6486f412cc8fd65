"""Which lookups that a flow made were of use, as far as a session tells."""

from collections.abc import Collection, Iterator, Sequence

from stretto.canonical import compact
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.manifest import Kind, Manifest
from stretto.evaluate.ceiling import SAID, result_values
from stretto.evaluate.provenance import is_whole, leaves

_LITERALS = frozenset({"true", "false", "null"})


def passed_on(episode: Episode, manifest: Manifest) -> frozenset[str]:
    """
    The ids of the lookups whose results the agent passed on.

    A lookup brought a value if its result held it and nothing said, passed or returned
    before did. The lookup was passed on if, before the agent itself was returned that
    value and up to its next write, the agent passed it to a call or wrote it; or if
    another lookup that was passed on was made with it. A value has at least three
    characters and is none of true, false and null.
    """
    found: set[str] = set()
    for place in reversed(range(len(episode.events))):
        match episode.events[place]:
            case ToolResult(error=False) as result if _is_lookup(result):
                brought = _brought(episode.events[:place], result)
                if _goes_on(brought, episode.events[place + 1 :], manifest, found):
                    found.add(result.call_id)
    return frozenset(found)


def _is_lookup(result: ToolResult) -> bool:
    return ToolCall(result.call_id, result.tool, {}).is_lookup


def _brought(before: Sequence[Event], result: ToolResult) -> set[str]:
    """The values that a result was the first to hold."""
    known = "\n".join(text for event in before for text in _texts(event)).lower()
    values = {value for value in result_values(result.content) if len(value) >= SAID}
    return {v for v in values - _LITERALS if not is_whole(v, known)}


def _texts(event: Event) -> Iterator[str]:
    match event:
        case UserMessage(text=text):
            yield text
        case ToolResult(content=content):
            yield content
        case AssistantTurn(text=text, calls=calls):
            yield text or ""
            for call in calls:
                yield compact(call.arguments)


def _goes_on(
    brought: set[str],
    after: Sequence[Event],
    manifest: Manifest,
    found: Collection[str],
) -> bool:
    """Whether one of the values was passed or written before it came another way."""
    left = set(brought)
    for event in after:
        match event:
            case ToolResult() if not _is_lookup(event):
                left.difference_update(result_values(event.content))
            case AssistantTurn(text=text, calls=calls):
                said = (text or "").lower()
                if any(is_whole(value, said) for value in left):
                    return True
                for call in calls:
                    counts = not call.is_lookup or call.id in found
                    if counts and any(v.value in left for v in leaves(call.arguments)):
                        return True
                    if manifest.kind(call.tool) is Kind.WRITE and not call.is_lookup:
                        return False
            case _:
                pass
        if not left:
            return False
    return False
