"""
The headers that repeat what a request's body says, checked against the body.

The stateless era has them so that what is on the way need not read bodies. A server on
standard input never sees them, so whoever talks HTTP in its place has to check.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from stretto.canonical import Json
from stretto.proxy.http.headers import Headers
from stretto.proxy.http.message import VERSION_KEY, Message, text

VERSION = b"mcp-protocol-version"
PARAMETER = "mcp-param-"

_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""What `Mcp-Name` repeats, by the method."""
_PLAIN = re.compile(r"[\x20-\x7e]*")
_ENCODED = re.compile(r"=\?base64\?(.*)\?=")


def mismatch(message: Message, headers: Headers) -> str | None:
    """How a header says something else than the body; None where none does."""
    said = {
        "mcp-protocol-version": text(message.meta.get(VERSION_KEY)),
        "mcp-method": message.method,
    }
    if (key := _NAMED.get(message.method or "")) is not None:
        said["mcp-name"] = text(message.params.get(key))
    for name, value in said.items():
        given = _values(headers, name)
        if len(given) > 1:
            return f"{name} is there {len(given)} times"
        if value is not None and [*map(decoded, given)] != [value]:
            return f"{name} does not say what the body says"
    return None


def mismatched_parameter(
    schema: Json, arguments: Mapping[str, Any], headers: Headers
) -> str | None:
    """How an `Mcp-Param-*` header says something else than an argument."""
    for path, token in marked(schema):
        name = PARAMETER + token.lower()
        given = _values(headers, name)
        value = _spelled(_at(arguments, path))
        wanted = [] if value is None else [value]
        if [*map(decoded, given)] != wanted:
            return f"{name} does not say what the argument {'.'.join(path)} says"
    return None


def mirrored(message: Message, schema: Json) -> Headers:
    """
    The headers with which a request of the stateless era is sent.

    Args:
        schema: The input schema of the tool that it calls; None where it is not known.
    """
    said = {
        VERSION: text(message.meta.get(VERSION_KEY)),
        b"mcp-method": message.method,
    }
    if (key := _NAMED.get(message.method or "")) is not None:
        said[b"mcp-name"] = text(message.params.get(key))
    arguments = _loaded(message.params.get("arguments"))
    for path, token in marked(schema):
        said[PARAMETER.encode() + token.lower().encode()] = _spelled(
            _at(arguments, path)
        )
    return [(name, encoded(value)) for name, value in said.items() if value is not None]


def marked(schema: Json) -> Iterator[tuple[tuple[str, ...], str]]:
    """The arguments that a tool's schema wants repeated, each with its header's end."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, within in (properties if isinstance(properties, dict) else {}).items():
        if not isinstance(within, dict):
            continue
        if isinstance(token := within.get("x-mcp-header"), str):
            yield (name,), token
        for path, token in marked(within):
            yield (name, *path), token


def encoded(value: str) -> bytes:
    """A header's value that stands for a text."""
    is_plain = _PLAIN.fullmatch(value) and value == value.strip()
    if is_plain and not _ENCODED.fullmatch(value):
        return value.encode()
    raw = value.encode("utf-8", "replace")
    return b"=?base64?" + base64.b64encode(raw) + b"?="


def decoded(value: str) -> str | None:
    """What a header's value stands for; None where its encoding is broken."""
    if (encoded := _ENCODED.fullmatch(value)) is None:
        return value
    try:
        raw = base64.b64decode(encoded[1], validate=True)
        is_canonical = base64.b64encode(raw).decode() == encoded[1]
        return raw.decode() if is_canonical else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def _values(headers: Headers, name: str) -> list[str]:
    wanted = name.encode()
    return [
        value.decode("latin-1").strip() for found, value in headers if found == wanted
    ]


def _at(arguments: object, path: tuple[str, ...]) -> Any:
    value: Any = arguments
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _loaded(spelled: bytes | None) -> object:
    try:
        return json.loads(spelled or b"null")
    except ValueError:
        return None


def _spelled(value: Any) -> str | None:
    """An argument as a header says it; None where it is left out."""
    if value is None or isinstance(value, dict | list):
        return None
    return value if isinstance(value, str) else json.dumps(value)
