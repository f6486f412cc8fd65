"""Finds the files that come with stretto, in a checkout or in an installed wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def programs() -> Path:
    """The folder of the programs that come with stretto."""
    return _folder("programs")


def data() -> Path:
    """The folder of the question texts that come with stretto."""
    return _folder("data")


def _folder(name: str) -> Path:
    installed = _PACKAGE / f"_{name}"
    return installed if installed.is_dir() else _PACKAGE.parent / name
