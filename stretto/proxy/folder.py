"""The folder that session logs are kept in."""

import os
from functools import partial
from itertools import count

from stretto.errors import CannotWrite
from stretto.proxy.entry import PART, header
from stretto.proxy.logfile import LogFile
from stretto.proxy.notes import note
from stretto.proxy.parted import MOST, PartedLog
from stretto.proxy.retain import prune
from stretto.proxy.session import Session


class LogFolder:
    """
    A folder for logs, made where it is missing.

    Args:
        path: `~` and what begins with `~/` are in the home folder.
        retain_days: How many days to keep the logs in it; None is for ever.
        most: How many bytes of a session are kept in one file.

    Raises:
        CannotWrite: it cannot be made, or nothing can be written to it.
    """

    def __init__(
        self, path: str, retain_days: int | None = None, most: int = MOST
    ) -> None:
        is_at_home = path == "~" or path.startswith("~/")
        self.path = os.path.expanduser(path) if is_at_home else path
        self._retain_days, self._most = retain_days, most
        try:
            os.makedirs(self.path, mode=0o700, exist_ok=True)
        except OSError as cause:
            raise CannotWrite(f"{path} cannot be made: {cause.strerror}") from cause
        if not os.access(self.path, os.W_OK | os.X_OK):
            raise CannotWrite(f"{path} cannot be written to")

    def new_log(self, session: Session) -> PartedLog:
        """
        A session's log, its header written.

        Whenever it begins a file, old logs are deleted.

        Raises:
            OSError: it cannot be written.
        """
        for nth in count(1):
            id = session.id(nth)
            try:
                log = PartedLog(partial(self._part, session, id), self._most)
                break
            except FileExistsError:  # another proxy's, with our number on its machine
                continue
        return log

    def _part(self, session: Session, id: str, part: int) -> LogFile:
        numbered = "" if part == 1 else f".{part}"
        path = os.path.join(self.path, f"{id}{numbered}.jsonl")
        log = LogFile(path)
        log.append(header({**session.about(id), **({} if part == 1 else {PART: part})}))
        note(f"recording to {path}")
        if self._retain_days is not None:
            _prune(self.path, self._retain_days)
        return log


def _prune(folder: str, days: int) -> None:
    pruned = prune(folder, days)
    for problem in pruned.problems:
        note(problem)
    note(f"deleted {pruned.deleted} logs older than {days} days")
