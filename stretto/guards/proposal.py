"""
An argument that belongs to another record than the one the customer chose.

The customer chooses among records that were shown: by naming one, or by agreeing to
the one that the agent named. What is found is only ever logged.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias

from stretto.canonical import Json, number
from stretto.episodes.episode import ToolCall
from stretto.guards.facts import Facts

_LEAST = 4
"""How many characters a value needs to name a record."""
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|\d+")
_NUMERIC = re.compile(r"\d+(?:\.\d+)?")
_ID = re.compile(r".*_(\d{4,})", re.DOTALL)
_DIGIT = re.compile(r"[0-9]")


class Flag(NamedTuple):
    """A value that another record than the chosen one holds, and its argument."""

    argument: str
    value: str


class Shown:
    """A record: an object, or a plain string or number, among others of its kind."""

    def __init__(self, value: Json) -> None:
        own = value if isinstance(value, dict | list) else [value]
        members = [*own.values()] if isinstance(own, dict) else own
        self.fields = {word for item in members if (word := spelled(item)) is not None}
        self.scalars = {*_scalars(value)}


Group: TypeAlias = list[Shown]


class Text:
    """What was said, in small letters, and the numbers in it."""

    def __init__(self, said: str) -> None:
        self._said = said.lower()

    def holds(self, value: str) -> bool:
        """Whether a value is said: a number whole, an id also by its digits alone."""
        if _NUMERIC.fullmatch(value):
            return _plain(value) in self._numbers
        digits = _ID.fullmatch(value)
        if digits is not None and digits[1] in self._numbers:
            return True
        return value in self._said or value.removeprefix("#") in self._said

    @cached_property
    def _numbers(self) -> set[str]:
        return {_plain(found) for found in _NUMBER.findall(self._said)}


class Choices:
    """
    The records that a session has shown, and which of them were chosen.

    Args:
        facts: The session's, which may go on growing.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts, self._n_seen = facts, 0
        self._latest: dict[str, Group] = {}
        """By value, the latest group in which a record has it among its fields."""

    def flags(self, call: ToolCall) -> list[Flag]:
        """The arguments of a call that look like another record's, in order."""
        self._catch_up()
        given = [*_given(call)]
        passed = {value for _, value in given}
        customer = Text(self._facts.exchange.customer)
        proposal = Text(self._facts.exchange.proposal)
        found: list[Flag] = []
        for argument, value in given:
            group = self._latest.get(value) if _DIGIT.search(value) else None
            chosen = [] if group is None else _chosen(group, customer, proposal)
            held = {word for record in chosen for word in record.fields}
            if chosen and value not in held and passed.isdisjoint(held):
                found.append(Flag(argument, value))
        return found

    def _catch_up(self) -> None:
        for output in self._facts.outputs[self._n_seen :]:
            for group in groups(output):
                for record in group:
                    self._latest.update(dict.fromkeys(record.fields, group))
        self._n_seen = len(self._facts.outputs)


def groups(output: Json) -> Iterator[Group]:
    """The records of a result that stand beside others of their kind, in order."""
    for members in _groups(output):
        yield [Shown(member) for member in members]


def spelled(value: Json) -> str | None:
    """A scalar as compared: in small letters; None for true, false, null and others."""
    match value:
        case bool() | None | dict() | list():
            return None
        case str():
            return value.strip().lower()
        case float() if value.is_integer():
            return number(int(value))
        case _:
            return number(value)


def _groups(value: Json) -> Iterator[list[Json]]:
    inside: list[Json] = []
    if isinstance(value, dict):
        inside = [value[key] for key in sorted(value)]
        if len(inside) > 1 and all(isinstance(item, dict) for item in inside):
            yield inside
    elif isinstance(value, list):
        inside = value
        if len(inside) > 1:
            yield inside
    for item in inside:
        yield from _groups(item)


def _scalars(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _scalars(value[key])
    elif isinstance(value, list):
        for item in value:
            yield from _scalars(item)
    elif (word := spelled(value)) is not None:
        yield word


def _given(call: ToolCall) -> Iterator[tuple[str, str]]:
    """Every scalar of a call's arguments, with the argument's name."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    for name in sorted(arguments):
        for word in _scalars(arguments[name]):
            yield name, word


def _chosen(group: Group, customer: Text, proposal: Text) -> list[Shown]:
    """The records the customer named; else the one the agent named, if only one."""
    chosen = _named(group, customer)
    if chosen:
        return chosen
    proposed = _named(group, proposal)
    return proposed if len(proposed) == 1 else []


def _named(group: Group, text: Text) -> list[Shown]:
    """The records of which a text says something that no other one has."""
    owners: dict[str, int] = {}
    for record in group:
        for word in record.scalars:
            owners[word] = owners.get(word, 0) + 1
    return [
        record
        for record in group
        if any(
            len(word) >= _LEAST and owners[word] == 1 and text.holds(word)
            for word in record.scalars
        )
    ]


def _plain(digits: str) -> str:
    """A number without commas between its digits or zeros behind them."""
    plain = digits.replace(",", "")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
