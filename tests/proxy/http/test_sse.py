"""Events told apart, byte for byte."""

import json
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from stretto.proxy.http.sse import Piece, Splitter, Whole, framed, parsed

LINES = st.sampled_from(
    [b"data: 1", b"data:2", b"data", b"id: 7", b": note", b"event: message", b"x", b""]
)
ENDS = st.sampled_from([b"\r", b"\n", b"\r\n"])
STREAMS = st.lists(st.tuples(LINES, ENDS)).map(
    lambda parts: b"".join(line + end for line, end in parts)
)


def chunked(body: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    return [body[a:b] for a, b in pairwise(places)]


def pieces(chunks: list[bytes], splitter: Splitter | None = None) -> list[Piece]:
    splitter = splitter or Splitter()
    found = [piece for chunk in chunks for piece in splitter.feed(chunk)]
    return [*found, *splitter.end()]


def literal(body: bytes) -> list[bytes]:
    """The data of a stream's events, read line by line as the standard says."""
    lines = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    events: list[bytes] = []
    data: list[bytes] = []
    for line in [*lines, b""]:
        name, _, value = line.partition(b":")
        if name == b"data":
            data.append(value.removeprefix(b" "))
        if not line and data:
            events.append(b"\n".join(data))
            data = []
    return events


@settings(max_examples=150, deadline=None)
@given(st.binary() | STREAMS, st.lists(st.integers(0, 60)), st.integers(4, 40))
def test_what_is_given_back_is_what_was_fed(
    body: bytes, cuts: list[int], longest: int
) -> None:
    for splitter in (Splitter(), Splitter(longest)):
        found = pieces(chunked(body, cuts), splitter)

        assert b"".join(piece.raw for piece in found) == body


@settings(max_examples=200, deadline=None)
@given(STREAMS, st.lists(st.integers(0, 60)))
@example(b"data: 1\r\rdata: 2\r\n\r\n", [8])
@example(b"data: 1\n\r\ndata: 2\n\n", [9])
def test_the_data_are_those_of_a_reading_line_by_line(
    body: bytes, cuts: list[int]
) -> None:
    found = [piece.data for piece in pieces(chunked(body, cuts))]

    assert [data for data in found if data is not None] == literal(body)


def test_an_event_is_given_as_soon_as_its_blank_line_has_come() -> None:
    splitter = Splitter()

    assert [*splitter.feed(b"data: 1\r\n")] == []
    assert [piece.data for piece in splitter.feed(b"\r\n")] == [b"1"]
    assert splitter.is_between
    assert [*splitter.feed(b"data")] == []
    assert not splitter.is_between


def test_an_event_that_is_too_long_passes_without_data_and_the_next_has_some() -> None:
    long = [b"data: ", b"a" * 100, b"\n", b"\n"]

    found = pieces([*long, b"data: 1\n\n"], Splitter(longest=20))

    assert b"".join(piece.raw for piece in found) == b"".join(long) + b"data: 1\n\n"
    assert [piece.data for piece in found if piece.data is not None] == [b"1"]


def test_the_priming_event_has_an_id_and_empty_data() -> None:
    primed = parsed(b"id: 3\nretry: 500\ndata:\n\n")

    assert (primed.data, primed.id, primed.retry_s) == (b"", b"3", 0.5)
    assert parsed(b"retry: soon\n\n").retry_s is None


def test_an_event_with_other_data_keeps_its_id_and_its_kind() -> None:
    before = parsed(b"id: 3\r\nevent: message\r\ndata: {}\r\n\r\n")

    after = parsed(framed(b'{"a":1}', like=before))

    assert (after.data, after.id) == (b'{"a":1}', b"3")
    assert b"event: message" in after.raw


@given(st.binary().filter(lambda data: b"\r" not in data))
def test_data_read_back_from_a_frame_are_the_same(data: bytes) -> None:
    assert parsed(framed(data)).data == data


@settings(deadline=None)
@given(st.lists(st.binary()), st.integers(0, 30))
def test_a_whole_body_is_one_piece_unless_it_is_too_long(
    chunks: list[bytes], longest: int
) -> None:
    whole = Whole(longest)
    body = b"".join(chunks)

    found = [piece for chunk in chunks for piece in whole.feed(chunk)]
    found += whole.end()

    assert b"".join(piece.raw for piece in found) == body
    if 0 < len(body) <= longest:
        assert [piece.data for piece in found] == [body]
    if len(body) > longest:
        assert {piece.data for piece in found} == {None}


def test_a_message_with_separators_of_other_languages_is_one_line_of_data() -> None:
    message = json.dumps("\u2028\u2029\x85", ensure_ascii=False).encode()

    assert framed(message) == b"data: " + message + b"\n\n"
