"""A flow calls reads alone, of the tools its server still lists as it did."""

from dataclasses import replace

import pytest

from stretto.episodes.manifest import Kind, Manifest
from stretto.flow.flow import Flow
from stretto.proxy.names import Names, names
from stretto.proxy.permit import Permit
from stretto.proxy.tooltable import ToolTable
from tests.claims import claim
from tests.proxy.engine.desk import Desk
from tests.proxy.engine.shop import (
    FLOW,
    call,
    desk,
    learned,
    listing,
    lists,
    lookups,
    result,
    silent,
    texts,
    tool,
)

TAKES_ID = {"properties": {"id": {"type": "string"}}, "required": ["id"]}
LEARNED = replace(FLOW, contracts={"get": "id:string!"})
"""A flow from logs in which the server told what its tools take."""


def withheld(at: Desk) -> str | None:
    """Why the lookup behind `find` was not made; None where it was."""
    at.host_says(call(1))
    at.server_says(result(1))
    decision = at.decisions[0]
    assert decision["action"] == "lookup"
    assert (lookups(at) == []) == ("withheld" in decision)
    return decision.get("withheld")


def listed(*tools: dict, flow: Flow = FLOW, **settings: object) -> Desk:
    """A desk whose host has been told of these tools."""
    at = desk(flow, **settings)
    lists(at, 9, *tools)
    return at


def test_a_read_is_looked_up_before_any_list_and_where_the_list_agrees():
    assert withheld(desk()) is None
    assert withheld(listed(tool("find"), tool("get"))) is None


def test_a_tool_the_server_does_not_list_is_not_looked_up():
    assert withheld(listed(tool("find"))) == "the server does not list it"


def test_a_tool_the_server_calls_a_write_is_not_looked_up_even_if_granted():
    why = "the server says that it does not only read"

    assert withheld(listed(tool("get", False))) == why
    assert withheld(listed(tool("get", False), grants=frozenset({"get"}))) == why


def test_without_a_hint_a_flow_learned_from_hints_needs_a_grant():
    bare = tool("get", None, inputSchema=TAKES_ID)

    assert withheld(listed(bare)) is None
    assert withheld(listed(bare, flow=LEARNED)) == (
        "the server no longer says that it only reads"
    )
    granted = listed(bare, flow=LEARNED, grants=frozenset({"get"}))
    assert withheld(granted) is None


@claim("contracts:changed", "fields:contract-kept")
@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (TAKES_ID, None),
        ({"properties": {"id": {"type": "integer"}}}, "it now takes id:integer, not"),
        ({"type": "object"}, "it now takes nothing, not id:string!"),
        (None, None),
    ],
)
def test_a_tool_that_takes_other_arguments_now_is_not_looked_up(schema, why):
    found = withheld(listed(tool("get", inputSchema=schema), flow=LEARNED))

    assert (found or "").startswith(why or "")
    assert (found is None) == (why is None)


def test_only_what_is_granted_is_looked_up():
    assert withheld(desk(grants=frozenset({"find"}))) == "it was not granted"
    assert withheld(desk(grants=frozenset({"get"}))) is None
    assert withheld(desk(grants=frozenset())) == "it was not granted"


def test_after_the_list_has_changed_nothing_is_looked_up_until_it_is_read_again():
    at = listed(tool("find"), tool("get"))
    at.server_says({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    assert withheld(at) == "the server's tools have changed, and were not listed again"

    lists(at, 10, tool("find"), tool("get"))
    at.host_says(call(2, "find", email="z@b.c"))
    at.server_says(result(2, {"orders": ["W9"]}))

    assert lookups(at) == [("get", {"id": "W9"}), *lookups(at)[1:]]


def test_a_change_announced_before_any_list_means_nothing():
    at = desk()
    at.server_says({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})

    assert withheld(at) is None


def test_the_pages_of_a_list_are_one_list_and_a_new_one_forgets_the_old():
    at = desk()
    lists(at, 9, tool("find"), cursor="2")
    page = {"jsonrpc": "2.0", "id": 10, "method": "tools/list"}
    at.host_says(page | {"params": {"cursor": "2"}})
    at.server_says(listing(10, tool("get")))
    assert withheld(at) is None

    lists(at, 11, tool("find"))
    at.host_says(call(2, "find", email="z@b.c"))
    at.server_says(result(2, {"orders": ["W9"]}))

    assert at.decisions[-2]["withheld"] == "the server does not list it"


def test_an_empty_cursor_is_a_cursor():
    at = desk()
    lists(at, 9, tool("find"), cursor="")
    page = {"jsonrpc": "2.0", "id": 10, "method": "tools/list"}
    at.host_says(page | {"params": {"cursor": ""}})
    at.server_says(listing(10, tool("get")))

    assert withheld(at) is None


def test_a_refused_list_and_tools_without_names_say_nothing():
    at = desk()
    at.host_says({"jsonrpc": "2.0", "id": 9, "method": "tools/list"})
    at.server_says({"jsonrpc": "2.0", "id": 9, "error": {"code": 1}})
    assert withheld(at) is None

    assert withheld(listed({"description": "?"}, 7, tool("get"))) is None


def test_what_is_withheld_is_noted_once_and_logged_every_time():
    at = listed(tool("find"))
    for id_ in (1, 2):
        at.host_says(call(id_))
        at.server_says(result(id_))

    assert at.notes == ["get is not looked up: the server does not list it"]
    assert [d["withheld"] for d in at.decisions if "withheld" in d] == 2 * [
        "the server does not list it"
    ]


def test_a_lookup_that_took_too_long_twice_is_not_made_again():
    at = desk(serves=silent)
    for id_ in (1, 2, 3):
        at.host_says(call(id_, "find", email=f"{id_}@b.c"))
        at.server_says(result(id_, {"orders": [f"W{id_}"]}))
        at.wait(9)

    assert lookups(at) == [("get", {"id": "W1"}), ("get", {"id": "W2"})]
    withheld = [d.get("withheld") for d in at.decisions if "address" in d]
    assert withheld == [None, None, "it has taken too long before"]


def test_in_shadow_nothing_is_withheld():
    at = desk(shadow=True, grants=frozenset())
    at.host_says(call(1))
    at.server_says(result(1))

    assert "withheld" not in at.decisions[0]
    assert at.notes == []


@claim("safety:reads-only")
@pytest.mark.parametrize("kind", [Kind.WRITE, Kind.GENERIC])
def test_a_tool_the_manifest_does_not_call_a_read_is_not_looked_up(kind: Kind):
    tools = {**FLOW.manifest.tools, "get": kind}
    flow = replace(FLOW, manifest=Manifest("shop", tools))

    for grants in (None, frozenset({"get"})):
        permit = Permit(flow, Names(), ToolTable(), grants)

        assert permit.refusal("get") == (
            "the flow's manifest does not say that it only reads"
        )
        assert permit.refusal("never") is not None


ACROSS = learned("desk::")
"""A flow learned across servers, of which these are the tools of one."""


def test_a_flow_across_servers_has_names_of_its_own_for_this_ones_tools():
    found = names(ACROSS, "desk")

    assert names(FLOW, None) == Names("")
    assert isinstance(found, Names)
    assert (found.of("get"), found.bare("desk::get")) == ("desk::get", "get")
    assert names(ACROSS, None) == (
        "the flow knows the servers desk; this one has no name"
    )


def test_a_flow_across_servers_is_served_by_the_servers_names():
    at = desk(ACROSS, server="desk", grants=frozenset({"get"}))
    lists(at, 9, tool("find"), tool("get"))
    at.host_says(call(1))
    at.server_says(result(1))

    assert lookups(at) == [("get", {"id": name}) for name in ("W1", "W2", "W3")]
    assert 'get {"id":"W1"}:' in texts(at.host[-1])[1]
    assert (at.decisions[0]["site"], at.decisions[0]["tool"]) == (
        "desk::find",
        "desk::get",
    )


def test_another_servers_lookup_is_not_this_proxys_to_make():
    permit = Permit(learned("till::"), Names("desk::"), ToolTable(), None)

    assert permit.refusal("till::get") == "it is another server's"
