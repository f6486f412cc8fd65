"""A checkout of τ²-bench: its domains' tools, splits and published baseline results."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto.episodes.manifest import Kind, Manifest, ToolDocs
from stretto.errors import StrettoError
from stretto.files import Node, read_json, read_text
from stretto.traces.toolkit import toolkit

DATA = Path("data", "tau2")
RESULTS = DATA / "results" / "final"
DOMAINS = DATA / "domains"
TOOLS = Path("src", "tau2", "domains")

_DOMAIN = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class TaskSplit:
    """A domain's published tasks to learn from, and those to measure on."""

    train: tuple[str, ...]
    test: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder that holds the benchmark's repository."""

    root: Path

    @classmethod
    def at(cls, root: Path) -> "Checkout":
        """
        The checkout at a folder.

        Raises:
            StrettoError: the folder is no checkout.
        """
        for part in (DOMAINS, TOOLS):
            if not (root / part).is_dir():
                raise StrettoError(
                    f"{root} is no checkout of τ²-bench: it has no {part.as_posix()}",
                    hint="git clone https://github.com/sierra-research/tau2-bench",
                )
        return cls(root)

    def results(self, domain: str) -> Sequence[Path]:
        """
        The baseline agents' result files of a domain, sorted by name.

        Raises:
            StrettoError: there is none.
        """
        marks = [f"_{_checked(domain)}_{setting}_" for setting in ("default", "base")]
        found = [
            path
            for path in sorted((self.root / RESULTS).glob("*.json*"))
            if any(mark in path.name for mark in marks)
        ]
        if not found:
            raise StrettoError(
                f"{self.root / RESULTS} holds no results of {domain}",
                hint="name result files of your own: `stretto phase0 FILE…`",
            )
        return found

    def split(self, domain: str) -> TaskSplit:
        """
        A domain's published split.

        Raises:
            FormatError: its file is missing or has another shape.
        """
        path = self.root / DOMAINS / _checked(domain) / "split_tasks.json"
        return read_split(path)

    def manifest(self, domain: str) -> Manifest:
        """
        The kinds and the documentation of the agent's tools in a domain.

        Raises:
            FormatError: the source of its tools is missing or does not parse.
        """
        path = self.root / TOOLS / _checked(domain) / "tools.py"
        tools: dict[str, Kind] = {}
        docs: dict[str, ToolDocs] = {}
        for tool in toolkit(read_text(path), str(path)):
            tools[tool.name] = tool.kind
            if tool.docs is not None:
                docs[tool.name] = tool.docs
        return Manifest(domain, tools, docs)


def read_split(path: Path) -> TaskSplit:
    """
    A file with task ids under `train` and `test`, in its order.

    Raises:
        FormatError: it is missing or has another shape.
    """
    node = read_json(path)
    return TaskSplit(_tasks(node["train"]), _tasks(node["test"]))


def _checked(domain: str) -> str:
    """The domain, which becomes part of a path."""
    if not _DOMAIN.fullmatch(domain):
        raise StrettoError(f"{domain!r} is no name of a τ²-bench domain")
    return domain


def _tasks(node: Node) -> tuple[str, ...]:
    return tuple(task.text() for task in node.array())
