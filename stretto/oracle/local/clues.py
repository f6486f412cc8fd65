"""
What of a state bears on the next step, as numbers.

Nothing here knows a domain. The words are those of the texts, each with its field. The
marks are of the calls: which came last, what the last result holds by key, which of
its ids no call has taken yet, and which of its values the customer spoke of. A state of
another shape has fewer of either.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from stretto.canonical import Json
from stretto.episodes.vocabulary import RESPOND
from stretto.oracle.local.account import Account, Call, account
from stretto.oracle.local.hashing import number, numbered
from stretto.oracle.local.tokens import KEPT, bucket, shape, words

MAX_MARKS = 256
"""The most marks of one state."""

_REQUEST, _LATER, _SAID, _NAME, _RUBRIC, _MARK, _OWN = (
    number(kind) for kind in ("request", "later", "said", "name", "rubric", "", "own")
)


class Clues(NamedTuple):
    """A state and its options, as a scorer takes them."""

    words: tuple[int, ...]
    """Of the texts, each once."""
    marks: tuple[int, ...]
    """Of the calls; each is to be crossed with every option."""
    names: tuple[int, ...]
    """The options'."""
    own: tuple[tuple[int, ...], ...]
    """What is told of each option alone."""
    pending: int
    """How many unread ids the last call's tool could still take, in coarse steps."""


def clues(state: Json, options: Mapping[str, str]) -> Clues:
    """
    The clues of a state.

    Args:
        options: The lookups on offer with their rubrics, and `respond`, whose rubric
            is not read.
    """
    seen = account(state)
    pending = {tool: bucket(n) for tool, n in seen.pending().items()}
    return Clues(
        words=_words(seen),
        marks=tuple(dict.fromkeys(numbered(_marks(seen), _MARK)))[:MAX_MARKS],
        names=tuple([number(option, _NAME) for option in options]),
        own=tuple(
            [
                (*_described(option, rubric), *_own(option, seen, pending))
                for option, rubric in options.items()
            ]
        ),
        pending=pending.get(seen.last.tool, 0) if seen.last else 0,
    )


def _words(seen: Account) -> tuple[int, ...]:
    first, *later = seen.customer or ("",)
    found = dict.fromkeys(_numbered(first, _REQUEST))
    for message in later:
        found |= dict.fromkeys(_numbered(message, _REQUEST))
    if later:
        found |= dict.fromkeys(_numbered(later[-1], _LATER))
    return tuple(found | dict.fromkeys(_numbered(seen.said, _SAID)))


@lru_cache(KEPT)
def _numbered(text: str, kind: int) -> tuple[int, ...]:
    return tuple(numbered(words(text), kind))


@lru_cache(KEPT)
def _described(option: str, rubric: str) -> tuple[int, ...]:
    """An option's own words, by which one never seen is told from others."""
    told = [*_numbered(option.replace("_", " "), _NAME)]
    return tuple(told if option == RESPOND else [*told, *_numbered(rubric, _RUBRIC)])


def _own(option: str, seen: Account, pending: Mapping[str, int]) -> Iterator[int]:
    """How an option stands to the calls so far, whatever it is called."""
    calls = seen.calls
    made = sum(call.tool == option for call in calls)
    again = seen.last is not None and seen.last.tool == option
    left = pending.get(option, 0) if made else "-"
    for mark in (
        f"made {bucket(made)}",
        f"again {again}",
        f"again {again} run {bucket(seen.run)}",
        f"again {again} left {left}",
        f"left {left}",
    ):
        yield number(mark, _OWN)


def _marks(seen: Account) -> Iterator[str]:
    yield from _of_calls(seen.calls, seen)
    if seen.last is not None:
        yield from _of_result(seen.last, seen)
    for call in seen.latest:
        for key, n in _by_key(seen.unread(call)):
            yield f"open {key} {bucket(n)}"
    # in order: a set's own is another in every process
    for named, n in _counted(shape(id) for id in sorted(seen.named)):
        yield f"named {named} {bucket(n)}"


def _of_calls(calls: tuple[Call, ...], seen: Account) -> Iterator[str]:
    third, second, last = ["", "", "", *map(str, calls)][-3:]
    yield f"1 {last}"
    yield f"2 {second} {last}"
    yield f"3 {third} {second} {last}"
    yield f"before {second}"
    yield f"run {last} {bucket(seen.run)}"
    yield f"calls {bucket(len(calls))}"
    yield f"messages {last} {min(len(seen.customer), 5)}"
    yield f"said {last} {bool(seen.said)}"


def _of_result(last: Call, seen: Account) -> Iterator[str]:
    """What the last result holds, and what of it is new or was spoken of."""
    unread = seen.unread(last)
    yield f"new {last} {bool(unread)}"
    for key, n in _by_key(unread):
        yield f"new {last} {key} {bucket(n)}"
    for key, n in _by_key(pair for pair in unread if pair[1].lower() in seen.spoken):
        yield f"new spoken {last} {key} {bucket(n)}"
    spoken = [pair for pair in last.result.plain if pair[1].lower() in seen.spoken]
    yield f"spoken {last} {bool(spoken)}"
    for key, n in _by_key(spoken):
        yield f"spoken {last} {key} {bucket(n)}"
    for key, value in last.result.labels:
        yield f"is {last} {key} {value}"
    for key in last.result.keys:
        yield f"has {last} {key}"
    yield f"long {last} {last.result.length // 300}"


def _by_key(pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[str, int]]:
    return _counted(key for key, _ in pairs)


def _counted(names: Iterable[str]) -> Iterable[tuple[str, int]]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return counts.items()
