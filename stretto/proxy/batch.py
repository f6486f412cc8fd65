"""Batches of messages, out of which the proxy takes what is for itself."""

from collections.abc import Container
from typing import NamedTuple

from stretto.canonical import Json
from stretto.proxy.splice import edited, whole, without_items
from stretto.traces.messages import Message, response_key


class Part(NamedTuple):
    """A message in a batch."""

    message: Message
    key: str | None
    """For a response, the request that it answers."""
    is_own: bool
    """Whether that is the proxy's own."""


class Batch(NamedTuple):
    """A batch, taken apart."""

    parts: list[Part]
    rest: bytes | None
    """The line without what is the proxy's own; None where nothing is left."""


def taken_apart(line: bytes, batch: list[Json], own: Container[str]) -> Batch:
    """A line that is a batch; what is not the proxy's own keeps its spelling."""
    parts: list[Part] = []
    dropped: list[int] = []
    for at, message in enumerate(batch):
        if isinstance(message, dict):
            key = response_key(message)
            is_own = key is not None and key in own
            parts.append(Part(message, key, is_own))
            dropped += [at] * is_own
    if not dropped:
        return Batch(parts, line)
    if len(dropped) == len(batch):
        return Batch(parts, None)
    text = line.decode()
    rest = edited(text, without_items(text, whole(text), dropped))
    return Batch(parts, rest.encode())
