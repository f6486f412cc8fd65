"""Tool manifests, read and merged."""

import json

import pytest

from stretto.episodes.manifest import Kind, Manifest, ToolDocs, read_manifest
from stretto.errors import FormatError
from tests.claims import claim
from tests.conftest import shared

LIBRARY = {"domain": "library", "tools": {"lend_book": "write", "find_book": "read"}}


def written(tmp_path, content):
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(content))
    return path


def test_documentation_may_be_left_out(tmp_path):
    manifest = read_manifest(written(tmp_path, LIBRARY))

    assert manifest == Manifest(
        "library", {"lend_book": Kind.WRITE, "find_book": Kind.READ}
    )
    assert manifest.reads == ("find_book",)


def test_a_tool_that_is_not_listed_is_generic(tmp_path):
    assert read_manifest(written(tmp_path, LIBRARY)).kind("burn_book") is Kind.GENERIC


def test_documentation_may_lack_its_summary_or_its_arguments(tmp_path):
    docs = {"a": {"summary": "Finds."}, "b": {"args": {"x": "An x."}}, "c": {}}

    manifest = read_manifest(written(tmp_path, LIBRARY | {"docs": docs}))

    assert manifest.docs == {
        "a": ToolDocs("Finds."),
        "b": ToolDocs("", {"x": "An x."}),
        "c": ToolDocs(),
    }


@claim("manifest:kinds")
@pytest.mark.parametrize(
    ("content", "place"),
    [
        ([], "should be an object"),
        ({"tools": {}}, "has no `domain`"),
        ({"domain": "d"}, "has no `tools`"),
        ({"domain": "d", "tools": {"f": "maybe"}}, "tools.f"),
        ({"domain": "d", "tools": {"f": 1}}, "tools.f"),
        (LIBRARY | {"docs": {"f": {"args": {"x": 1}}}}, "docs.f.args.x"),
    ],
)
def test_a_manifest_of_another_shape_is_an_error_that_names_the_place(
    tmp_path, content, place
):
    with pytest.raises(FormatError) as error:
        read_manifest(written(tmp_path, content))

    assert place in str(error.value)
    assert "manifest.json" in str(error.value)


def test_of_two_manifests_the_second_has_the_word_tool_by_tool():
    base = Manifest(
        "shop",
        {"a": Kind.READ, "b": Kind.READ},
        {"a": ToolDocs("Old."), "b": ToolDocs()},
    )
    over = Manifest("", {"a": Kind.WRITE, "c": Kind.READ}, {"a": ToolDocs("New.")})

    merged = base.merged(over)

    assert merged.domain == "shop"
    assert merged.tools == {"a": Kind.WRITE, "b": Kind.READ, "c": Kind.READ}
    assert merged.docs["a"] == ToolDocs("New.")
    assert merged.reads == ("b", "c")


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("retail", (7, 7, 2)),
        ("airline", (6, 6, 2)),
        ("telecom", (6, 6, 1)),
        ("telecom-solo", (21, 21, 1)),
    ],
)
def test_the_benchmarks_manifests_have_the_tools_their_domains_have(name, kinds):
    manifest = read_manifest(shared(f"manifests/{name}.json"))
    found = list(manifest.tools.values())

    assert tuple(found.count(kind) for kind in Kind) == kinds
