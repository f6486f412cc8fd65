"""Counting rules: which calls a lookup answers, and how long it holds."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stretto.canonical import Json, text
from stretto.episodes.content import parse
from stretto.evaluate.made import Key, Made, Recorded, key, same


@dataclass(frozen=True, slots=True)
class Rule:
    """
    What counts as a call that is made already.

    By the current rule: a call that a lookup with the same key has answered, with one
    call to a lookup, and none across a write unless the result is still the recorded
    one. Figures by different rules are not to be compared.
    """

    is_legacy: bool = False
    """Any call that anyone made before, the agent's own repeats included."""
    same_result: bool = False
    """Also one whose result a lookup of its tool had, with arguments that agree."""
    by_record: bool = False
    """A write leaves lookups in force that share no value with its arguments."""
    equal_numbers: bool = False
    """Arguments 1 and 1.0 are the same."""

    @property
    def name(self) -> str:
        """What outputs call it: `current` or `legacy`, and what differs from that."""
        changed = {
            "same-result": self.same_result,
            "by-record": self.by_record,
            "equal-numbers": self.equal_numbers,
        }
        told = [name for name, is_so in changed.items() if is_so]
        return "+".join(["legacy" if self.is_legacy else "current", *told])

    def key(self, tool: str, arguments: Json) -> Key:
        """A call's key; calls of equal keys are the same call."""
        return key(tool, _whole(arguments) if self.equal_numbers else arguments)

    def hit(self, made: Sequence[Made], recorded: Recorded) -> int | None:
        """The first lookup, by its place, that answers the call."""
        for place, lookup in enumerate(made):
            if lookup.key == recorded.key and self._holds(lookup, recorded):
                return place
        if self.same_result:
            for place, lookup in enumerate(made):
                if _returned_it(lookup, recorded):
                    return place
        return None

    def skips(self, recorded: Recorded, calls: Sequence[Recorded]) -> bool:
        """Whether a call that no lookup answers is skipped all the same."""
        if not self.is_legacy:
            return False
        return any(call.key == recorded.key for call in calls[: recorded.position])

    def aged(self, made: Sequence[Made], write: Recorded) -> tuple[Made, ...]:
        """The lookups after a write, those it may have changed stale."""
        return tuple([
            m._replace(stale=m.stale or self.touches(write, m.key, m.content))
            for m in made
        ])  # fmt: skip

    def touches(self, write: Recorded, read: Key, content: str) -> bool:
        """
        Whether a write may have changed what a read returned.

        By record, only where one of its arguments' values is among the read's arguments
        or in its result, or where that cannot be told.
        """
        if not self.by_record:
            return True
        named = set(_leaves(write.call.arguments))
        found = parse(content)
        if not named or found is None:
            return True
        shown = {*_leaves(json.loads(read.arguments)), *_leaves(found.value)}
        return not named.isdisjoint(shown)

    def _holds(self, lookup: Made, recorded: Recorded) -> bool:
        """Whether a lookup of the call's key answers it."""
        if lookup.used or self.is_legacy:
            return not lookup.used
        if not lookup.exact:
            return False
        return not lookup.stale or same(lookup.content, recorded.result)


CURRENT = Rule()


def _returned_it(lookup: Made, recorded: Recorded) -> bool:
    """Whether another lookup of the call's tool returned what the call did."""
    if lookup.used or not lookup.exact or lookup.error:
        return False
    result = recorded.result
    if lookup.key.tool != recorded.key.tool or result is None or result.error:
        return False
    one, other = json.loads(lookup.key.arguments), json.loads(recorded.key.arguments)
    if not isinstance(one, dict) or not isinstance(other, dict):
        return False
    agree = all(one[name] == other[name] for name in one.keys() & other.keys())
    return agree and same(lookup.content, result)


def _whole(value: Json) -> Json:
    """The value with floats that are whole as integers."""
    match value:
        case dict():
            return {name: _whole(item) for name, item in value.items()}
        case list():
            return [_whole(item) for item in value]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value


def _leaves(value: Json) -> Iterator[str]:
    """The strings and numbers in a value, as text; no empty ones."""
    match value:
        case dict():
            for item in value.values():
                yield from _leaves(item)
        case list():
            for item in value:
                yield from _leaves(item)
        case bool() | None | "":
            return
        case _:
            yield text(value)
