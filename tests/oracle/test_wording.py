"""A file's texts are held to their slots and placeholders when it is read."""

import json
from pathlib import Path
from typing import Any

import pytest

from stretto import assets
from stretto.errors import FormatError, VersionError
from stretto.oracle.predicates import (
    Lookup,
    Predicate,
    favored,
    predicates_file,
    shipped_predicates,
)
from stretto.oracle.wording import (
    PLACEHOLDERS,
    SLOTS,
    fill,
    read_wording,
    shipped_wording,
)

TEXTS = {slot: f"Text of {slot}." for slot in SLOTS}


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "questions.json"
    file = {"stretto_questions": 1, "name": "mine", "texts": TEXTS, **changes}
    path.write_text(json.dumps(file), encoding="utf-8")
    return path


def test_a_file_with_every_slot_is_read_as_it_stands(tmp_path: Path) -> None:
    found = read_wording(written(tmp_path))

    assert found.name == "mine"
    assert {slot: getattr(found, slot) for slot in SLOTS} == TEXTS


@pytest.mark.parametrize(
    ("changes", "place", "cause"),
    [
        ({"texts": {**TEXTS, "nxet": "?"}}, "texts", "unknown field `nxet`"),
        ({"texts": {"context": "?"}}, "texts", "has no `data_note`"),
        ({"texts": {**TEXTS, "next": 3}}, "texts.next", "should be a string"),
        ({"texts": {**TEXTS, "next": ""}}, "texts.next", "is empty"),
        ({"texts": {**TEXTS, "next": "x" * 4001}}, "texts.next", "more than 4000"),
        ({"texts": {**TEXTS, "next": "{tool}?"}}, "texts.next", "and takes none"),
        ({"texts": {**TEXTS, "value": "{doc}"}}, "texts.value", "takes {arg}, {tool}"),
        ({"more": 1}, "", "unknown field `more`"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(
    tmp_path: Path, changes: dict[str, Any], place: str, cause: str
) -> None:
    with pytest.raises(FormatError) as error:
        read_wording(written(tmp_path, **changes))

    assert error.value.place == place
    assert cause in error.value.cause


@pytest.mark.parametrize("version", [None, 2, "1", True, 1.0])
def test_a_file_of_another_version_is_refused(tmp_path: Path, version: Any) -> None:
    with pytest.raises(VersionError, match="stretto_questions"):
        read_wording(written(tmp_path, stretto_questions=version))


def test_an_empty_data_note_is_taken_for_an_older_wording(tmp_path: Path) -> None:
    texts = {**TEXTS, "data_note": ""}

    assert read_wording(written(tmp_path, texts=texts)).data_note == ""


def test_braces_that_are_no_placeholder_stand_for_themselves() -> None:
    assert fill("{tool} {A} {} {{arg}}", tool="{arg}", arg="x") == "{arg} {A} {} {x}"


def test_the_shipped_texts_use_the_placeholders_of_their_slots() -> None:
    wording = shipped_wording()

    assert shipped_wording() is wording
    for slot, names in PLACEHOLDERS.items():
        needed = names - {"tool"} if slot == "value_option" else names
        assert all(f"{{{name}}}" in getattr(wording, slot) for name in needed), slot


@pytest.mark.parametrize("word", ["order", "flight", "airline", "retail", "phone"])
def test_the_shipped_texts_are_of_no_domain(word: str) -> None:
    wording = (assets.data() / "questions.json").read_text(encoding="utf-8").lower()
    predicates = json.dumps(
        [(p.question, p.yes, p.no) for p in shipped_predicates()]
    ).lower()

    assert f" {word}" not in wording.replace("gives orders", "")
    assert word not in predicates


def test_what_a_predicate_favors_is_told_by_the_option_and_the_last_tool() -> None:
    def found(favors: Any) -> list[str]:
        predicate = Predicate("p", favors, "?", "y", "n")
        options = ("get", "list", "respond")
        return [o for o in options if favored(predicate, o, "get")]

    assert found("same_lookup") == ["get"]
    assert found("any_lookup") == ["get", "list"]
    assert found("hand_back") == ["respond"]
    assert found(Lookup("list")) == ["list"]


def test_a_predicates_file_with_one_id_twice_is_refused(tmp_path: Path) -> None:
    one = {"id": "a", "favors": {"lookup": "t"}, "question": "?", "yes": "", "no": ""}
    path = tmp_path / "predicates.json"
    path.write_text(json.dumps({"about": "", "predicates": [one, one]}))

    with pytest.raises(FormatError, match="two questions under one `id`"):
        predicates_file(path)
