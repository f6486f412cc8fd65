"""A session's log in several files, none of them longer than a session may grow."""

from collections.abc import Callable

from stretto.proxy.logfile import LogFile

MOST = 256 * 2**20
"""How many bytes a file may have before another is begun."""


class PartedLog:
    """
    Log files one after the other, each ended before the next is begun.

    Lines that are added together stay together, so a file is longer than allowed where
    they alone are.

    Args:
        opens: Makes the file of a part, its header written; they count from 1.
        most: How many bytes a file may have.

    Raises:
        OSError: the first file cannot be made.
    """

    def __init__(self, opens: Callable[[int], LogFile], most: int = MOST) -> None:
        self._opens, self._most = opens, most
        self._part, self._log = 1, opens(1)
        self._has_lines = False

    def append(self, lines: bytes) -> None:
        """
        Add `lines`, each with its line feed, to this file or to the next.

        Raises:
            OSError: they could not be added, or the next file not be made.
        """
        if self._has_lines and self._log.size + len(lines) > self._most:
            self._log.close()
            self._part += 1
            self._log = self._opens(self._part)
        self._log.append(lines)
        self._has_lines = True

    def close(self) -> None:
        """
        Put everything on the disk, and let go of the file.

        Raises:
            OSError: the disk would not take it.
        """
        self._log.close()
