"""Guards by what a person calls them: an installed set's name, or a rule file."""

from pathlib import Path
from typing import NamedTuple

from stretto.guards.guard import GUARDS, Guards
from stretto.guards.rules import RuleFile, read_rules


class Loaded(NamedTuple):
    """Guards, and the file they are from, if they are from one."""

    guards: Guards
    file: RuleFile | None = None


def load(named: str) -> Loaded:
    """
    The guards of that name, or of the file there.

    What ends in `.json`, has a folder in it, or is there, is a file, but for the name
    of an installed set.

    Raises:
        UnknownPlugin: no installed package provides guards of that name.
        BrokenPlugin: it does not load.
        FormatError: the file is no rule file.
    """
    path = Path(named)
    if named.endswith(".json") or path.name != named or _is_only_a_file(path):
        file = read_rules(named)
        return Loaded(file.guards, file)
    return Loaded(GUARDS.get(named))


def _is_only_a_file(path: Path) -> bool:
    return path.is_file() and path.name not in GUARDS.names()
