"""The tools of a τ²-bench domain, read from their Python source without running it."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from stretto.episodes.manifest import Kind, ToolDocs
from stretto.errors import FormatError

_KINDS = {"READ": Kind.READ, "WRITE": Kind.WRITE}
_SECTIONS = {"Args:", "Returns:", "Raises:", "Example:", "Examples:"}


class Tool(NamedTuple):
    """One tool."""

    name: str
    kind: Kind
    docs: ToolDocs | None
    """None where its docstring says nothing of the tool or of an argument."""


def toolkit(source: str, name: str) -> list[Tool]:
    """
    The functions decorated as `@is_tool(ToolType.KIND)`, in their order.

    Args:
        name: What the source calls itself in errors.

    Raises:
        FormatError: it is not Python.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as cause:
        raise FormatError(name, f"is not Python: {cause}") from cause
    return [
        Tool(node.name, kind, _docs(ast.get_docstring(node, clean=False) or ""))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for kind in _kinds(node)
    ]


def _kinds(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Kind]:
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(
                func=ast.Name(id="is_tool"),
                args=[ast.Attribute(value=ast.Name(id="ToolType"), attr=kind), *_],
            ):
                yield _KINDS.get(kind, Kind.GENERIC)


def _docs(docstring: str) -> ToolDocs | None:
    section = ""
    summary: list[str] = []
    args: dict[str, str] = {}
    current = None
    for line in filter(None, map(str.strip, docstring.splitlines())):
        if line in _SECTIONS:
            section = line
        elif not section:
            summary.append(line)
        elif section == "Args:":
            name, colon, text = line.partition(":")
            if colon and name and " " not in name:
                current = name
                args[current] = text.strip()
            elif current is not None:
                args[current] = f"{args[current]} {line}"
    return ToolDocs(" ".join(summary), args) if summary or args else None
