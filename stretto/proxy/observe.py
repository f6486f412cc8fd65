"""What a line says, as far as a proxy that acts has to know."""

import json
from collections.abc import Mapping

from stretto.canonical import Json
from stretto.proxy.entry import verbatim
from stretto.proxy.journal import LONGEST
from stretto.traces.messages import Message, fields, params

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)

MODERN = "io.modelcontextprotocol/"
"""How the keys begin with which a request of the stateless era says what it is."""


def observed(line: bytes) -> Json:
    """
    A line's JSON; None where it is none, or none that the session log would keep.

    What the log has as text is no message to whoever reads it, so it is none here.
    """
    if len(line) > LONGEST or (value := verbatim(line)) is None:
        return None
    found: Json = json.loads(value)
    return found


def spelled(message: Mapping[str, Json]) -> bytes:
    """A message of the proxy's own as a line, keys sorted."""
    return _ENCODER.encode(message).encode() + b"\n"


def era(request: Message) -> Message:
    """
    What a request says of its era, for another request to say the same.

    Empty for one that relies on a handshake. Its progress token is not in it.
    """
    meta = fields(request, "params", "_meta")
    return {key: value for key, value in meta.items() if key.startswith(MODERN)}


def is_complete(response: Message) -> bool:
    """Whether it is a call's result: no error, no task, no question to the user."""
    result = response.get("result")
    return (
        isinstance(result, dict)
        and response.get("error") is None
        and result.get("resultType", "complete") == "complete"
        and "task" not in result
        and "inputRequests" not in result
    )


def is_success(response: Message) -> bool:
    """Whether it is the result of a call that did what it was asked to."""
    has_failed = fields(response, "result").get("isError")
    return is_complete(response) and (has_failed is None or has_failed is False)


def is_task(request: Message) -> bool:
    """Whether a call asks to be run as a task, so that its result is a handle."""
    return "task" in params(request)
