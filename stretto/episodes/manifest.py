"""The tools of a domain: what each one does to the world, and how it is documented."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from stretto.files import Node, read_json


class Kind(StrEnum):
    """What calling a tool does."""

    READ = "read"
    WRITE = "write"
    GENERIC = "generic"
    """Neither, or unknown."""


@dataclass(frozen=True, slots=True)
class ToolDocs:
    """A tool's documentation: one paragraph, and each argument's description."""

    summary: str = ""
    args: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Manifest:
    """A domain's tools. A tool it does not list is generic."""

    domain: str
    tools: Mapping[str, Kind] = field(default_factory=dict)
    docs: Mapping[str, ToolDocs] = field(default_factory=dict)

    def kind(self, tool: str) -> Kind:
        """The kind of a tool."""
        return self.tools.get(tool, Kind.GENERIC)

    @property
    def reads(self) -> tuple[str, ...]:
        """The read-only tools, sorted."""
        return tuple(sorted(t for t, k in self.tools.items() if k is Kind.READ))

    def merged(self, other: "Manifest") -> "Manifest":
        """This manifest with `other` laid over it, tool by tool."""
        return Manifest(
            self.domain or other.domain,
            {**self.tools, **other.tools},
            {**self.docs, **other.docs},
        )


def read_manifest(path: str | Path) -> Manifest:
    """
    A manifest file: `{"domain", "tools": {name: kind}, "docs"?}`.

    Raises:
        FormatError: it does not have that shape.
    """
    return parse_manifest(read_json(path))


def parse_manifest(node: Node) -> Manifest:
    """A manifest from a file's node."""
    kinds = "`read`, `write` or `generic`"
    docs = node.get("docs")
    return Manifest(
        node["domain"].text(),
        {name: kind.one_of(Kind, kinds) for name, kind in node["tools"].items()},
        {} if docs is None else {name: _docs(tool) for name, tool in docs.items()},
    )


def _docs(node: Node) -> ToolDocs:
    summary, args = node.get("summary"), node.get("args")
    return ToolDocs(
        "" if summary is None else summary.text(),
        {} if args is None else {name: text.text() for name, text in args.items()},
    )
