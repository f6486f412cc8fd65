"""
JSON as bytes: the one place where values become text that is hashed or compared.

Keys sorted by code point, separators `,` and `:`, non-ASCII unescaped. Numbers are
spelled as the published files spell them, which differs from Python's `repr` at both
ends: `0.00001` and `1e-6`, `1e16`, never a `+` or a padded exponent.
"""

import json
import re
from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_RESPELL = re.compile(r"[0-9](?:e[+-][0-9]|[0-9]{18})")
"""What only a number that `json` spells differently can hold (or a string, rarely)."""

_I64_MIN, _U64_MAX = -(2**63), 2**64 - 1


def _encoder(*, by_key: bool) -> json.JSONEncoder:
    return json.JSONEncoder(
        sort_keys=by_key, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


_BY_KEY, _AS_IT_STANDS = _encoder(by_key=True), _encoder(by_key=False)


def compact(value: Json) -> str:
    """
    The canonical text of `value`, on one line.

    Raises:
        ValueError: `value` holds NaN or an infinity, which JSON does not have.
    """
    return _line(value, by_key=True)


def in_order(value: Json) -> str:
    """As `compact`, with each object's keys in the order they stand in."""
    return _line(value, by_key=False)


def number(value: int | float) -> str:
    """The canonical spelling of a number."""
    if isinstance(value, int):
        if _I64_MIN <= value <= _U64_MAX:
            return str(value)
        try:
            value = float(value)
        except OverflowError:
            return str(value)  # beyond a float too: the digits are all there is
    mantissa, _, exponent = repr(value).partition("e")
    if not exponent:
        return mantissa
    if exponent == "-05":
        sign = "-" if mantissa.startswith("-") else ""
        return f"{sign}0.0000{mantissa.lstrip('-').replace('.', '')}"
    return f"{mantissa}e{int(exponent)}"


def text(value: Json) -> str:
    """A string as it is, any other value as its canonical text."""
    return value if isinstance(value, str) else compact(value)


def sort_keys(value: Json) -> Json:
    """`value` with every object's keys sorted by code point, at every depth."""
    match value:
        case dict():
            return {k: sort_keys(value[k]) for k in sorted(value)}
        case list():
            return [sort_keys(item) for item in value]
        case _:
            return value


def _line(value: Json, *, by_key: bool) -> str:
    text = (_BY_KEY if by_key else _AS_IT_STANDS).encode(value)
    if not _RESPELL.search(text):
        return text
    return _spell(sort_keys(value) if by_key else value)


def _spell(value: Json) -> str:
    match value:
        case dict():
            pairs = (
                f"{json.dumps(k, ensure_ascii=False)}:{_spell(v)}"
                for k, v in value.items()
            )
            return "{" + ",".join(pairs) + "}"
        case list():
            return "[" + ",".join(map(_spell, value)) + "]"
        case bool() | None | str():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return number(value)
