"""Answers in a folder, and as lines."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from stretto.errors import FormatError, OracleError
from stretto.files import parse_json
from stretto.oracle.answer import NoulAnswer, Response, Usage
from stretto.oracle.bundle import export_lines, import_lines
from stretto.oracle.cache import Cache
from tests.oracle.strategies import answered

KEY = "533d0b047be9259bac4f710c6e7d4c95c06e962224c71281b3dd0b93ee53e5fe"
YES = Response("m-1", {"n": NoulAnswer(0.75)}, Usage(7, 1))


def test_an_answer_lies_where_it_is_published_to_lie(tmp_path: Path) -> None:
    Cache(tmp_path / "new").put(KEY, YES)

    assert (tmp_path / "new" / "53" / f"{KEY}.json").read_text(encoding="utf-8") == (
        '{\n  "model": "m-1",\n  "answers": {\n    "n": {\n      "type": "noul",\n'
        '      "noul": 0.75\n    }\n  },\n  "usage": {\n    "input_tokens": 7,\n'
        '    "output_tokens": 1\n  }\n}'
    )


@settings(max_examples=40, deadline=None)
@given(answered())
def test_what_is_kept_is_found_again_and_nothing_else(tmp_path_factory, pair) -> None:
    cache = Cache(tmp_path_factory.mktemp("cache"))
    request, response = pair

    assert cache.get(request.key) is None
    cache.put(request.key, response)

    assert cache.get(request.key) == response
    assert [*cache.listed()] == [request.key]
    assert [p.name for p in cache.path(request.key).parent.iterdir()] == [
        f"{request.key}.json"
    ]


@pytest.mark.parametrize(
    "key", ["", "ab", "ABC", "abg", "../etc", "abc\n", "abc/def", "a" * 129, "١٢٣"]
)
def test_what_is_no_key_reaches_no_path(tmp_path: Path, key: str) -> None:
    for act in (Cache(tmp_path).get, Cache(tmp_path).path):
        with pytest.raises(OracleError, match="is no key"):
            act(key)


def test_a_damaged_file_is_an_error_until_it_is_set_aside(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, YES)
    cache.path(KEY).write_text('{"model": "m-1", "ans')

    with pytest.raises(FormatError, match="is not JSON"):
        cache.get(KEY)
    cache.set_aside(KEY)

    assert cache.get(KEY) is None
    assert [p.name for p in (tmp_path / "53").iterdir()] == [f"{KEY}.json.damaged"]
    cache.set_aside(KEY)


def test_answers_are_listed_by_key_and_other_files_are_not(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for key in ("ffe", "0a1", "0a0"):
        cache.put(key, YES)
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "0a" / "0a2.txt").write_text("mine")
    (tmp_path / "0a" / "bad.json").write_text("{}")
    (tmp_path / "zz").mkdir()

    assert [*cache.listed()] == ["0a0", "0a1", "ffe"]
    assert [*Cache(tmp_path / "nowhere").listed()] == []


def test_a_bundle_imported_elsewhere_is_the_same_cache(tmp_path: Path) -> None:
    here, there = Cache(tmp_path / "here"), Cache(tmp_path / "there")
    here.put(KEY, YES)
    here.put("0a0", Response("m-2", {}))
    lines = [parse_json(line, "bundle") for line in export_lines(here, [])]

    first, again = import_lines(there, lines), import_lines(there, lines)

    assert (first.kept, first.known, first.differ) == (2, 0, [])
    assert (again.kept, again.known, again.differ) == (0, 2, [])
    assert [there.get(key) for key in there.listed()] == [
        here.get(key) for key in here.listed()
    ]


def test_importing_leaves_an_answer_that_differs_and_says_so(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, YES)
    other = {"key": KEY, "response": {"model": "other", "answers": {}}}

    imported = import_lines(cache, [parse_json(json.dumps(other), "bundle")])

    assert imported.differ == [KEY]
    assert cache.get(KEY) == YES


def test_importing_replaces_a_damaged_file_and_exporting_reports_it(
    tmp_path: Path,
) -> None:
    cache, damaged = Cache(tmp_path), []
    cache.put(KEY, YES)
    [line] = export_lines(cache, damaged)
    cache.path(KEY).write_text("{}")

    assert [*export_lines(cache, damaged)] == []
    assert [KEY in str(cause) for cause in damaged] == [True]

    import_lines(cache, [parse_json(line, "bundle")])
    assert cache.get(KEY) == YES


def test_a_line_that_is_no_answer_stops_the_import_and_names_itself(
    tmp_path: Path,
) -> None:
    line = parse_json('{"key": "abc", "request": {}}', "bundle:3")

    with pytest.raises(FormatError, match="bundle:3"):
        import_lines(Cache(tmp_path), [line])
