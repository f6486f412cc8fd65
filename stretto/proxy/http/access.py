"""
Who may talk to a listening proxy.

Without a token, programs on this machine: a page in its browser may not, which the
`Host` and `Origin` that browsers send tell. With one, whoever knows it, from anywhere.
"""

import hmac
import re
from collections.abc import Iterable
from ipaddress import ip_address
from typing import NamedTuple

from stretto.errors import FormatError, StrettoError
from stretto.files import read_text
from stretto.proxy.http.headers import Headers, first

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_ORIGIN = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(?::\d+)?", re.I)
_ADDRESS = re.compile(r"(?:(?P<host>\[[^\]]+\]|[^:\[\]]+):)?(?P<port>\d{1,5})")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_HTTP_PORT = 80


class Address(NamedTuple):
    """Where to listen."""

    host: str
    port: int
    """0 for any that is free."""

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can reach it."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def spelled(self) -> str:
        """The two as they stand in a URL."""
        return (
            f"[{self.host}]:{self.port}"
            if ":" in self.host
            else str.join(":", (self.host, str(self.port)))
        )


class Refusal(NamedTuple):
    """Why a request is not let through."""

    status: int
    why: str
    headers: Headers


class Access(NamedTuple):
    """Decides by a request's headers whether it is let through."""

    port: int
    token: str | None = None

    def refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
        """Why not; None where it is."""
        headers = [*headers]
        if self.token is not None:
            return None if self._knows_token(headers) else _unknown()
        if not self._is_ours(first(headers, b"host")):
            return Refusal(403, "this Host is not the proxy's", [])
        origin = first(headers, b"origin")
        if origin is not None and not _ORIGIN.fullmatch(origin):
            return Refusal(403, "this Origin may not use the proxy", [])
        return None

    @property
    def own_headers(self) -> tuple[bytes, ...]:
        """The headers that are for the proxy, and not for the server behind it."""
        return () if self.token is None else (b"authorization",)

    def _knows_token(self, headers: Headers) -> bool:
        scheme, _, given = (first(headers, b"authorization") or "").partition(" ")
        wanted = (self.token or "").encode()
        is_known = hmac.compare_digest(given.strip().encode("latin-1"), wanted)
        return is_known and scheme.lower() == "bearer"

    def _is_ours(self, host: str | None) -> bool:
        name, colon, port = (host or "").lower().rpartition(":")
        if not colon or port.endswith("]"):
            name, port = (host or "").lower(), str(_HTTP_PORT)
        return name in _LOOPBACK_NAMES and port == str(self.port)


def address(text: str) -> Address:
    """
    Where `HOST:PORT`, or `PORT` on this machine alone, says to listen.

    Raises:
        StrettoError: it says nothing of the kind.
    """
    parts = _ADDRESS.fullmatch(text)
    if parts is None or int(parts["port"]) > 2**16 - 1:
        raise StrettoError(
            f"{text!r} is no address to listen at",
            hint="HOST:PORT, such as 127.0.0.1:8080; port 0 takes any that is free",
        )
    host = parts["host"] or "127.0.0.1"
    return Address(host.strip("[]"), int(parts["port"]))


def token_in(path: str) -> str:
    """
    The token that a file holds, and nothing else.

    Raises:
        FormatError: the file cannot be read, or holds no token.
    """
    text = read_text(path).strip()
    if not _TOKEN.fullmatch(text):
        raise FormatError(
            path,
            "does not hold one token",
            hint="letters, digits and `-._~+/`, such as `openssl rand -hex 32` prints",
        )
    return text


def checked(where: Address, token: str | None) -> None:
    """
    Nothing, where it is safe to listen there.

    Raises:
        StrettoError: others could reach the proxy, and no token keeps them out.
    """
    if token is None and not where.is_loopback:
        raise StrettoError(
            f"{where.host} can be reached from other machines",
            hint="listen at 127.0.0.1, or give --listen-token-file FILE",
        )


def _unknown() -> Refusal:
    challenge = [(b"www-authenticate", b"Bearer")]
    return Refusal(401, "the proxy's token is missing or wrong", challenge)
