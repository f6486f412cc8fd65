import json

import pytest

from stretto.traces.contracts import contract
from stretto.traces.ledger import Ledger
from stretto.traces.reader import ReadOptions
from stretto.traces.sessions import READER
from tests.claims import claim
from tests.conftest import shared


@claim("fields:contracts")
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {
                "properties": {
                    "since": {"type": ["string", "null"]},
                    "isbn": {"type": "string"},
                    "extra": {},
                },
                "required": ["isbn"],
            },
            "extra:any, isbn:string!, since:string|null",
        ),
        ({"type": "object"}, ""),
        ({"properties": {"a": {"type": 3}, "b": True}}, "a:any, b:any"),
        ({"properties": {"a": {"type": ["string", 3, "null"]}}}, "a:string|null"),
        ({"properties": {"a": {"type": []}}}, "a:any"),
        ({"properties": {"a": {"type": "string"}}, "required": "a"}, "a:string"),
        ({"properties": [], "required": ["a"]}, ""),
        ("anything", ""),
    ],
)
def test_a_contract_names_each_argument_and_its_type(schema, expected):
    assert contract({"name": "find", "inputSchema": schema}) == expected


def test_entries_are_sorted_as_they_are_written():
    schema = {"properties": {"b": {}, "a": {}, "a-b": {}, "a!": {}}, "required": ["a"]}

    assert contract({"inputSchema": schema}) == "a!:any, a-b:any, a:any!, b:any"


@pytest.mark.parametrize("tool", [{}, {"inputSchema": None}, 3, None])
def test_a_tool_without_an_input_schema_has_no_contract(tool):
    assert contract(tool) is None


@claim("contracts:pinned")
def test_the_contracts_of_the_published_sessions_are_those_of_their_flow():
    ledger = Ledger()
    logs = sorted(shared("reference/logs/shop").glob("*.jsonl"))

    list(READER.read(logs, ReadOptions(), ledger))

    flow = json.loads(shared("reference/flows/shop.flow.json").read_text())
    assert ledger.contracts == flow["contracts"]
    assert dict(ledger.manifest.tools) == flow["manifest"]["tools"]
    assert {
        name: {"summary": docs.summary, "args": dict(docs.args)}
        for name, docs in ledger.manifest.docs.items()
    } == flow["manifest"]["docs"]
