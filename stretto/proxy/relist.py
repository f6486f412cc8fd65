"""What a server says of itself and its tools, with what the proxy has to add."""

import json
from collections.abc import Iterator

from stretto.canonical import Json
from stretto.proxy.schema import RESERVED, Room, room
from stretto.proxy.splice import (
    Edit,
    Span,
    edited,
    find,
    items,
    spelled_value,
    whole,
    with_item,
    with_member,
    without_member,
)
from stretto.proxy.tooltable import ToolTable

_PROPERTY: Json = {
    "type": "string",
    "description": "What was read on the agent's behalf behind this call, as text.",
}


def with_room(line: str, tools: ToolTable, behind: frozenset[str]) -> str:
    """
    A page of the list on which the tools `behind` may hold the reserved key.

    Only closed schemas are changed, and the table is told of each.
    """
    closed = {name for name in behind if tools[name].room is Room.CLOSED}
    edits: list[Edit] = []
    for name, tool in _named(line):
        schema = find(line, tool, "outputSchema")
        if name in closed and schema is not None:
            edits += _with_property(line, schema)
            tools.told(name, has_schema=True)
    return edited(line, edits)


def without_schemas(line: str, tools: ToolTable, behind: frozenset[str]) -> str:
    """A page of the list on which the tools `behind` have no output schema."""
    edits: list[Edit] = []
    for name, tool in _named(line):
        if name in behind:
            edits += without_member(line, tool, "outputSchema")
            tools.told(name, has_schema=False)
    return edited(line, edits)


def with_tool(line: str, tool: Json) -> str:
    """The list's last page with one more tool; any other page as it is."""
    listed = find(line, whole(line), "result", "tools")
    if listed is None or line[listed.start] != "[":
        return line
    cursor = find(line, whole(line), "result", "nextCursor")
    if cursor is not None and line[cursor.start : cursor.end] != "null":
        return line
    return edited(line, [with_item(line, listed, spelled_value(tool))])


def with_advice(line: str, advice: str) -> str:
    """The answer to a handshake, its instructions one paragraph longer."""
    result = find(line, whole(line), "result")
    if result is None or line[result.start] != "{":
        return line
    told = find(line, result, "instructions")
    if told is None:
        new = with_member(line, result, "instructions", spelled_value(advice))
    else:
        given = json.loads(line[told.start : told.end])
        before = given.rstrip() if isinstance(given, str) else ""
        text = f"{before}\n\n{advice}" if before else advice
        new = Edit(told.start, told.end, spelled_value(text))
    return edited(line, [new])


def _with_property(line: str, schema: Span) -> list[Edit]:
    """A schema that names the reserved key, if all that it takes is to name it."""
    if room(json.loads(line[schema.start : schema.end])) is not Room.CLOSED:
        return []
    named, new = find(line, schema, "properties"), spelled_value(_PROPERTY)
    if named is None:
        new = f"{{{json.dumps(RESERVED)}:{new}}}"
        return [with_member(line, schema, "properties", new)]
    return [with_member(line, named, RESERVED, new)]


def _named(line: str) -> Iterator[tuple[str, Span]]:
    """The tools on a page, by name."""
    listed = find(line, whole(line), "result", "tools")
    for tool in [] if listed is None else items(line, listed):
        name = find(line, tool, "name")
        if name is not None and line[name.start] == '"':
            yield json.loads(line[name.start : name.end]), tool
