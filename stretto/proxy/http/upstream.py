"""A server at a URL, and the requests made to it."""

from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from urllib.parse import urlsplit

import httpx2

from stretto.errors import StrettoError
from stretto.proxy.http.answering import Unreachable
from stretto.proxy.http.headers import Headers

CONNECT_S = 10.0

_REDIRECTS = {307, 308}
_LONGEST_WAY = 5
"""How many redirects are followed, one after another."""
_FOREVER = httpx2.Timeout(None, connect=CONNECT_S)
_NO_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=256)


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
        self._client = httpx2.AsyncClient(timeout=_FOREVER, limits=_NO_LIMITS)

    async def __aenter__(self) -> "Upstream":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.aclose()

    async def ask(self, method: str, headers: Headers, body: bytes) -> "FromUpstream":
        """
        What it answers, to be closed by whom it is given to.

        Redirects that ask for the same request elsewhere on the same server are
        followed: they are how servers spell a slash at the end of a path.

        Raises:
            Unreachable: it does not answer.
        """
        own = {name for name, _ in self._own}
        headers = [*(pair for pair in headers if pair[0] not in own), *self._own]
        url = httpx2.URL(self.url)
        for _ in range(_LONGEST_WAY):
            request = httpx2.Request(method, url, headers=headers, content=body)
            try:
                response = await self._client.send(request, stream=True)
            except httpx2.TransportError as cause:
                raise Unreachable(str(cause) or type(cause).__name__) from cause
            onward = _onward(url, response)
            if onward is None:
                break
            await response.aclose()
            url = onward
        return FromUpstream(response)


class FromUpstream:
    """An answer that comes over the network."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers: Headers = [*response.headers.raw]

    async def body(self) -> AsyncIterator[bytes]:
        """Its bytes, not decompressed."""
        try:
            async for chunk in self._response.aiter_raw():
                yield chunk
        except (httpx2.TransportError, httpx2.StreamError) as cause:
            raise Unreachable(str(cause) or type(cause).__name__) from cause

    async def aclose(self) -> None:
        """Close the connection, unless all has come and it can be used again."""
        await self._response.aclose()


def _onward(url: httpx2.URL, response: httpx2.Response) -> httpx2.URL | None:
    """Where a redirect leads on the same server; None where it is none."""
    place = response.headers.get("location")
    if response.status_code not in _REDIRECTS or place is None:
        return None
    onward = url.join(place)
    same = (onward.scheme, onward.host, onward.port) == (url.scheme, url.host, url.port)
    return onward if same else None
