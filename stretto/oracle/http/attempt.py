"""One try: a body posted, and the reply that came back."""

import ssl
import weakref
from collections.abc import Mapping
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

import httpx2

from stretto.errors import OracleError
from stretto.oracle.http.patience import Clock
from stretto.oracle.http.secret import Secret

MAX_REPLY = 4 * 2**20
"""The longest reply that is read, in bytes."""

ROOTS = "SSL_CERT_FILE"
"""The variable that names a file of roots to trust besides the system's."""


class Reply(NamedTuple):
    """What a server replied; the key is in none of it."""

    status: int
    body: bytes
    retry_after: str | None = None


class NoReply(Exception):
    """There was none, or not in time; its text says why."""


class Sender(Protocol):
    """Posts to one place."""

    def post(self, body: bytes, key: Secret | None, timeout_s: float) -> Reply:
        """
        The reply to `body`.

        Raises:
            NoReply: there was none within `timeout_s`.
        """


class HttpSender:
    """
    Posts JSON to one URL; redirects are not followed. Threads may share one.

    Its connections are kept open for the next request, and closed once it is gone.
    """

    def __init__(self, url: str, environ: Mapping[str, str], clock: Clock) -> None:
        """
        Raises:
            OracleError: the URL is none, or the file of roots cannot be read.
        """
        self._url, self._clock = checked(url), clock
        self._client = httpx2.Client(verify=trusted(environ.get(ROOTS)))
        weakref.finalize(self, self._client.close)

    def post(self, body: bytes, key: Secret | None, timeout_s: float) -> Reply:
        """The reply to `body`, as of `Sender`."""
        headers = {"content-type": "application/json"}
        if key is not None:
            headers["authorization"] = f"Bearer {key.value}"
        until = self._clock.now() + timeout_s
        try:
            with self._client.stream(
                "POST", self._url, content=body, headers=headers, timeout=timeout_s
            ) as response:
                data = self._read(response, until, timeout_s)
        except httpx2.TimeoutException:
            raise NoReply(_late(timeout_s)) from None
        except (httpx2.HTTPError, httpx2.StreamError) as cause:
            why = _hidden(key, str(cause).encode()).decode()
            raise NoReply(f"cannot be asked: {why or type(cause).__name__}") from None
        after = response.headers.get("retry-after")
        return Reply(response.status_code, _hidden(key, data), after)

    def _read(self, response: httpx2.Response, until: float, timeout_s: float) -> bytes:
        data = bytearray()
        for piece in response.iter_bytes():
            data += piece
            if len(data) > MAX_REPLY:
                raise NoReply(f"sent more than {MAX_REPLY // 2**20} MiB")
            if self._clock.now() > until:
                raise NoReply(_late(timeout_s))
        return bytes(data)


def checked(url: str) -> str:
    """
    `url`, if it is one that can be posted to.

    Raises:
        OracleError: it is none.
    """
    try:
        host, scheme = urlsplit(url).hostname, httpx2.URL(url).scheme
        is_one = bool(host) and scheme in ("http", "https")
    except (httpx2.InvalidURL, ValueError):
        is_one = False
    if not is_one:
        raise OracleError(
            f"{url[:80]!r} is no URL of a server",
            hint="a base URL begins with https:// or http:// and a host's name",
        )
    return url


def trusted(path: str | None) -> ssl.SSLContext:
    """
    The system's roots and, where one is named, those of a file.

    Raises:
        OracleError: the file cannot be read, or holds none.
    """
    context = httpx2.create_ssl_context(trust_env=False)
    if not path:
        return context
    try:
        context.load_verify_locations(cafile=path)
    except (OSError, ssl.SSLError) as cause:
        why = None if isinstance(cause, ssl.SSLError) else cause.strerror
        raise OracleError(
            f"the roots in {path} cannot be read: {why or 'they are no PEM'}",
            hint=f"{ROOTS} names a file of certificates in PEM",
        ) from cause
    return context


def _hidden(key: Secret | None, data: bytes) -> bytes:
    return data if key is None else key.hidden_in(data)


def _late(timeout_s: float) -> str:
    return f"gave no answer within {timeout_s:g} s"
