"""Which oracle a flow is served with where nobody named one."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from stretto.home import Home
from stretto.oracle.local import FILE
from stretto.oracle.local import NAME as LOCAL

KEYS = ("TYPESAFE_API_KEY", "TYPESAFE_API_KEY_FILE")
"""The variables that say there is a key for Jev."""

JEV = "jev"


class Unproven(NamedTuple):
    """A model of one's own that is not asked unless somebody names it."""

    path: Path

    def __str__(self) -> str:
        return (
            f"{self.path} does not beat the habit on tasks it never saw, so it is not "
            f"asked; `--oracle {LOCAL}` asks it all the same"
        )


def usual(model: str, environ: Mapping[str, str]) -> str | Unproven:
    """
    The oracle for a flow whose arbiter was fitted on the answers of `model`.

    A model of one's own is asked where it was that one. Otherwise Jev is, but where
    there is no key for it and a model of one's own lies in stretto's folder: that one
    if it beats the habit, and else nobody.

    Raises:
        FormatError: the model in stretto's folder cannot be read.
    """
    if model.startswith(f"{LOCAL}-"):
        return LOCAL
    path = Home.of(environ).root / FILE
    if any(environ.get(name) for name in KEYS) or not path.exists():
        return JEV
    # it takes NumPy, and most flows come here without a model of one's own
    file = importlib.import_module("stretto.oracle.local.file")
    return LOCAL if file.read_local(path).provenance.beats_habit else Unproven(path)
