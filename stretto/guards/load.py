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

    What ends in `.json`, or has a folder in it, is a file.

    Raises:
        UnknownPlugin: no installed package provides guards of that name.
        BrokenPlugin: it does not load.
        FormatError: the file is no rule file.
    """
    if named.endswith(".json") or Path(named).name != named:
        file = read_rules(named)
        return Loaded(file.guards, file)
    return Loaded(GUARDS.get(named))
