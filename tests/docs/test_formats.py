"""The formats page names every field that is written, and none that is not."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from stretto import __version__
from stretto.canonical import Json
from stretto.errors import FormatError
from stretto.files import Node
from stretto.flow.arbiter_file import FIELDS as ARBITER_FIELDS
from stretto.flow.wire import flow_json
from stretto.flow.wire.versions import READS
from stretto.guards.conditions import CONDITIONS
from stretto.guards.rules import parse_rules
from stretto.guards.terms import TERMS
from stretto.program.text import parse
from stretto.program.wire import program_json
from tests.claims import claim
from tests.conftest import ROOT
from tests.flow.maximal import MAXIMAL

REFERENCE = ROOT / "docs" / "reference"

NAMES = {
    "manifest.tools",
    "manifest.docs",
    "manifest.docs.*.args",
    "map.fields",
    "sites.next",
    "sites.feeds",
    "bindings.args",
    "bindings.args.*",
    "bindings.agreed",
    "bindings.named_other",
    "bindings.described_read",
    "bindings.bare",
    "promoted.sites",
    "thresholds",
    "contracts",
}
"""The objects of a flow whose keys are names, not fields."""


def _fields(value: Json, place: str = "") -> Iterator[str]:
    """The fields a file holds, at any depth."""
    if isinstance(value, list):
        for item in value:
            yield from _fields(item, place)
    elif isinstance(value, dict):
        for key, inside in value.items():
            if place in NAMES:
                yield from _fields(inside, f"{place}.*")
            else:
                yield key
                yield from _fields(inside, f"{place}.{key}".lstrip("."))


def _documented(name: str = "formats") -> set[str]:
    page = (REFERENCE / f"{name}.md").read_text(encoding="utf-8")
    return {*re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)}


@claim("file:page")
def test_the_formats_page_names_the_fields_that_are_written_and_no_other() -> None:
    program = {"program": program_json(parse("pure(0)"))}
    flow = {**flow_json(replace(MAXIMAL, extra={})), **program}
    of_the_number = {"op", "value"}

    written = {*_fields(flow), *ARBITER_FIELDS} - of_the_number

    assert written == _documented()


@claim("version:release-notes")
def test_the_versions_page_says_which_flows_this_build_reads() -> None:
    page = (REFERENCE / "versions.md").read_text(encoding="utf-8")
    release = ".".join(__version__.split(".")[:2])

    assert f"| {release} | {' and '.join(map(str, READS))} |" in page


RULE = {"id": "a", "policy": "b", "tools": ["c"], "reason": "d"}
RULE["require"] = {"given": "e"}  # type: ignore[assignment]
RULES = {"stretto_rules": 1, "domain": "", "facts": {}, "rules": [RULE]}


def _known(document: dict[str, Json]) -> set[str]:
    """The fields that a rule file may have where this one has an unknown field."""
    with pytest.raises(FormatError, match="has an unknown field `odd`") as refused:
        parse_rules(Node({**RULES, **document}, "x"))  # type: ignore[dict-item]
    return {*refused.value.cause.partition("known: ")[2].split(", ")}


def test_the_page_on_rules_names_every_field_condition_and_value_and_no_other() -> None:
    odd: dict[str, Json] = {"odd": 1}
    known = {
        *_known(odd),
        *_known({"facts": odd}),
        *_known({"rules": [odd]}),
        *_known({"audited": {"a": odd}}),
    }

    assert {*known, *CONDITIONS, *TERMS} == _documented("rules")
