"""What servers say their tools are: kinds, documentation and contracts."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from stretto.canonical import Json
from stretto.episodes.manifest import Kind, Manifest, ToolDocs
from stretto.traces.contracts import contract
from stretto.traces.ledger import Ledger
from stretto.traces.messages import Message, fields, request_key, response_key
from stretto.traces.sessionlog import Entry, Sender, SessionLog

T = TypeVar("T")


def enter_tools(log: SessionLog, ledger: Ledger) -> None:
    """
    Enters the tools that a log lists into the ledger's manifest and contracts.

    A tool listed again replaces what was known of it, its documentation included.
    """
    kinds, told = dict(ledger.manifest.tools), dict(ledger.manifest.docs)
    for tool in listed(log.entries):
        if isinstance(name := tool.get("name"), str):
            kinds[name] = kind(tool)
            _replace(told, name, docs(tool))
            _replace(ledger.contracts, name, contract(tool))
    domain = ledger.manifest.domain or log.header.domain or ""
    ledger.manifest = Manifest(domain, kinds, told)


def listed(entries: Iterable[Entry]) -> Iterator[Message]:
    """Each tool in a server's answers to the host's `tools/list`, in order."""
    asked: set[str | None] = set()
    for entry in entries:
        for message in entry.messages:
            if entry.sender is Sender.CLIENT and message.get("method") == "tools/list":
                asked.add(request_key(message))
            elif entry.sender is Sender.SERVER:
                answered = response_key(message)
                if answered is not None and answered in asked:
                    tools = fields(message, "result").get("tools")
                    yield from map(fields, tools if isinstance(tools, list) else [])


def kind(tool: Message) -> Kind:
    """What a tool's `readOnlyHint` makes of it; without one it is generic."""
    match fields(tool, "annotations").get("readOnlyHint"):
        case True:
            return Kind.READ
        case False:
            return Kind.WRITE
        case _:
            return Kind.GENERIC


def docs(tool: Message) -> ToolDocs | None:
    """A listed tool's documentation; None where it has no description."""
    if not isinstance(summary := tool.get("description"), str):
        return None
    described = {
        name: fields(schema).get("description")
        for name, schema in fields(tool, "inputSchema", "properties").items()
    }
    return ToolDocs(
        _one_line(summary),
        {n: _one_line(text) for n, text in described.items() if isinstance(text, str)},
    )


def _one_line(text: Json) -> str:
    return " ".join(str(text).split())


def _replace(told: dict[str, T], name: str, new: T | None) -> None:
    if new is None:
        told.pop(name, None)
    else:
        told[name] = new
