"""Which headers a proxy passes on, and which are between it and one side."""

from collections.abc import Iterable
from typing import TypeAlias

Headers: TypeAlias = list[tuple[bytes, bytes]]
"""Names in lower case with their values, in order; a name may occur twice."""

_HOP_BY_HOP = {
    b"connection",
    b"keep-alive",
    b"proxy-authenticate",
    b"proxy-authorization",
    b"proxy-connection",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
}
_REQUEST_ONLY = {b"host", b"content-length", b"accept-encoding", b"expect"}
"""What a request of the proxy's own says anew."""


def asked(
    headers: Iterable[tuple[bytes, bytes]], *, dropped: Iterable[bytes] = ()
) -> Headers:
    """
    A request's headers, as the server gets them.

    It is asked not to compress, so that what it says can be read on the way.

    Args:
        dropped: What else it does not get, in lower case.
    """
    kept = _end_to_end(headers, {*_REQUEST_ONLY, *dropped})
    return [*kept, (b"accept-encoding", b"identity")]


def answered(
    headers: Iterable[tuple[bytes, bytes]], *, is_rewritten: bool = False
) -> Headers:
    """
    A response's headers, as the client gets them.

    Args:
        is_rewritten: Whether the body may be of another length than the server's.
    """
    return _end_to_end(headers, {b"content-length"} if is_rewritten else set())


def first(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    """The value of the first header of that name; None where there is none."""
    for found, value in headers:
        if found.lower() == name:
            return value.decode("latin-1").strip()
    return None


def media_type(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """What kind of thing a body is, `application/json`; empty where it is not said."""
    return (first(headers, b"content-type") or "").partition(";")[0].strip().lower()


def _end_to_end(headers: Iterable[tuple[bytes, bytes]], dropped: set[bytes]) -> Headers:
    pairs = [(name.lower(), value) for name, value in headers]
    unwanted = _HOP_BY_HOP | dropped
    for name, value in pairs:
        if name == b"connection":
            unwanted |= {token.strip().lower() for token in value.split(b",")}
    return [pair for pair in pairs if pair[0] not in unwanted]
