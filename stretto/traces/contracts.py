"""A tool's input contract: what its callers rely on, on one line."""

from stretto.canonical import Json
from stretto.traces.messages import fields


def contract(tool: Json) -> str | None:
    """
    A listed tool's arguments as `NAME:TYPE`, sorted, `!` after each required one.

    Types that allow several are joined by `|`; a type left open is `any`. None where
    the tool has no input schema.
    """
    if fields(tool).get("inputSchema") is None:
        return None
    schema = fields(tool, "inputSchema")
    required = schema.get("required")
    names = required if isinstance(required, list) else []
    return ", ".join(
        sorted(
            f"{name}:{_type(property_)}{'!' if name in names else ''}"
            for name, property_ in fields(schema, "properties").items()
        )
    )


def _type(schema: Json) -> str:
    match fields(schema).get("type"):
        case str(kind):
            return kind
        case [*kinds]:
            return "|".join(k for k in kinds if isinstance(k, str)) or "any"
        case _:
            return "any"
