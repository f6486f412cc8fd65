"""Files that must not be there yet, written piece by piece."""

import os
from collections.abc import Iterable
from pathlib import Path

from stretto.files import neighbour


def write_new(path: Path, pieces: Iterable[bytes]) -> None:
    """
    Write a file that is not there yet, whole or not at all.

    Raises:
        CannotWrite: it is there, the folder is missing or closed, or the disk is full.
    """
    with neighbour(path) as beside:
        with open(beside, "xb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        with open(path, "xb"):  # fails where it is there, as a rename does not
            beside.replace(path)
