"""A record in one line, to stand as an option."""

from stretto.canonical import Json, text

MAX_LISTED = 4
"""How many items of an array are told."""


def describe(record: Json) -> str:
    """A record in one line: its fields in order of their names."""
    if not isinstance(record, dict):
        return text(record)
    return "; ".join(f"{key}: {_field(record[key])}" for key in sorted(record))


def _field(value: Json) -> str:
    match value:
        case dict():
            return ", ".join(f"{key} {text(value[key])}" for key in sorted(value))
        case list():
            return "; ".join(map(_listed, value[:MAX_LISTED]))
        case _:
            return text(value)


def _listed(item: Json) -> str:
    if not isinstance(item, dict):
        return text(item)
    scalars = (item[key] for key in sorted(item))
    return " ".join(text(v) for v in scalars if not isinstance(v, dict | list))
