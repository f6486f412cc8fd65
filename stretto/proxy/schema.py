"""Whether a tool's structured results may hold one key more than its schema names."""

from enum import Enum, auto

from stretto.canonical import Json

RESERVED = "_also_looked_up"
"""The key of a structured result under which lookups are added."""

_CLOSING = ("additionalProperties", "unevaluatedProperties")
_UNCLEAR = (
    "$dynamicRef",
    "$ref",
    "allOf",
    "anyOf",
    "const",
    "dependencies",
    "dependentSchemas",
    "else",
    "enum",
    "if",
    "maxProperties",
    "not",
    "oneOf",
    "patternProperties",
    "propertyNames",
    "then",
)
"""What can forbid a key in ways that are not looked into."""


class Room(Enum):
    """What a schema says of a key that it does not name."""

    OPEN = auto()
    """It is allowed."""
    CLOSED = auto()
    """It would be, were it named."""
    UNCLEAR = auto()


def room(schema: Json) -> Room:
    """What an output schema says of the reserved key; a tool without one is open."""
    if schema is None:
        return Room.OPEN
    if not isinstance(schema, dict) or any(key in schema for key in _UNCLEAR):
        return Room.UNCLEAR
    named = schema.get("properties", {})
    if not isinstance(named, dict) or RESERVED in named:
        return Room.UNCLEAR
    closing = [schema[key] for key in _CLOSING if key in schema]
    if any(value is not True and value is not False for value in closing):
        return Room.UNCLEAR
    return Room.CLOSED if False in closing else Room.OPEN
