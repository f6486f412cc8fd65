"""The beginning of a file, closed where it ends."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stretto.traces import head
from stretto.traces.head import Head
from tests.traces.samples import tau2_file, write


def test_a_document_longer_than_the_head_shows_its_first_keys_and_items(tmp_path):
    items = [{"n": i, "text": 'a "quoted" ] brace }'} for i in range(5000)]
    path = write(tmp_path / "long.json", {"info": {"a": 1}, "items": items, "z": 0})

    value = Head.of(path).value

    assert value["info"] == {"a": 1}
    assert value["items"][:50] == items[:50]
    assert "z" not in value
    assert len(value["items"]) < 5000


@settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.integers(1, 900), st.sampled_from([None, 2]))
def test_a_document_cut_anywhere_still_shows_an_object(tmp_path, size, indent):
    text = json.dumps(tau2_file(), indent=indent)[:size]

    value = Head.of(write(tmp_path / "cut.json", text)).value

    assert isinstance(value, dict)
    assert set(value) <= {"info", "tasks", "simulations"}


def test_of_lines_the_first_that_can_be_read_is_shown(tmp_path):
    path = write(tmp_path / "lines.jsonl", '{"a": 1,\n{"b": 2}\n{"c": 3}\n')

    assert Head.of(path).value == {"b": 2}


def test_a_compressed_file_shows_its_content(tmp_path):
    assert Head.of(write(tmp_path / "a.gz", {"a": 1})).value == {"a": 1}


def test_a_byte_order_mark_does_not_hide_the_value(tmp_path):
    path = write(tmp_path / "a.json", b'\xef\xbb\xbf{"a": 1}')

    assert Head.of(path).value == {"a": 1}


def test_text_that_is_no_json_has_no_value(tmp_path):
    for content in (b"", b"# Notes\n\nSome words.\n", bytes(range(256)), b"[" * 90_000):
        assert Head.of(write(tmp_path / "a", content)).value in (None, [])


def test_a_head_is_bounded_however_well_the_file_compresses(tmp_path):
    path = write(tmp_path / "zeros.gz", b"0" * 20_000_000)

    assert len(Head.of(path).text) == head.SIZE
