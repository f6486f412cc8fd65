"""One result's content, taken apart on demand and each part once."""

from functools import cached_property, lru_cache

from stretto.binding.paths import Leaf, at, find, first_paths, under
from stretto.binding.values import is_keyish, parse, scalars
from stretto.canonical import Json
from stretto.episodes.content import SMALL


class Output:
    """What a result holds. Two outputs are the same only if they are one object."""

    def __init__(self, content: str) -> None:
        self._content = content
        self._at: dict[str, tuple[Leaf, ...]] = {}

    @cached_property
    def value(self) -> Json:
        """The content as JSON, or as text."""
        return parse(self._content)

    @cached_property
    def scalars(self) -> frozenset[str]:
        """Its strings and numbers, as they are compared with what the user gave."""
        return frozenset(scalars(self.value))

    @cached_property
    def keys(self) -> frozenset[str]:
        """Those of them that look like a record's key."""
        return frozenset(filter(is_keyish, self.scalars))

    @cached_property
    def first_paths(self) -> dict[str, str]:
        """Each string it holds, and the first path to it."""
        return first_paths(self.value)

    def paths(self, wanted: str) -> list[str]:
        """The paths to a string, in order."""
        return list(find(self.value, wanted)) if wanted in self.first_paths else []

    def at(self, path: str) -> tuple[Leaf, ...]:
        """The strings at a path, in order."""
        leaves = self._at.get(path)
        if leaves is None:
            leaves = self._at[path] = at(self.value, path)
        return leaves

    def under(self, name: str) -> tuple[Leaf, ...]:
        """The strings under a key of that name, at any depth."""
        return tuple(under(self.value, name))


def read(content: str) -> Output:
    """The output of a result; of a content seen lately, the same one again."""
    return _read(content) if len(content) <= SMALL else Output(content)


@lru_cache(maxsize=1024)
def _read(content: str) -> Output:
    return Output(content)
