"""Finds the files that come with stretto, in a checkout or in an installed wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def programs() -> Path:
    """The folder of the programs that come with stretto."""
    installed = _PACKAGE / "_programs"
    return installed if installed.is_dir() else _PACKAGE.parent / "programs"
