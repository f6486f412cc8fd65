"""What a JSON-RPC message says: a request, an answer, or neither."""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from stretto.canonical import Json, compact

Message: TypeAlias = dict[str, Json]

_META = "_meta"
_CLIENT = "io.modelcontextprotocol/clientInfo"
_SERVER = "io.modelcontextprotocol/serverInfo"
"""Where each message of the stateless era says whose it is."""


class Answer(NamedTuple):
    """What a response says about a call."""

    error: bool
    content: str


def parts(message: Json) -> Iterator[Message]:
    """The messages of one line, a batch's in order; whatever is no object left out."""
    for part in message if isinstance(message, list) else [message]:
        if isinstance(part, dict):
            yield part


def request_key(message: Message) -> str | None:
    """
    A request's id as JSON text; None where the message is no request.

    As text, `1` and `"1"` are two ids, which they are.
    """
    return _key(message) if isinstance(message.get("method"), str) else None


def response_key(message: Message) -> str | None:
    """The id of the request a response answers, as JSON text; None for the rest."""
    answers = "result" in message or message.get("error") is not None
    return _key(message) if answers and "method" not in message else None


def params(message: Message) -> Message:
    """A request's parameters, empty where it has none."""
    return fields(message, "params")


def fields(value: Json, *path: str) -> Message:
    """The object at `path` in `value`, empty where there is none."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def client_named(request: Message) -> str | None:
    """
    What the host calls itself in a request; None where that does not say.

    With `initialize` it says so once, and in the stateless era in every request.
    """
    about = fields(request, "params", "clientInfo")
    if request.get("method") != "initialize":
        about = fields(request, "params", _META, _CLIENT)
    return _text(about.get("name"))


def server_named(response: Message, *, greets: bool) -> str | None:
    """
    What the server calls itself in an answer; None where that does not say.

    Args:
        greets: Whether the answer is to `initialize`, which has a place of its own.
    """
    where = ("serverInfo",) if greets else (_META, _SERVER)
    return _text(fields(response, "result", *where).get("name"))


def answer(response: Message) -> Answer:
    """
    What a response says.

    The text items of a result, one a line; where it has none, its structured content,
    or else all of it, as JSON. An error says its message.
    """
    if (error := response.get("error")) is not None:
        said = fields(error).get("message")
        return Answer(True, said if isinstance(said, str) else compact(error))
    result = response.get("result")
    return Answer(fields(result).get("isError") is True, _content(result))


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _key(message: Message) -> str | None:
    id_ = message.get("id")
    if type(id_) is int and 0 <= id_ < 2**53:  # nearly always, and said often
        return str(id_)
    return None if id_ is None else compact(id_)


def _content(result: Json) -> str:
    items = fields(result).get("content")
    texts = [
        text
        for item in (items if isinstance(items, list) else [])
        if fields(item).get("type") == "text"
        and isinstance(text := fields(item).get("text"), str)
    ]
    if texts:
        return "\n".join(texts)
    structured = fields(result).get("structuredContent")
    return compact(result if structured is None else structured)
