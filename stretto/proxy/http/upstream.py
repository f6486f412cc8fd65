"""A server at a URL, and the requests made to it."""

from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from urllib.parse import SplitResult, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from stretto.errors import StrettoError
from stretto.proxy.http.answering import Answer, Unreachable
from stretto.proxy.http.headers import Headers, first
from stretto.proxy.http.plain import PlainClient

CONNECT_S = 10.0

_REDIRECTS = {307, 308}
_LONGEST_WAY = 5
"""How many redirects are followed, one after another."""
_FOREVER = httpx2.Timeout(None, connect=CONNECT_S)
_NO_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=256)
_HTTP_PORT = 80


class Upstream:
    """
    A server at a URL.

    Args:
        url: Where it takes requests.
        own_headers: What every request says, in place of what its client says.

    Raises:
        StrettoError: that is no URL of a server.
    """

    def __init__(self, url: str, own_headers: Mapping[str, str] | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise StrettoError(
                f"{url!r} is no address of a server",
                hint="one begins with http:// or https://, and often ends with /mcp",
            )
        self.url = url
        self._own: Headers = [
            (name.lower().encode(), value.encode())
            for name, value in (own_headers or {}).items()
        ]
        self._plain = _plain(parts)
        self._client = None if self._plain is not None else _general()

    async def __aenter__(self) -> "Upstream":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._plain is not None:
            self._plain.close()
        if self._client is not None:
            await self._client.aclose()

    async def ask(self, method: str, headers: Headers, body: bytes) -> Answer:
        """
        What it answers, to be closed by whom it is given to.

        Redirects that ask for the same request elsewhere on the same server are
        followed: they are how servers spell a slash at the end of a path.

        Raises:
            Unreachable: it does not answer.
        """
        own = {name for name, _ in self._own}
        headers = [*(pair for pair in headers if pair[0] not in own), *self._own]
        url = self.url
        for _ in range(_LONGEST_WAY):
            answer = await self._once(method, url, headers, body)
            onward = _onward(url, answer)
            if onward is None:
                break
            await answer.aclose()
            url = onward
        return answer

    async def _once(
        self, method: str, url: str, headers: Headers, body: bytes
    ) -> Answer:
        if self._plain is not None:
            return await self._plain.ask(method, urlsplit(url), headers, body)
        assert self._client is not None
        request = httpx2.Request(method, url, headers=headers, content=body)
        try:
            return _General(await self._client.send(request, stream=True))
        except httpx2.TransportError as cause:
            raise Unreachable(str(cause) or type(cause).__name__) from cause


class _General:
    """An answer that the general client has."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers: Headers = [*response.headers.raw]

    async def body(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._response.aiter_raw():
                yield chunk
        except (httpx2.TransportError, httpx2.StreamError) as cause:
            raise Unreachable(str(cause) or type(cause).__name__) from cause

    async def aclose(self) -> None:
        await self._response.aclose()


def _plain(parts: SplitResult) -> PlainClient | None:
    """A client for servers that can be asked without more ado."""
    host = parts.hostname or ""
    is_direct = "http" not in getproxies() or proxy_bypass(host)
    is_spelled_out = all("!" <= character <= "~" for character in parts.geturl())
    is_simple = parts.scheme == "http" and parts.username is None and is_spelled_out
    if not (is_simple and is_direct):
        return None
    return PlainClient(host, parts.port or _HTTP_PORT, CONNECT_S)


def _general() -> httpx2.AsyncClient:
    """A client that encrypts, and finds its way through proxies."""
    return httpx2.AsyncClient(timeout=_FOREVER, limits=_NO_LIMITS)


def _onward(url: str, answer: Answer) -> str | None:
    """Where a redirect leads on the same server; None where it is none."""
    if answer.status not in _REDIRECTS:
        return None
    if (place := first(answer.headers, b"location")) is None:
        return None
    onward = urljoin(url, place)
    is_same = urlsplit(onward)[:2] == urlsplit(url)[:2]
    return onward if is_same else None
