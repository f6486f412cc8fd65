"""Sessions to learn from: gone through more than once, held only while they are few."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from stretto.episodes.episode import AssistantTurn, Episode, ToolResult, UserMessage

Watch: TypeAlias = Callable[[Iterable[Episode]], Iterator[Episode]]

BUDGET = 256 * 2**20
"""The most text, in characters, that is held instead of read again."""


@dataclass(slots=True)
class Corpus:
    """
    Episodes that can be gone through again.

    The first pass keeps them until they outgrow the budget; from then on every pass
    reads the files again, so that memory does not grow with the number of sessions.
    """

    open: Callable[[], Iterator[Episode]]
    """Starts a reading of the files, in an order that does not change."""
    reopen: Callable[[], Iterator[Episode]] | None = None
    """Starts every reading but the first, where that should differ."""
    watch: Watch = iter
    """Goes along with every pass but the first, to show how far it is."""
    budget: int = BUDGET
    _held: list[Episode] | None = field(default=None, init=False)
    _was_read: bool = field(default=False, init=False)

    def __iter__(self) -> Iterator[Episode]:
        if self._held is not None:
            return self.watch(self._held)
        if self._was_read:
            return self.watch((self.reopen or self.open)())
        return self._read()

    def _read(self) -> Iterator[Episode]:
        self._was_read = True
        held: list[Episode] | None = []
        left = self.budget
        for episode in self.open():
            if held is not None:
                left -= _size(episode)
                if left >= 0:
                    held.append(episode)
                else:
                    held = None
            yield episode
        self._held = held


@dataclass(frozen=True, slots=True)
class Chosen:
    """The sessions at some places of a reading, as often as they are gone through."""

    episodes: Iterable[Episode]
    places: Sequence[int]
    """In reading order, from 0, rising."""

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Episode]:
        places = iter(self.places)
        wanted = next(places, None)
        for index, episode in enumerate(self.episodes):
            if index == wanted:
                yield episode
                wanted = next(places, None)


def _size(episode: Episode) -> int:
    """About how much text an episode holds, in characters."""
    size = 0
    for event in episode.events:
        match event:
            case ToolResult(content=text) | UserMessage(text=text):
                size += len(text)
            case AssistantTurn(text=text, calls=calls):
                size += len(text or "") + 100 * len(calls)
    return size
