"""
The values of a rule file: of arguments, of records that were read, of the session.

A term is a constant, or an object whose one key says what it stands for.
"""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from stretto.canonical import Json, compact
from stretto.episodes.episode import ToolCall
from stretto.files import Node
from stretto.guards.facts import Facts, Record
from stretto.guards.paths import NotKnown, Path, at, path
from stretto.guards.shapes import MOST, head, shallow, yes


class Moment(NamedTuple):
    """A call that is about to be made, and the facts before it."""

    facts: Facts
    call: ToolCall


Term: TypeAlias = Callable[[Moment], Json]
"""Gives a value, or raises NotKnown."""


def term(node: Node) -> Term:
    """
    A term as a file spells it.

    Raises:
        FormatError: it is none.
    """
    shallow(node)
    if isinstance(node.value, dict):
        return TERMS[head(node, TERMS, "a value")](node)
    return _constant(node)


def terms(node: Node, n: int) -> list[Term]:
    """So many terms, in a list."""
    return [term(item) for item in node.array(n)]


def listed(value: Json, what: str) -> list[Json]:
    """
    A list.

    Raises:
        NotKnown: it is none.
    """
    if not isinstance(value, list):
        raise NotKnown(f"{what} is no list")
    return value


def key_of(node: Node) -> Callable[[Moment], list[Json]]:
    """The key of a record: `of`, an argument or several."""
    of = node["of"]
    parts = of.array() if isinstance(of.value, list) else [of]
    steps = [path(part) for part in parts]
    return lambda moment: [_argument(moment, each) for each in steps]


def _constant(node: Node) -> Term:
    value = node.value
    items = value if isinstance(value, list) else [value]
    if len(items) > MOST:
        node.wanted(f"at most {MOST} values")
    if not all(map(_is_plain, items)):
        node.wanted("a text, a number, true, false, or a list of these")
    return lambda _: value


def _is_plain(value: Json) -> bool:
    return isinstance(value, str | int) or (
        isinstance(value, float) and math.isfinite(value)
    )


def _argument_term(node: Node) -> Term:
    node.only("argument")
    steps = path(node["argument"])
    return lambda moment: _argument(moment, steps)


def _record(node: Node) -> Term:
    node.only("record", "of", "at")
    kind, key, steps = node["record"].text(), key_of(node), _at(node)

    def value(moment: Moment) -> Json:
        record = moment.facts.record(kind, *key(moment))
        if record is None:
            raise NotKnown(f"the {kind} was not looked up")
        return at(record, steps, f"the {kind}")

    return value


def _each(node: Node) -> Term:
    node.only("each", "identified", "at")
    kind, steps = node["each"].text(), _at(node)
    given = node.get("identified")
    is_own = given is not None and given.boolean()

    def values(moment: Moment) -> Json:
        found = moment.facts.records(kind)
        own = moment.facts.identities
        read = [record for key, record in found.items() if not is_own or key in own]
        if not read:
            raise NotKnown(f"no {kind} was looked up")
        return _all_of(read, steps, kind)

    return values


def _ids(node: Node) -> Term:
    node.only("ids")
    kind = node["ids"].text()

    def values(moment: Moment) -> Json:
        if not (found := moment.facts.records(kind)):
            raise NotKnown(f"no {kind} was looked up")
        return [*found]

    return values


def _identities(node: Node) -> Term:
    node.only("identities")
    yes(node["identities"])

    def values(moment: Moment) -> Json:
        if not moment.facts.identities:
            raise NotKnown("no customer has been identified")
        return [*moment.facts.identities]

    return values


def _keys(node: Node) -> Term:
    node.only("keys")
    inside = term(node["keys"])

    def values(moment: Moment) -> Json:
        value = inside(moment)
        items = value if isinstance(value, list) else [value]
        return [key for item in items if isinstance(item, dict) for key in item]

    return values


def _count(node: Node) -> Term:
    node.only("count", "starts")
    inside, given = term(node["count"]), node.get("starts")
    prefix = None if given is None else given.text()

    def value(moment: Moment) -> Json:
        items = listed(inside(moment), "what is counted")
        if prefix is None:
            return len(items)
        return sum(isinstance(x, str) and x.startswith(prefix) for x in items)

    return value


def _now(node: Node) -> Term:
    node.only("now")
    yes(node["now"])

    def value(moment: Moment) -> Json:
        if moment.facts.now is None:
            raise NotKnown("nobody says what time it is")
        return moment.facts.now.isoformat()

    return value


TERMS: Mapping[str, Callable[[Node], Term]] = {
    "argument": _argument_term,
    "count": _count,
    "each": _each,
    "identities": _identities,
    "ids": _ids,
    "keys": _keys,
    "now": _now,
    "record": _record,
}


def same(one: Json, other: Json) -> bool:
    """Whether two values are one; a number is no text, and true is no number."""
    return compact(one) == compact(other)


def _at(node: Node) -> Path:
    given = node.get("at")
    return () if given is None else path(given)


def _argument(moment: Moment, steps: Path) -> Json:
    return at(moment.call.arguments, steps, "the call")


def _all_of(read: list[Record], steps: Path, kind: str) -> list[Json]:
    """What stands at a path in each record, where there is something."""
    found: list[Json] = []
    for record in read:
        try:
            value = at(record, steps, f"the {kind}")
        except NotKnown:
            continue
        found += value if isinstance(value, list) else [value]
    return found
