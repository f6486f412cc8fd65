import pytest

from stretto.episodes.manifest import Kind, ToolDocs
from stretto.traces.ledger import Ledger
from stretto.traces.listing import enter_tools, kind, listed
from tests.claims import claim
from tests.traces.logs import entry, listing, log

FIND = {
    "name": "find_book",
    "description": "Finds a book\n   by its  number.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {
        "properties": {
            "isbn": {"type": "string", "description": "The book's\tnumber"},
            "limit": {"type": "integer"},
        }
    },
}
BARE = {"name": "find_book", "annotations": {"readOnlyHint": False}}


@claim("walk:lookups", "manifest:hints")
@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (True, Kind.READ),
        (False, Kind.WRITE),
        (None, Kind.GENERIC),
        (1, Kind.GENERIC),
        ("true", Kind.GENERIC),
    ],
)
def test_only_a_boolean_hint_tells_what_a_tool_does(hint, expected):
    assert kind({"annotations": {"readOnlyHint": hint}}) is expected


@claim("manifest:hints")
def test_a_tool_without_annotations_is_generic():
    assert kind({"annotations": None}) is kind({}) is Kind.GENERIC


@claim("manifest:docs")
def test_a_listing_gives_kinds_documentation_and_contracts():
    ledger = Ledger()

    enter_tools(log(*listing(0, 1, FIND), domain="library"), ledger)

    assert ledger.manifest.domain == "library"
    assert ledger.manifest.tools == {"find_book": Kind.READ}
    assert ledger.manifest.docs == {
        "find_book": ToolDocs(
            "Finds a book by its number.", {"isbn": "The book's number"}
        )
    }
    assert ledger.contracts == {"find_book": "isbn:string, limit:integer"}


def test_a_later_listing_replaces_a_tool_and_takes_its_documentation_away():
    ledger = Ledger()

    enter_tools(log(*listing(0, 1, FIND, {"name": "lend"})), ledger)
    enter_tools(log(*listing(0, 1, BARE)), ledger)

    assert ledger.manifest.tools == {"find_book": Kind.WRITE, "lend": Kind.GENERIC}
    assert ledger.manifest.docs == {}
    assert ledger.contracts == {}


def test_every_page_of_a_listing_counts():
    pages = listing(0, 1, FIND) + listing(1, 2, {"name": "lend"})

    assert [tool["name"] for tool in listed(pages)] == ["find_book", "lend"]


def test_only_the_server_lists_tools_and_only_when_the_host_asked():
    tools = {"tools": [FIND]}
    entries = [
        entry(0, "client", {"id": 1, "method": "tools/list"}),
        entry(1, "proxy", {"id": 1, "result": tools}),
        entry(1, "client", {"id": 1, "result": tools}),
        entry(1, "context", {"id": 1, "result": tools}),
        entry(1, "server", {"id": 2, "result": tools}),
        entry(1, "server", {"id": None, "result": tools}),
        entry(2, "proxy", {"id": 3, "method": "tools/list"}),
        entry(3, "server", {"id": 3, "result": tools}),
        entry(3, "client", {"id": None, "method": "tools/list"}),
    ]

    assert list(listed(entries)) == []


@pytest.mark.parametrize("tools", [None, 3, [3, None, {"name": 3}, {"title": "x"}]])
def test_what_is_no_tool_is_skipped(tools):
    entries = [
        entry(0, "client", {"id": 1, "method": "tools/list"}),
        entry(1, "server", {"id": 1, "result": {"tools": tools}}),
    ]
    ledger = Ledger()

    enter_tools(log(*entries), ledger)

    assert ledger.manifest.tools == {}
