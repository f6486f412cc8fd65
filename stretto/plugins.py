"""Extension points: groups of entry points, each member loaded by name, alone."""

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Generic, TypeVar, cast

from stretto.errors import BrokenPlugin, UnknownPlugin

T = TypeVar("T")


@dataclass(frozen=True)  # no slots: `Registry[T](…)` notes its T on the instance
class Registry(Generic[T]):
    """The members of one extension point."""

    group: str

    def names(self) -> list[str]:
        """The installed members' names, sorted."""
        return sorted({e.name for e in entry_points(group=self.group)})

    def get(self, name: str) -> T:
        """
        The member of that name.

        Raises:
            UnknownPlugin: none is installed.
            BrokenPlugin: it is installed and does not load.
        """
        found = list(entry_points(group=self.group, name=name))
        if not found:
            raise UnknownPlugin(self.group, name, self.names())
        entry = found[0]
        try:
            return cast(T, entry.load())
        except Exception as cause:  # a stranger's module may raise anything
            raise BrokenPlugin(self.group, name, entry.value, cause) from cause
