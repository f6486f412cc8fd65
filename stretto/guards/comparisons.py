"""What rule files say of two values; where it does not suit them, it is not known."""

from collections import Counter

from stretto.canonical import Json, compact
from stretto.guards.paths import NotKnown
from stretto.guards.reading import day
from stretto.guards.terms import listed, same


def is_in(value: Json, those: Json) -> bool:
    """Whether a value is one of those in a list."""
    return any(same(value, each) for each in listed(those, "what it is to be in"))


def is_every_in(values: Json, those: Json) -> bool:
    """Whether each value of a list is one of those in the other."""
    kept = {compact(each) for each in listed(those, "what they are to be in")}
    return all(compact(each) in kept for each in listed(values, "what is to be in it"))


def is_among(values: Json, those: Json) -> bool:
    """Whether one list holds what the other does, each as often."""
    left = Counter(map(compact, listed(values, "what is to be among it")))
    return not left - Counter(map(compact, listed(those, "what it is to be among")))


def contains(whole: Json, part: Json) -> bool:
    """Whether a text holds another."""
    return _text(part) in _text(whole)


def starts(whole: Json, part: Json) -> bool:
    """Whether a text begins with another."""
    return _text(whole).startswith(_text(part))


def is_at_most(one: Json, other: Json) -> bool:
    """Whether a number is no larger than another."""
    return _number(one) <= _number(other)


def is_at_least(one: Json, other: Json) -> bool:
    """Whether a number is no smaller than another."""
    return _number(one) >= _number(other)


def is_before(times: Json, other: Json) -> bool:
    """Whether a time, or one of several, is of an earlier day."""
    end = day(other)
    days = [day(time) for time in (times if isinstance(times, list) else [times])]
    if end is None or None in days:
        raise NotKnown("what is compared is no date")
    return any(each is not None and each < end for each in days)


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise NotKnown("what is compared is no text")
    return value


def _number(value: Json) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotKnown("what is compared is no number")
    return value
