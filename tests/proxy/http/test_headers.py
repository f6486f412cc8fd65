"""Which headers pass."""

from hypothesis import given
from hypothesis import strategies as st

from stretto.proxy.http.headers import answered, asked, first, media_type

NAMES = st.sampled_from([b"accept", b"authorization", b"mcp-session-id", b"x-other"])
KEPT = st.lists(st.tuples(NAMES, st.binary(max_size=5)))


@given(KEPT)
def test_headers_between_the_two_ends_pass_in_order_and_as_often(
    headers: list[tuple[bytes, bytes]],
) -> None:
    assert asked(headers) == [*headers, (b"accept-encoding", b"identity")]
    assert answered(headers) == headers


def test_headers_between_two_neighbours_do_not_pass_nor_do_those_they_name() -> None:
    headers = [
        (b"Connection", b"keep-alive, X-Mine"),
        (b"Keep-Alive", b"timeout=5"),
        (b"X-Mine", b"1"),
        (b"Transfer-Encoding", b"chunked"),
        (b"Upgrade", b"h2c"),
        (b"Last-Event-ID", b"4"),
    ]

    assert answered(headers) == [(b"last-event-id", b"4")]


def test_a_request_says_anew_where_it_goes_and_what_it_takes() -> None:
    headers = [(b"host", b"a"), (b"content-length", b"3"), (b"accept-encoding", b"br")]

    assert asked(headers) == [(b"accept-encoding", b"identity")]


def test_the_proxys_own_token_stays_with_it() -> None:
    headers = [(b"authorization", b"Bearer mine"), (b"accept", b"*/*")]

    assert (b"authorization", b"Bearer mine") in asked(headers)
    assert asked(headers, dropped=(b"authorization",))[0] == (b"accept", b"*/*")


def test_the_length_passes_unless_the_body_is_another() -> None:
    headers = [(b"content-length", b"3")]

    assert answered(headers) == headers
    assert answered(headers, is_rewritten=True) == []


def test_a_media_type_is_read_without_its_parameters() -> None:
    headers = [(b"Content-Type", b" Application/JSON ; charset=utf-8")]

    assert media_type(headers) == "application/json"
    assert media_type([]) == ""
    assert first(headers, b"accept") is None
