"""What becomes of a value: whether it stays, and what stands in for it."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from stretto.canonical import Json, number
from stretto.traces.messages import Message, fields
from stretto.traces.redact.named import LONGEST, Named
from stretto.traces.redact.pseudonym import SHORT, Pseudonyms, plain, split

Under: TypeAlias = tuple[str, ...]
"""The keys that a value stands under, from the outermost on."""

LONGEST_KEY = 64
"""Keys of more characters are taken for data."""

_DATA = re.compile(r"@|[0-9]{4}")
_DIGIT = re.compile("[0-9]")
_FIELD = re.compile(r"[A-Za-z_$][\w$.:/-]*")
_LEFT_OUT = "…"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which values are to stay as they are."""

    keep: frozenset[str] = frozenset()
    """The fields whose values stay, wherever else they stand."""
    keep_shared: int | None = None
    """In how many sessions a value has to be to stay; None: that keeps none."""
    hashed: frozenset[str] = frozenset()
    """The fields whose values never stay."""
    keys: bool = False
    """Whether every key is replaced that no tool declares."""


class Values(Protocol):
    """What a walk over a log does with the values it meets."""

    def text(self, value: str, under: Under = ()) -> str:
        """What a string becomes."""

    def number(self, value: int | float, under: Under = ()) -> Json:
        """What a number becomes."""

    def key(self, key: str) -> str:
        """What an object's key becomes."""

    def said(self, message: str) -> str:
        """What somebody's message becomes."""

    def declare(self, tool: Message) -> None:
        """A tool that a server lists."""


@dataclass(slots=True)
class Survey:
    """A first walk, which changes nothing: what the sessions hold."""

    choice: Choice
    spelled: dict[str, set[str]] = field(default_factory=dict)
    """By its plain text, how each value is spelled that messages may name."""
    declared: set[str] = field(default_factory=set)
    """What tools' names, their arguments and their enumerations are called."""
    kept: set[str] = field(default_factory=set)
    hashed: set[str] = field(default_factory=set)
    session: str = ""
    """The one that is walked over."""
    _sessions: dict[str, tuple[int, str]] = field(default_factory=dict)
    """In how many sessions each value is, and in which last."""

    def text(self, value: str, under: Under = ()) -> str:
        """Enters the value."""
        _, core, _ = split(value)
        name = core.lower()
        if 0 < len(name) <= LONGEST:
            self.spelled.setdefault(name, set()).add(value.strip())
        if not self.choice.keep.isdisjoint(under):
            self.kept.add(name)
        if not self.choice.hashed.isdisjoint(under):
            self.hashed.update((name, *map(plain, name.split())))
        if self.choice.keep_shared is not None:
            n, last = self._sessions.get(name, (0, None))
            self._sessions[name] = (n + (last != self.session), self.session)
        return value

    def number(self, value: int | float, under: Under = ()) -> Json:
        """Enters the number's text."""
        self.text(number(value), under)
        return value

    def key(self, key: str) -> str:
        """The key."""
        return key

    def said(self, message: str) -> str:
        """The message."""
        return message

    def declare(self, tool: Message) -> None:
        """Enters the names that the tool declares."""
        if isinstance(name := tool.get("name"), str):
            self.declared.add(plain(name))
        for schema in ("inputSchema", "outputSchema"):
            self.declared.update(map(plain, _names(tool.get(schema))))

    def staying(self) -> set[str]:
        """The values that stay, as plain text."""
        n = self.choice.keep_shared
        shared = (
            () if n is None else (v for v, (m, _) in self._sessions.items() if m >= n)
        )
        return self.declared.union(self.kept, shared) - self.hashed


class Hidden:
    """The second walk: what does not stay is replaced."""

    def __init__(self, survey: Survey, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms
        self._staying = survey.staying()
        self._values: Mapping[str, object] = survey.spelled
        self._named = Named(survey.spelled)
        self._keys = survey.choice.keys
        self.n_replaced = self.n_left = 0
        """How often a value was replaced, and how often one stayed."""

    def text(self, value: str, under: Under = ()) -> str:  # noqa: ARG002
        """The value's pseudonym, or the value where it stays."""
        new = value if plain(value) in self._staying else self._pseudonyms.of(value)
        if new == value:
            self.n_left += 1
        else:
            self.n_replaced += 1
        return new

    def number(self, value: int | float, under: Under = ()) -> Json:
        """A number in its place, or the number where it stays."""
        told = number(value)
        new = self.text(told, under)
        found: int | float = json.loads(new)
        return value if new == told else found

    def key(self, key: str) -> str:
        """The key's pseudonym where it is data, else the key."""
        return self.text(key) if self._is_data(key) else key

    def said(self, message: str) -> str:
        """What the message names of the sessions' values; `…` where that is nothing."""
        named = map(self.text, self._named.within(message))
        return " ".join(named) or (_LEFT_OUT if message else "")

    def declare(self, tool: Message) -> None:
        """Nothing: the survey knows it."""

    def _is_data(self, key: str) -> bool:
        name = plain(key)
        if name in self._staying:
            return False
        if self._keys or len(key) > LONGEST_KEY or _DATA.search(key):
            return True
        has_digit = len(key) >= SHORT and _DIGIT.search(key) is not None
        is_field = _FIELD.fullmatch(key) is not None and not has_digit
        return not is_field and name in self._values


def _names(schema: Json) -> Iterable[str]:
    """The properties and the enumerated strings anywhere in a schema."""
    stack = [schema]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack += item
        elif isinstance(item, dict):
            yield from fields(item, "properties")
            if isinstance(listed := item.get("enum"), list):
                yield from (name for name in listed if isinstance(name, str))
            stack += item.values()
