"""
Servers on standard input and output, talked to over HTTP.

Both eras are served at once: requests of sessions by a process for each session, and
those without by one process for all. Which of the two a request is, it says itself.
"""

import asyncio
import json
import secrets
from collections.abc import Coroutine, Sequence
from http import HTTPStatus
from typing import Any

from stretto.errors import CannotStart
from stretto.proxy.http.answering import Answer
from stretto.proxy.http.asgi import JSON_TYPE, SERVER_FAILED, STREAM_TYPE, error
from stretto.proxy.http.delivery import Plain
from stretto.proxy.http.headers import Headers, first, media_type
from stretto.proxy.http.lanes import IDLE_S, MOST, SESSION
from stretto.proxy.http.legacy import LegacySession, unknown_session
from stretto.proxy.http.message import Message
from stretto.proxy.http.mirrored import VERSION
from stretto.proxy.http.spelling import elements
from stretto.proxy.http.stateless import Stateless, is_stateless
from stretto.proxy.notes import note

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600
_ALLOWED = {False: b"GET, POST, DELETE", True: b"POST"}
"""What may be done, by whether it is of the stateless era."""
_DATE = "0000-00-00"


class StdioServers:
    """
    Answers requests with processes that it starts.

    Args:
        command: Starts one.
        idle_s: After how many seconds without a request a session's process ends.
        most: How many sessions there may be at once.
    """

    def __init__(
        self, command: Sequence[str], *, idle_s: float = IDLE_S, most: int = MOST
    ) -> None:
        self._command, self._idle_s, self._most = command, idle_s, most
        self._sessions: dict[str, LegacySession] = {}
        self._stateless = Stateless(command)
        self._ending: set[asyncio.Task[None]] = set()

    async def ask(self, method: str, headers: Headers, body: bytes) -> Answer:
        """What a process answers."""
        return await self._ask(method, headers, body, is_own=False)

    async def ask_for_proxy(self, method: str, headers: Headers, body: bytes) -> Answer:
        """What a process answers to the proxy itself: only what is asked for."""
        return await self._ask(method, headers, body, is_own=True)

    def retire(self) -> None:
        """End the sessions whose process has ended, or that nobody uses."""
        before = asyncio.get_running_loop().time() - self._idle_s
        for session in [*self._sessions.values()]:
            is_idle = session.used_s < before and not session.is_busy
            if session.has_ended or is_idle:
                self._end(session, "the session was idle")
        if self._stateless.used_s < before and not self._stateless.is_busy:
            self._later(self._stateless.end("nobody asked for long"))

    async def _ask(
        self, method: str, headers: Headers, body: bytes, *, is_own: bool
    ) -> Answer:
        self.retire()
        version = first(headers, VERSION)
        if method == "POST":
            return await self._post(headers, body, version, is_own=is_own)
        is_modern = is_stateless((), version)
        if is_modern or method not in ("GET", "DELETE"):
            return Plain(
                HTTPStatus.METHOD_NOT_ALLOWED,
                headers=[(b"allow", _ALLOWED[is_modern])],
            )
        return self._get_or_delete(method, headers)

    async def close(self) -> None:
        """End all processes."""
        for session in [*self._sessions.values()]:
            self._end(session, "the proxy has ended")
        self._later(self._stateless.end("the proxy has ended"))
        await asyncio.gather(*self._ending)

    async def _post(
        self, headers: Headers, body: bytes, version: str | None, *, is_own: bool
    ) -> Answer:
        if media_type(headers) != JSON_TYPE:
            return Plain(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        batch = elements(body)
        messages = [*map(Message.of, [body] if batch is None else batch)]
        if (refusal := _malformed(body, messages)) is not None:
            return refusal
        try:
            if batch is None and is_stateless(messages, version):
                message = messages[0]
                return await self._stateless.post(message, headers, is_own=is_own)
            return await self._post_in_session(
                messages, headers, is_batch=batch is not None, is_own=is_own
            )
        except CannotStart as cause:
            note(str(cause))
            said = error(messages[0].id or b"null", SERVER_FAILED, str(cause))
            return Plain(HTTPStatus.SERVICE_UNAVAILABLE, said)

    def _get_or_delete(self, method: str, headers: Headers) -> Answer:
        named = first(headers, SESSION)
        if named is None:
            return _invalid("Mcp-Session-Id is missing")
        if (session := self._sessions.get(named)) is None:
            return unknown_session(None)
        if method == "DELETE":
            self._end(session, "the client has ended the session")
            return Plain(HTTPStatus.OK)
        if STREAM_TYPE not in (first(headers, b"accept") or ""):
            return Plain(HTTPStatus.NOT_ACCEPTABLE)
        return session.get()

    async def _post_in_session(
        self,
        messages: Sequence[Message],
        headers: Headers,
        *,
        is_batch: bool,
        is_own: bool,
    ) -> Answer:
        named = first(headers, SESSION)
        if not _is_date(first(headers, VERSION) or _DATE):
            return _invalid("the protocol's versions are dates", messages[0].id)
        opens = any(message.method == "initialize" for message in messages)
        if opens and (is_batch or named is not None):
            return _invalid("initialize comes alone, and in no session")
        if not opens and named is None:
            return _invalid("Mcp-Session-Id is missing", messages[0].id)
        session = self._open() if opens else self._sessions.get(named or "")
        if session is None and opens:
            why = f"there are {self._most} sessions already"
            said = error(messages[0].id or b"null", SERVER_FAILED, why)
            return Plain(HTTPStatus.SERVICE_UNAVAILABLE, said)
        if session is None:
            return unknown_session(messages[0].id)
        return await session.post(messages, headers, is_batch=is_batch, is_own=is_own)

    def _open(self) -> LegacySession | None:
        if len(self._sessions) >= self._most:
            return None
        session = LegacySession(secrets.token_hex(16), self._command)
        self._sessions[session.id] = session
        return session

    def _end(self, session: LegacySession, why: str) -> None:
        del self._sessions[session.id]
        self._later(session.end(why))

    def _later(self, ending: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(ending)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _malformed(body: bytes, messages: Sequence[Message]) -> Plain | None:
    """Why a body is not taken; None where it is."""
    if not messages:
        return _invalid("an empty batch")
    if all(message.spelled for message in messages):
        return None
    try:
        json.loads(body)
        code, why = _INVALID_REQUEST, "this is no JSON-RPC message"
    except (ValueError, RecursionError):
        code, why = _PARSE_ERROR, "this is no JSON"
    return Plain(HTTPStatus.BAD_REQUEST, error(b"null", code, why))


def _invalid(why: str, id: bytes | None = None) -> Plain:
    said = error(id or b"null", _INVALID_REQUEST, why)
    return Plain(HTTPStatus.BAD_REQUEST, said)


def _is_date(version: str) -> bool:
    digits = "".join("0" if c.isascii() and c.isdigit() else c for c in version)
    return digits == _DATE
