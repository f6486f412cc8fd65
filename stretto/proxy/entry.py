"""
A line that passed, as a line of the session log.

What is exactly one JSON value stands there as it came, spelling and key order kept;
anything else stands there as text. A log's readers split it at line feeds and parse
each line, so a line is only kept verbatim where the entry around it will read back.
"""

import json
import math
import re
from enum import StrEnum
from typing import NoReturn

from stretto.canonical import Json
from stretto.episodes.content import MAX_DEPTH
from stretto.proxy.lines import Line

VERSION_FIELD = "stretto_mcp_log"
VERSION = 2
PART = "part"
"""The header's field that says which of a session's files it heads, from 2 on."""
LONGEST_ENTRY = 60 * 2**20
"""In characters; readers give up on a log whose lines are longer than 64 Mi."""
GAP, CUT = "notifications/stretto/gap", "notifications/stretto/cut"
"""What an entry from the proxy reports as missing: lines, or the end of one."""

_BLANK = b" \t\r\n"
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')
_LEAF = re.compile(rb"0+|\[\]|\{\}")
_PLAIN = bytes(c if c in b"[]{}" else ord("0") for c in range(256))
_CONTROL_SIZE = 6
"""How many characters JSON needs for one control character."""


class Sender(StrEnum):
    """Who said it, as the log spells it."""

    CLIENT = "client"
    SERVER = "server"
    PROXY = "proxy"
    CONTEXT = "context"


def as_message(t_ms: int, sender: Sender, message: bytes) -> bytes:
    """The log's line for a line that is JSON, as `verbatim` gives it."""
    start = f'{{"t_ms":{t_ms},"from":"{sender}","message":'
    return b"".join((start.encode(), message, b"}\n"))


def as_text(t_ms: int, sender: Sender, line: Line) -> bytes:
    """
    The log's line for a line that is not JSON.

    Bytes that are no text become U+FFFD. Where the line was cut, an entry before it
    says how long it was.
    """
    text = line.data.rstrip(b"\r\n").decode("utf-8", "replace")
    spelled = json.dumps(text, ensure_ascii=False)
    is_whole = line.is_whole
    if len(spelled) > LONGEST_ENTRY:
        is_whole = False
        spelled = json.dumps(text[: LONGEST_ENTRY // _CONTROL_SIZE], ensure_ascii=False)
    cut: dict[str, Json] = {"from": sender, "bytes": line.size}
    notice = b"" if is_whole else report(t_ms, CUT, cut)
    return notice + f'{{"t_ms":{t_ms},"from":"{sender}","raw":{spelled}}}\n'.encode()


def report(t_ms: int, method: str, params: dict[str, Json]) -> bytes:
    """An entry in which the proxy says what the log does not hold."""
    message: Json = {"jsonrpc": "2.0", "method": method, "params": params}
    return _line({"t_ms": t_ms, "from": Sender.PROXY, "message": message})


def header(fields: dict[str, Json]) -> bytes:
    """The log's first line."""
    return _line({VERSION_FIELD: VERSION, **fields})


def verbatim(line: bytes) -> bytes | None:
    """
    The one JSON value that `line` is; None where it is none, or would not read back.

    It would not with a lone half of a surrogate pair, with a number beyond a float, or
    with more than `MAX_DEPTH` levels.
    """
    value = line.strip(_BLANK)
    try:
        text = value.decode()
        _DECODER.decode(text)
        if _ESCAPED_SURROGATE.search(value):
            json.dumps(json.loads(text), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return None if _is_too_deep(value) else value


def _line(value: dict[str, Json]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _is_too_deep(value: bytes) -> bool:
    """
    Whether JSON has more levels than readers take; a scalar is a level of its own.

    Scalars are spelled `0`, and each pass takes the innermost level off.
    """
    if value.count(b"[") + value.count(b"{") < MAX_DEPTH:
        return False
    levels = _STRING.sub(b"0", value).translate(_PLAIN, b",:" + _BLANK)
    for _ in range(MAX_DEPTH):
        levels = _LEAF.sub(b"", levels)
        if not levels:
            return False
    return True


def _finite(digits: str) -> float:
    if math.isinf(number := float(digits)):
        raise ValueError(f"{digits} is beyond a float")
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


# An object's pairs are only counted, so that checking a line takes little more memory
# than the line.
_DECODER = json.JSONDecoder(
    object_pairs_hook=len, parse_float=_finite, parse_constant=_refuse
)
