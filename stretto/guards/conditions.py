"""
The conditions of a rule file, true, false or not known.

What is not known stays so unless the rest decides: `all` is false as soon as one part
is false, `any` true as soon as one is true, whatever is not known beside it.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TypeAlias

from stretto.canonical import Json
from stretto.files import Node
from stretto.guards.agreed import agreed
from stretto.guards.comparisons import (
    contains,
    is_among,
    is_at_least,
    is_at_most,
    is_before,
    is_every_in,
    is_in,
    starts,
)
from stretto.guards.paths import NotKnown, at, path
from stretto.guards.reading import moment
from stretto.guards.shapes import head, names, shallow, yes
from stretto.guards.terms import Moment, key_of, same, term, terms
from stretto.guards.verdict import Outcome, Verdict, unknown, unless

Condition: TypeAlias = Callable[[Moment], bool]
"""Says whether it is so, or raises NotKnown."""


def condition(node: Node) -> Condition:
    """
    A condition as a file spells it.

    Raises:
        FormatError: it is none.
    """
    shallow(node)
    return CONDITIONS[head(node, CONDITIONS, "a condition")](node)


def verdict(condition: Condition, reason: str, moment: Moment) -> Verdict:
    """What a condition makes of a call: a failure, for `reason`, where it is false."""
    try:
        return unless(condition(moment), reason)
    except NotKnown as what:
        return unknown(str(what))


def _all(node: Node) -> Condition:
    return _joined(node, "all", decides=False)


def _any(node: Node) -> Condition:
    return _joined(node, "any", decides=True)


def _joined(node: Node, name: str, *, decides: bool) -> Condition:
    node.only(name)
    parts = [condition(part) for part in node[name].array()]
    if not parts:
        node[name].wanted("a list of at least one condition")

    def is_so(moment: Moment) -> bool:
        open_: NotKnown | None = None
        for part in parts:
            try:
                if part(moment) is decides:
                    return decides
            except NotKnown as what:
                open_ = open_ or what
        if open_ is not None:
            raise open_
        return not decides

    return is_so


def _not(node: Node) -> Condition:
    node.only("not")
    inside = condition(node["not"])
    return lambda moment: not inside(moment)


def _two(name: str, holds: Callable[[Json, Json], bool]) -> Callable[[Node], Condition]:
    """A condition on two values."""

    def made(node: Node) -> Condition:
        node.only(name)
        one, other = terms(node[name], 2)
        return lambda moment: holds(one(moment), other(moment))

    return made


def _within(node: Node) -> Condition:
    """Whether a time is at most so many hours ago."""
    node.only("within", "hours")
    when, hours = term(node["within"]), node["hours"].number(0, 1e6)

    def is_so(at: Moment) -> bool:
        time, now = moment(when(at)), at.facts.now
        if time is None or now is None or (time.tzinfo is None) != (now.tzinfo is None):
            raise NotKnown("how long ago that was is not known")
        return now - time <= timedelta(hours=hours)

    return is_so


def _read(node: Node) -> Condition:
    node.only("read", "of")
    kind, key = node["read"].text(), key_of(node)
    return lambda moment: moment.facts.record(kind, *key(moment)) is not None


def _identified(node: Node) -> Condition:
    node.only("identified")
    yes(node["identified"])
    return lambda moment: bool(moment.facts.identities)


def _given(node: Node) -> Condition:
    """Whether the call has the argument, and not as null."""
    node.only("given")
    steps = path(node["given"])

    def is_so(moment: Moment) -> bool:
        try:
            at(moment.call.arguments, steps, "the call")
        except NotKnown:
            return False
        return True

    return is_so


def _done(node: Node) -> Condition:
    """Whether one of these tools was called before, with the same arguments."""
    node.only("done", "same")
    tools, given = frozenset(names(node["done"])), node.get("same")
    steps = [] if given is None else [path(each) for each in given.array()]

    def values(arguments: Json) -> list[Json]:
        return [at(arguments, each, "the call") for each in steps]

    def is_so(moment: Moment) -> bool:
        wanted = values(moment.call.arguments)
        return any(
            _same_or_less(values, made.arguments, wanted)
            for made in moment.facts.done
            if made.tool in tools
        )

    return is_so


def _same_or_less(
    values: Callable[[Json], list[Json]], arguments: Json, wanted: list[Json]
) -> bool:
    """Whether an earlier call passed these values; one without them did not."""
    try:
        return same(values(arguments), wanted)
    except NotKnown:
        return False


def _agreed(node: Node) -> Condition:
    """Whether the customer's last message agrees, by the list of words."""
    node.only("agreed", "questions")
    yes(node["agreed"])
    given = node.get("questions")
    if given is not None and given.value != "unknown":
        given.wanted("`unknown`, or left out")

    def is_so(moment: Moment) -> bool:
        found = agreed(moment.facts, doubts_questions=given is not None)
        if found.outcome is Outcome.UNKNOWN:
            raise NotKnown(found.reason)
        return found.outcome is Outcome.PASS

    return is_so


CONDITIONS: Mapping[str, Callable[[Node], Condition]] = {
    "agreed": _agreed,
    "all": _all,
    "among": _two("among", is_among),
    "any": _any,
    "at_least": _two("at_least", is_at_least),
    "at_most": _two("at_most", is_at_most),
    "before": _two("before", is_before),
    "contains": _two("contains", contains),
    "done": _done,
    "equal": _two("equal", same),
    "every_in": _two("every_in", is_every_in),
    "given": _given,
    "identified": _identified,
    "in": _two("in", is_in),
    "not": _not,
    "read": _read,
    "starts": _two("starts", starts),
    "within": _within,
}
