"""A flow's lookups against the tools that a server lists today."""

from dataclasses import replace

from stretto.doctor.against import against
from stretto.doctor.finding import Status
from stretto.flow.flow import Sites
from tests.toys import TOY, taught

FLOW = replace(
    taught(TOY).flow,
    sites=Sites(("find", "get"), {}),
    contracts={"get": "id:string!"},
)


def tool(name: str, *, hint: bool | None = True, **properties: str) -> dict:
    annotations = {} if hint is None else {"readOnlyHint": hint}
    schema = {
        "properties": {key: {"type": kind} for key, kind in properties.items()},
        "required": [*properties],
    }
    return {"name": name, "inputSchema": schema, "annotations": annotations}


FIND, GET = tool("find"), tool("get", id="string")


def lines(*tools: dict, flow=FLOW) -> list[str]:
    return [*map(str, against(flow, "shop", tools))]


def test_lookups_that_are_as_they_were_are_counted():
    assert lines(FIND, GET, tool("cancel", hint=False)) == [
        "ok shop: 2 of 2 lookups are listed as read-only, with the inputs they had"
    ]


def test_a_lookup_that_is_not_listed_is_a_problem():
    problem, well = lines(FIND)

    assert problem == "problem shop: get is not listed by the server"
    assert well.startswith("ok shop: 1 of 2")


def test_a_lookup_that_has_become_a_write_is_a_problem():
    assert lines(FIND, tool("get", hint=False, id="string"))[0] == (
        "problem shop: get is marked as a write by the server"
    )


def test_a_lookup_that_nothing_is_said_of_is_a_note():
    note, _ = lines(FIND, tool("get", hint=None, id="string"))

    assert note.startswith("note shop: get has no `readOnlyHint`")


def test_other_inputs_than_were_learned_are_a_problem():
    assert lines(FIND, tool("get", id="string", day="string"))[0] == (
        "problem shop: get took (id:string!), and takes (day:string!, id:string!) now"
    )


def test_inputs_that_were_never_learned_are_taken_as_they_are():
    found = lines(tool("find", day="string"), GET, flow=replace(FLOW, contracts={}))

    assert [line.split()[0] for line in found] == ["ok"]


def test_a_lookup_of_another_server_of_the_flow_is_a_note():
    flow = replace(FLOW, sites=Sites(("desk::find", "shop::get"), {}), contracts={})

    found = list(against(flow, "shop", [GET]))

    assert [finding.status for finding in found] == [Status.NOTE, Status.OK]
    assert found[0].text == "shop: find is not this server's; it was desk's"


def test_a_flow_that_looks_nothing_up_says_so():
    assert lines(GET, flow=replace(FLOW, sites=Sites((), {}))) == [
        "note shop looks nothing up"
    ]
