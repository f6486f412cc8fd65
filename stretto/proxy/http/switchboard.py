"""
Many clients' requests to one process, each answer given to whom it is for.

Clients choose ids without knowing of each other, and some use one id for everything.
So each request gets a name that the process has not heard before: it stands for the
id, and for the token under which progress is told. Whatever comes back under a name
has it replaced by what the client had chosen.
"""

import asyncio
import json
from collections.abc import Callable
from typing import NamedTuple

from stretto.proxy.http.asgi import SERVER_FAILED, error
from stretto.proxy.http.message import (
    ASKED_TOKEN,
    ID,
    PROGRESS_TOKEN,
    SUBSCRIPTION,
    Message,
    one_line,
    text,
)
from stretto.proxy.http.spelling import elements, found, spliced
from stretto.proxy.notes import note


class Stream:
    """
    What a client hears on one connection, and the requests that it waits for.

    Args:
        is_own: Whether the client is the proxy itself: it hears answers, and where the
            process cannot answer any more, nothing.
    """

    def __init__(self, *, wants_logs: bool = False, is_own: bool = False) -> None:
        self.names: set[bytes] = set()
        self.wants_logs, self.is_own = wants_logs, is_own
        self._said: asyncio.Queue[bytes | None] = asyncio.Queue()

    def say(self, message: bytes) -> None:
        """Have the client hear this."""
        self._said.put_nowait(message)

    def end(self) -> None:
        """Have it hear nothing more."""
        self._said.put_nowait(None)

    async def next(self) -> bytes | None:
        """What it hears next; None at the end."""
        return await self._said.get()


class _Asked(NamedTuple):
    stream: Stream
    id: bytes
    token: bytes | None


class Switchboard:
    """
    Knows which request is whose.

    Args:
        unclaimed: Says on which stream something is told that belongs to no request;
            None where nobody is to hear it.
    """

    def __init__(self, unclaimed: Callable[[Message], Stream | None]) -> None:
        self._unclaimed = unclaimed
        self._asked: dict[bytes, _Asked] = {}
        self._highest = -1
        self._n_renamed = 0
        self._is_noisy = False

    @property
    def streams(self) -> list[Stream]:
        """Those with requests that wait, in the order in which they came."""
        return [*dict.fromkeys(asked.stream for asked in self._asked.values())]

    def request(self, stream: Stream, message: Message) -> bytes:
        """The line with which the process is asked, its answer awaited by a stream."""
        id = message.id or b"null"
        name = self._new_name(id)
        token = message.meta.get("progressToken")
        self._asked[name] = _Asked(stream, id, token)
        stream.names.add(name)
        return spliced(one_line(message.raw), {ID: name, ASKED_TOKEN: name})

    def name(self, id: bytes) -> bytes | None:
        """What the latest request with that id is called; None if none waits."""
        names = [name for name, asked in self._asked.items() if asked.id == id]
        return names[-1] if names else None

    def hear(self, line: bytes) -> None:
        """Give a line of the process to the stream that it is for."""
        if (batch := elements(line)) is not None:
            for element in batch:
                self.hear(element)
            return
        message = Message.of(line)
        if message.is_answer:
            self._answer(message)
        elif (asked := self._asked.get(found(line, PROGRESS_TOKEN) or b"")) is not None:
            asked.stream.say(spliced(line, {PROGRESS_TOKEN: asked.token or asked.id}))
        elif (asked := self._asked.get(found(line, SUBSCRIPTION) or b"")) is not None:
            asked.stream.say(spliced(line, {SUBSCRIPTION: asked.id}))
        elif message.method is None:
            self._note_noise()
        elif (stream := self._unclaimed(message)) is not None:
            stream.say(line)

    def leave(self, stream: Stream) -> list[bytes]:
        """Forget what a stream waits for, and name it."""
        names = [name for name in self._asked if name in stream.names]
        for name in names:
            del self._asked[name]
        return names

    def close(self, why: str) -> None:
        """Answer all that wait with an error."""
        for name, asked in [*self._asked.items()]:
            if asked.stream.is_own:
                del self._asked[name]
                asked.stream.end()
                continue
            answer = error(name, SERVER_FAILED, why)
            self._answer(Message.of(answer))

    def _note_noise(self) -> None:
        if not self._is_noisy:
            self._is_noisy = True
            note(
                "the server says things that are no messages; clients do not hear them"
            )

    def _answer(self, message: Message) -> None:
        asked = self._asked.pop(message.id or b"", None)
        if asked is None:
            return
        stream = asked.stream
        stream.names.discard(message.id or b"")
        paths = {ID: asked.id, ("result", *SUBSCRIPTION[1:]): asked.id}
        stream.say(spliced(message.raw, paths))
        if not stream.names:
            stream.end()

    def _new_name(self, id: bytes) -> bytes:
        """The id itself where it is a number above all before; else one made of it."""
        if id.isdigit() and len(id) < 16 and int(id) > self._highest:
            self._highest = int(id)
            return id
        self._n_renamed += 1
        plain = text(id) or id.decode(errors="replace")
        return json.dumps(f"{plain}#{self._n_renamed}").encode()
