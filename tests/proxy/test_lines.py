"""Lines end at a line feed and nowhere else, however they are cut into chunks."""

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.proxy.lines import Lines

CHUNKS = st.lists(st.binary(min_size=1, max_size=12), max_size=30)


def _fed(lines: Lines, chunks: list[bytes]) -> list[tuple[bytes, int]]:
    return [tuple(line) for chunk in [*chunks, b""] for line in lines.feed(chunk)]


def _expected(data: bytes) -> list[bytes]:
    *whole, rest = data.split(b"\n")
    return [*whole, rest] if rest else whole


@given(chunks=CHUNKS)
@settings(max_examples=100, deadline=None)
def test_lines_are_those_of_the_whole_stream(chunks: list[bytes]) -> None:
    expected = _expected(b"".join(chunks))

    assert _fed(Lines(2**10), chunks) == [(line, len(line)) for line in expected]


@given(chunks=CHUNKS, longest=st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_a_long_lines_beginning_is_kept_and_its_size_known(
    chunks: list[bytes], longest: int
) -> None:
    expected = _expected(b"".join(chunks))

    fed = _fed(Lines(longest), chunks)

    assert fed == [(line[:longest], len(line)) for line in expected]


def test_no_other_line_separator_splits_a_line() -> None:
    line = "a\u2028b\u2029c\x85d\re\x0bf\x0cg\x1ch".encode()

    assert _fed(Lines(100), [line + b"\n"]) == [(line, len(line))]
