"""Extension points: groups of entry points, each member loaded by name, alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar, cast

from stretto.errors import BrokenPlugin, UnknownPlugin

T = TypeVar("T")


@dataclass(frozen=True)
class Registry(Generic[T]):
    """The members of one extension point."""

    group: str

    def names(self) -> list[str]:
        """The installed members' names, sorted."""
        return sorted(installed(self.group))

    def get(self, name: str) -> T:
        """
        The member of that name.

        Raises:
            UnknownPlugin: none is installed.
            BrokenPlugin: it is installed and does not load.
        """
        entry = installed(self.group).get(name)
        if entry is None:
            raise UnknownPlugin(self.group, name, self.names())
        found = self._loaded(entry)
        if isinstance(found, BrokenPlugin):
            raise found
        return found

    def members(self) -> Iterator[tuple[str, T | BrokenPlugin]]:
        """Every member by name, sorted; in place of one that does not load, why."""
        for name in self.names():
            yield name, self._loaded(installed(self.group)[name])

    def _loaded(self, entry: EntryPoint) -> T | BrokenPlugin:
        try:
            return cast(T, entry.load())
        except Exception as cause:  # a stranger's module may raise anything
            broken = BrokenPlugin(self.group, entry.name, entry.value, cause)
            broken.__cause__ = cause
            return broken


@cache
def installed(group: str) -> Mapping[str, EntryPoint]:
    """
    A group's entry points by name, looked up once: the search reads every package.

    Where two packages claim a name, the first found has it.
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, entry)
    return found
