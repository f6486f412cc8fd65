"""Flows as they are but for how values are spelled."""

from collections.abc import Callable, Iterable

from stretto.canonical import Json
from stretto.episodes.episode import AssistantTurn, Episode, ToolResult, UserMessage
from stretto.episodes.manifest import Kind, Manifest
from stretto.episodes.vocabulary import parse
from stretto.flow.flow import Flow
from stretto.flow.wire import flow_json
from stretto.habit.features import MISSING, Field
from tests.traces.logs import call, listing, log, result, said

SPELLED = {MISSING, "true", "false"}
"""What a field is read as that is no string and no number."""


def as_log(episode: Episode, manifest: Manifest, nth: int):
    """An episode as a proxy would have recorded it, a second between any two lines."""
    hints = {Kind.READ: True, Kind.WRITE: False}
    tools = [
        {"name": name, "inputSchema": {}, "annotations": {"readOnlyHint": hints[kind]}}
        if kind in hints
        else {"name": name, "inputSchema": {}}
        for name, kind in manifest.tools.items()
    ]
    entries = listing(0, 0, *tools)
    ids: dict[str, int] = {}
    for second, event in enumerate(episode.events, start=1):
        now = 1000 * second
        match event:
            case UserMessage(text=text):
                entries.append(said(now, "user", text))
            case AssistantTurn(text=text, calls=calls):
                if text and not calls:
                    entries.append(said(now, "assistant", text))
                for one in calls:
                    id = ids[one.id] = len(ids) + 1
                    found = call(now, id, tool=one.tool)
                    found.messages[0]["params"]["arguments"] = one.arguments
                    entries.append(found)
            case ToolResult(call_id=id, content=content, error=error):
                found = result(now, ids[id], content)
                found.messages[0]["result"]["isError"] = error
                entries.append(found)
    session = f"20300102T{nth // 3600:02}{nth // 60 % 60:02}{nth % 60:02}.000Z-{nth}"
    return log(*entries, session=session, domain=episode.domain, agent=episode.agent)


def unspelled(flow: Flow, new: Callable[[str], str]) -> Json:
    """
    A flow with its features' numbers taken for the values they stand for, renamed.

    Values are numbered in their order, which a pseudonym does not keep.
    """
    told = flow_json(flow)
    values = {
        (tool, number): tuple(_renamed(flow.map.fields[tool], found, new))
        for (tool, found), number in flow.map.ids.items()
    }
    names = (None, *flow.vocab.tools, None)

    def symbol(code: int) -> Json:
        if (found := parse(code)) is None:
            return None
        feature = values.get((names[found.action] or "", found.feature))
        return repr((found.action, found.outcome, feature))

    def levels(backoff) -> Json:
        return [
            {
                repr([symbol(s) for s in context]): [*map(list, sorted(n.items()))]
                for context, n in ((c, counts.by_action) for c, counts in level.items())
            }
            for level in backoff.levels
        ]

    del told["provenance"]
    told["map"] = repr(flow.map.fields)
    told["values"] = sorted({repr((tool, v)) for (tool, _), v in values.items()})
    told["habit"] = [flow.habit.base.alpha, levels(flow.habit.base)]
    told["reach"] = None if flow.reach is None else levels(flow.reach)
    return told


def _renamed(
    fields: Iterable[Field], values: Iterable[str], new: Callable[[str], str]
) -> Iterable[str]:
    for field, value in zip(fields, values, strict=True):
        is_spelled = field.kind == "Len" or value in SPELLED
        yield value if is_spelled else new(value)
