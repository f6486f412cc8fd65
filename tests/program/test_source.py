"""Where a program comes from: a file of either form, or a shipped one's name."""

import json
from pathlib import Path

import pytest

from stretto import assets
from stretto.errors import FormatError
from stretto.program.source import located, read_program_file
from stretto.program.standard import STANDARD
from stretto.program.wire import program_json


def test_a_shipped_program_goes_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert read_program_file("standard") == STANDARD
    assert located("one-lookup").read_text().startswith("//")


def test_a_file_goes_before_a_shipped_program_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one-lookup").write_text("pure(call)")

    assert located("one-lookup") == Path("one-lookup")


@pytest.mark.parametrize("name", ["standard.fugue", "folder/standard", "no-such"])
def test_only_a_bare_name_of_a_shipped_program_stands_for_it(tmp_path, name):
    with pytest.raises(FormatError, match="cannot be read"):
        read_program_file(tmp_path / name if "/" in name else name)


def test_json_and_text_are_told_apart_by_how_they_begin(tmp_path):
    file = tmp_path / "p"
    file.write_text(json.dumps(program_json(STANDARD)))

    assert read_program_file(file) == STANDARD


def test_the_shipped_programs_are_where_the_package_looks_for_them():
    assert {p.stem for p in assets.programs().glob("*.fugue")} >= {
        "standard",
        "one-lookup",
        "stop-at-failure",
    }
