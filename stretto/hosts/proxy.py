"""Where the proxy is: beside this stretto, and on PATH."""

import shutil
import sysconfig
from pathlib import Path

from stretto.errors import StrettoError
from stretto.hosts.server import PROXY


def beside() -> Path | None:
    """The proxy that was installed with this stretto."""
    return _in(sysconfig.get_path("scripts"))


def on_path() -> Path | None:
    """The proxy that a shell would start."""
    return _in(None)


def program() -> Path:
    """
    The full path of the proxy to start, this stretto's own if it is there.

    Raises:
        StrettoError: there is none.
    """
    found = beside() or on_path()
    if found is None:
        raise StrettoError(
            f"{PROXY} is neither beside stretto nor on PATH",
            hint="install stretto again; `stretto doctor` says what is where",
        )
    return found


def _in(folders: str | None) -> Path | None:
    found = shutil.which(PROXY, path=folders)
    return None if found is None else Path(found).absolute()
