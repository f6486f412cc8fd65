"""Who is let through."""

from pathlib import Path

import pytest

from stretto.errors import StrettoError
from stretto.proxy.http.access import Access, Address, address, checked, token_in

OPEN, CLOSED = Access(8080), Access(8080, "s3cret")


def status(access: Access, **headers: str) -> int | None:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    refusal = access.refusal(pairs)
    return None if refusal is None else refusal.status


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1:8080", "[::1]:8080"])
def test_this_machine_by_its_names_is_let_through(host: str) -> None:
    assert status(OPEN, host=host) is None
    assert status(OPEN, host=host.upper(), origin="http://localhost:6274") is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8080",
        "localhost:8081",
        "localhost",
        "localhost.evil:8080",
        "",
        "[",
    ],
)
def test_another_name_or_port_is_not(host: str) -> None:
    assert status(OPEN, host=host) == 403


def test_the_usual_port_need_not_be_named() -> None:
    assert status(Access(80), host="localhost") is None
    assert status(Access(80), host="[::1]") is None


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://localhost.evil", "file://", "http://[::2]"],
)
def test_a_page_from_elsewhere_is_not(origin: str) -> None:
    assert status(OPEN, host="localhost:8080", origin=origin) == 403


def test_a_request_without_a_host_is_not() -> None:
    assert status(OPEN) == 403


def test_with_a_token_only_the_token_counts() -> None:
    assert status(CLOSED, host="else", authorization="Bearer s3cret") is None
    assert status(CLOSED, origin="http://else", authorization="bearer s3cret") is None
    assert status(CLOSED, host="localhost:8080") == 401
    assert status(CLOSED, authorization="Bearer s3cre") == 401
    assert status(CLOSED, authorization="Basic s3cret") == 401
    assert status(CLOSED, authorization="Bearer sécret") == 401


def test_a_refused_token_is_asked_for() -> None:
    refusal = CLOSED.refusal([])

    assert refusal is not None
    assert refusal.headers == [(b"www-authenticate", b"Bearer")]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("127.0.0.1:80", Address("127.0.0.1", 80)),
        ("0", Address("127.0.0.1", 0)),
        ("[::1]:65535", Address("::1", 65535)),
        ("example.org:1", Address("example.org", 1)),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, where: Address) -> None:
    assert address(text) == where


@pytest.mark.parametrize("text", ["", "a:b", "::1", "1:2:3", "localhost:65536", "h:"])
def test_what_is_no_address_is_refused_by_name(text: str) -> None:
    with pytest.raises(StrettoError, match="no address to listen at"):
        address(text)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org", "192.168.0.1"])
def test_others_are_only_listened_to_with_a_token(host: str) -> None:
    with pytest.raises(StrettoError, match="other machines"):
        checked(Address(host, 1), None)

    checked(Address(host, 1), "s3cret")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_this_machine_needs_none(host: str) -> None:
    checked(Address(host, 1), None)


def test_a_token_is_the_one_line_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("ab.c-1==\n")

    assert token_in(str(path)) == "ab.c-1=="


@pytest.mark.parametrize("text", ["", "two words", "a\nb", "é"])
def test_a_file_without_one_token_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "token"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(StrettoError, match="token"):
        token_in(str(path))


def test_a_token_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(StrettoError, match="missing: cannot be read"):
        token_in(str(tmp_path / "missing"))
