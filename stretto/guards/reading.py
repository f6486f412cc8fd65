"""What rules read of arguments and records, whose shapes nobody promised."""

from collections.abc import Iterable
from datetime import date, datetime

from stretto.canonical import Json
from stretto.episodes.episode import ToolCall
from stretto.guards.facts import Facts, Record


def argument(call: ToolCall, name: str) -> Json:
    """A call's argument; None where it has none of that name."""
    return call.arguments.get(name) if isinstance(call.arguments, dict) else None


def named(facts: Facts, kind: str, call: ToolCall) -> Record | None:
    """The record of a kind that the call's argument `KIND_id` names, if it was read."""
    name = argument(call, f"{kind}_id")
    return None if name is None else facts.record(kind, name)


def texts(value: Json) -> list[str] | None:
    """A list of strings; None for what is none."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [str(item) for item in value]
    return None


def objects(value: Json) -> list[Record]:
    """The objects of a list; none for what is no list."""
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]


def records(value: Json) -> dict[str, Record]:
    """An object's members that are objects; none for what is no object."""
    given = value if isinstance(value, dict) else {}
    return {key: item for key, item in given.items() if isinstance(item, dict)}


def keys(value: Json) -> set[str]:
    """An object's keys; none for what is no object."""
    return set(value) if isinstance(value, dict) else set()


def methods(users: Iterable[Record]) -> set[str]:
    """The ids of these users' payment methods."""
    return set().union(*(keys(user.get("payment_methods")) for user in users))


def moment(value: Json) -> datetime | None:
    """An ISO 8601 text as a time; None for what is none."""
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def day(value: Json) -> date | None:
    """The day of an ISO 8601 date or time; None for what is none."""
    found = moment(value)
    return None if found is None else found.date()
