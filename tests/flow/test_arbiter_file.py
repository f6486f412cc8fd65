"""An arbiter file: one fit, on its own."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from stretto.canonical import Json
from stretto.errors import FormatError, VersionError
from stretto.files import Node
from stretto.flow.arbiter_file import (
    Arbiter,
    arbiter_json,
    parse_arbiter,
    read_arbiter,
    write_arbiter,
)
from tests.claims import claim
from tests.conftest import shared
from tests.flow.maximal import MAXIMAL

ARBITER = Arbiter(
    domain="shop",
    provenance=MAXIMAL.provenance,
    fitted=MAXIMAL.folds[0],
    model="jev-latest",
    predicates=MAXIMAL.predicates,
    weighed=MAXIMAL.weighed,
    extra={"newer": 1},
)


@claim("file:kinds")
def test_an_arbiter_written_and_read_is_the_same_arbiter(tmp_path: Path) -> None:
    write_arbiter(ARBITER, path := tmp_path / "shop.json")

    assert read_arbiter(path) == ARBITER


@claim("arbiter-file:indented")
def test_an_arbiter_is_pretty_printed(tmp_path: Path) -> None:
    write_arbiter(ARBITER, path := tmp_path / "shop.json")

    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[:3] == ["{", '  "stretto_arbiter": 1,', '  "domain": "shop",']


@claim("file:kinds", "arbiter-file:fields", "arbiter-file:indented")
@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_a_published_arbiter_is_written_back_byte_for_byte(
    domain: str, tmp_path: Path
) -> None:
    published = shared(f"reference/arbiters/{domain}.json")

    write_arbiter(read_arbiter(published), path := tmp_path / "x.json")

    assert path.read_bytes() == published.read_bytes()


@claim("version:first")
@pytest.mark.parametrize("found", [0, 2, "1", True, None])
def test_another_version_is_refused(found: Json) -> None:
    with pytest.raises(VersionError, match="this build reads version 1"):
        parse_arbiter(Node({**arbiter_json(ARBITER), "stretto_arbiter": found}, "x"))


def test_a_fit_needs_a_weight_for_each_feature() -> None:
    short = replace(ARBITER, fitted=replace(ARBITER.fitted, weights=(0.1,)))
    document = json.loads(json.dumps(arbiter_json(short)))

    with pytest.raises(FormatError, match=r"fitted\.weights: .* an array of 7"):
        parse_arbiter(Node(document, "x.json"))
