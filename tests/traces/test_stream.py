"""Documents and lines as records: every one that can be read, in bounded memory."""

import gzip
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stretto.traces import source, window
from stretto.traces.ledger import Ledger
from stretto.traces.stream import Record, fields, records
from tests.traces.samples import causes, lines, write

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
layouts = st.sampled_from([None, 0, 2])
piece_sizes = st.sampled_from([1, 2, 3, 7, 64, 2**20])
in_any_pieces = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@contextmanager
def pieces_of(size: int) -> Iterator[None]:
    with patch.object(source, "PIECE", size):
        yield


def taken(
    read: Callable[[Path, Ledger], Iterator[Record]], path: Path, size: int = 2**20
) -> tuple[list[Record], Ledger]:
    ledger = Ledger()
    with pieces_of(size):
        return list(read(path, ledger)), ledger


def values(found: list[Record]) -> list[Any]:
    return [record.value for record in found]


@in_any_pieces
@given(st.lists(json_values), piece_sizes, layouts, st.booleans())
def test_an_array_in_pieces_of_any_size_has_the_items_that_it_has_whole(
    tmp_path, items, size, indent, ascii
):
    text = json.dumps(items, indent=indent, ensure_ascii=ascii)
    path = write(tmp_path / "array.json", text.encode(errors="replace"))

    found, ledger = taken(records, path, size)

    assert values(found) == json.loads(path.read_bytes(), parse_int=int)
    assert [record.position for record in found] == list(range(len(items)))
    assert not ledger.problems


@in_any_pieces
@given(st.dictionaries(st.text(max_size=4), json_values), piece_sizes, layouts)
def test_an_object_in_pieces_of_any_size_has_the_fields_that_it_has_whole(
    tmp_path, document, size, indent
):
    path = write(tmp_path / "object.json", json.dumps(document, indent=indent))

    found, ledger = taken(fields, path, size)

    rebuilt: dict[str, Any] = {
        key: [] for key, value in document.items() if value == []
    }
    for record in found:
        if record.position is None:
            rebuilt[record.key] = record.value
        else:
            rebuilt.setdefault(record.key, []).append(record.value)
    assert rebuilt == json.loads(path.read_bytes())
    assert not ledger.problems


@in_any_pieces
@given(
    st.lists(st.dictionaries(st.text(max_size=4), json_values)),
    piece_sizes,
    st.sampled_from(["\n", "\r\n", "\n\n  \n"]),
)
def test_values_one_a_line_come_out_with_their_lines(tmp_path, items, size, ending):
    path = write(
        tmp_path / "lines.jsonl", "".join(json.dumps(v) + ending for v in items)
    )

    found, ledger = taken(records, path, size)

    per_value = ending.count("\n")
    assert values(found) == json.loads(json.dumps(items))
    assert [r.line for r in found] == [1 + per_value * i for i in range(len(items))]
    assert not ledger.problems


@in_any_pieces
@given(st.binary(max_size=200), piece_sizes)
def test_no_bytes_make_reading_fail(tmp_path, data, size):
    path = write(tmp_path / "any", data)

    taken(records, path, size)
    taken(fields, path, size)


@in_any_pieces
@given(
    st.lists(st.dictionaries(st.text(max_size=4), json_values), min_size=1, max_size=4),
    st.data(),
    piece_sizes,
)
def test_a_spoilt_item_of_an_array_is_the_only_one_that_is_lost(
    tmp_path, items, data, size
):
    spoilt = data.draw(st.integers(0, len(items) - 1))
    wrong = data.draw(
        st.sampled_from(['{"a": NaN}', '{"a": [1, 2}]', "[Infinity]", '{"a" 1}', "nul"])
    )
    texts = [json.dumps(item) for item in items]
    texts[spoilt] = wrong
    path = write(tmp_path / "array.json", "[" + ", ".join(texts) + "]")

    found, ledger = taken(records, path, size)

    kept = [item for i, item in enumerate(items) if i != spoilt]
    assert values(found) == json.loads(json.dumps(kept))
    assert len(ledger.problems) == 1
    assert f"[{spoilt}]" in ledger.problems[0].cause


@pytest.mark.parametrize(
    "wrong",
    [
        '{"a": NaN}',
        '{"a": 1',
        '{"a": "cut',
        '{"a": [1, {"b": "x',
        "not JSON at all",
        "{'a': 1}",
        '{"a": 1}}',
        "[" * 10_000,
        '{"a": ' * 10_000,
        '{"n": ' + "9" * 5000 + "}",
    ],
)
def test_a_spoilt_line_is_reported_with_its_number_and_costs_no_other(tmp_path, wrong):
    path = write(tmp_path / "lines.jsonl", f'{{"n": 1}}\n{wrong}\n{{"n": 3}}\n')

    found, ledger = taken(records, path)

    assert {"n": 1} in values(found)
    assert {"n": 3} in values(found)
    assert {problem.line for problem in ledger.problems} == {2}


def test_of_two_values_on_a_line_the_second_is_no_part_of_the_first(tmp_path):
    path = write(tmp_path / "lines.jsonl", '{"a": 1}{"b": 2}\n')

    found, _ = taken(records, path)

    assert values(found) == [{"a": 1}, {"b": 2}]


def test_where_a_comma_is_missing_is_said_and_what_came_before_is_kept(tmp_path):
    path = write(tmp_path / "array.json", '[{"a": 1}\n {"b": 2}]')

    found, ledger = taken(records, path)

    assert values(found) == [{"a": 1}]
    assert "`,` or `]`" in ledger.problems[0].cause
    assert ledger.problems[0].line == 2


def test_items_each_on_a_line_survive_one_whose_brackets_do_not_match(tmp_path):
    path = write(tmp_path / "array.json", '[\n{"a": 1},\n{"b": [2},\n{"c": 3}\n]\n')

    found, ledger = taken(records, path)

    assert values(found) == [{"a": 1}, {"c": 3}]
    assert ledger.problems[0].line == 3


def test_a_document_that_stops_early_keeps_its_whole_items(tmp_path):
    path = write(tmp_path / "array.json", '{"items": [{"a": 1}, {"b": 2}, {"c": "x')

    found, ledger = taken(fields, path)

    assert values(found) == [{"a": 1}, {"b": 2}]
    assert causes(ledger) == ["items[2]: is cut off"]


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.99])
def test_a_compressed_file_that_stops_early_keeps_its_whole_lines(tmp_path, kept):
    n = 3000
    data = gzip.compress(
        lines({"n": i, "text": f"{i**9:x}"} for i in range(n)).encode()
    )
    path = tmp_path / "lines.jsonl.gz"
    path.write_bytes(data[: int(len(data) * kept)])

    found, ledger = taken(records, path)

    assert [record.value["n"] for record in found] == list(range(len(found)))
    assert 0.2 * n < len(found) < n
    assert any("cut short" in cause for cause in causes(ledger))


def test_a_compressed_file_with_a_flipped_bit_is_reported(tmp_path):
    data = bytearray(gzip.compress(lines({"n": i} for i in range(2000)).encode()))
    data[len(data) // 2] ^= 0xFF
    path = tmp_path / "lines.jsonl.gz"
    path.write_bytes(data)

    _, ledger = taken(records, path)

    assert any("cannot be read further" in cause for cause in causes(ledger))


def test_compression_is_told_by_the_content_not_by_the_name(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_bytes(gzip.compress(b'{"n": 1}\n') + gzip.compress(b'{"n": 2}\n'))

    assert values(taken(records, path)[0]) == [{"n": 1}, {"n": 2}]


def test_a_record_longer_than_the_limit_is_skipped_and_reported(tmp_path):
    path = write(
        tmp_path / "array.json",
        [{"n": 1}, {"n": [["x"] * 30, 'a "quoted", bracketed ] text']}, {"n": 3}],
    )

    with patch.object(window, "MAX_LENGTH", 50):
        found, ledger = taken(records, path, 10)

    assert values(found) == [{"n": 1}, {"n": 3}]
    assert causes(ledger) == ["[1]: is longer than 50 characters"]


def test_a_lone_surrogate_becomes_the_replacement_character_and_is_counted(tmp_path):
    path = write(tmp_path / "lines.jsonl", r'{"\ud83d": ["a\uDC00b", "\ud83d\ude00"]}')

    found, ledger = taken(records, path)

    assert values(found) == [{"\ufffd": ["a\ufffdb", "😀"]}]
    assert ledger.counts["replaced surrogates"] == 2


surrogate_text = st.lists(
    st.sampled_from(
        ["\\ud83d", "\\ude00", "\\uD83D", "\\\\", "\\n", "\\u0041", "ud83d"]
    )
).map("".join)


@in_any_pieces
@given(surrogate_text)
def test_no_text_that_comes_out_holds_a_lone_surrogate(tmp_path, text):
    path = write(tmp_path / "lines.jsonl", f'{{"a": "{text}"}}')

    ((record,), ledger) = taken(records, path)

    expected = json.loads(f'"{text}"')
    n_lone = sum(0xD800 <= ord(c) < 0xE000 for c in expected)
    repaired = "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in expected)
    assert record.value == {"a": repaired}
    assert ledger.counts["replaced surrogates"] == n_lone


def test_of_a_key_that_comes_twice_the_last_wins(tmp_path):
    path = write(tmp_path / "lines.jsonl", '{"a": 1, "a": 2}')

    assert values(taken(records, path)[0]) == [{"a": 2}]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    path = write(tmp_path / "lines.jsonl", b'\xef\xbb\xbf{"a": 1}')

    found, ledger = taken(records, path)

    assert values(found) == [{"a": 1}]
    assert not ledger.problems


@pytest.mark.parametrize("size", [1, 5, 2**20])
def test_bytes_that_are_not_utf8_are_replaced_and_reported_with_their_line(
    tmp_path, size
):
    path = write(tmp_path / "lines.jsonl", b'{"a": "ok"}\n{"a": "\xff"}\n{"a": "\xc3"}')

    found, ledger = taken(records, path, size)

    assert values(found) == [{"a": "ok"}, {"a": "\ufffd"}, {"a": "\ufffd"}]
    assert ledger.problems[0].line == 2
    assert "not UTF-8 (byte 0xff)" in ledger.problems[0].cause


def test_a_character_cut_by_the_end_of_a_piece_stays_whole(tmp_path):
    path = write(tmp_path / "lines.jsonl", '{"a": "東京 😀"}'.encode())

    found, ledger = taken(records, path, 1)

    assert values(found) == [{"a": "東京 😀"}]
    assert not ledger.problems


def test_a_number_beyond_a_float_is_still_a_number(tmp_path):
    path = write(tmp_path / "lines.jsonl", '{"a": 1e999}')

    assert values(taken(records, path)[0]) == [{"a": math.inf}]


def test_a_file_that_is_gone_is_a_problem_not_an_error(tmp_path):
    found, ledger = taken(records, tmp_path / "gone.json")

    assert found == []
    assert len(ledger.problems) == 1
