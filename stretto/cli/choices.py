"""The choices of a run, as a person writes them or a session log keeps them."""

from pathlib import Path

from stretto.files import Node, parse_json, read_json
from stretto.flow.run import Numbers
from stretto.program.values import Value


def read_choices(given: str, tools: Numbers) -> dict[str, Value]:
    """
    Choices by address, from JSON or from a JSON file of that name.

    Either `{address: value}` or a list of `[address, value, …]`. A decision's value is
    a tool's name or number.

    Raises:
        FormatError: it is neither, or names a tool the flow does not know.
    """
    inline = given.lstrip().startswith(("{", "["))
    node = parse_json(given, "--choices") if inline else read_json(Path(given))
    if isinstance(node.value, dict):
        return {address: _value(value, tools) for address, value in node.items()}
    rows = [row.array() for row in node.array()]
    for row, place in zip(rows, node.array(), strict=True):
        if len(row) < 2:
            place.wanted("an address and a value")
    return {row[0].text(): _value(row[1], tools) for row in rows}


def _value(node: Node, tools: Numbers) -> Value:
    if isinstance(node.value, bool):
        return node.value
    if isinstance(node.value, int):
        return node.integer()
    if (name := node.text()) not in tools.names:
        hint = f"the flow's tools: {', '.join(tools.names)}"
        node.fail(f"is {name!r}, and no tool of the flow is called that", hint=hint)
    return tools.of(name)
