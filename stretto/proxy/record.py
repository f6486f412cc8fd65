"""
The session's log, kept by a thread that forwarding never waits for.

What passes is queued, which takes no time, and written from there. The queue has
bounds: when the disk cannot keep up, the log says how much it lacks, and the session
goes on. When the log cannot be written at all, recording ends with a note, and the
session goes on.
"""

import threading
import time
from collections import deque
from typing import NamedTuple

from stretto.proxy.entry import Sender
from stretto.proxy.journal import Journal, Loss
from stretto.proxy.notes import note

ROOM = 64 * 2**20
"""How many bytes may wait to be written."""
_REST_S = 0.002
"""How long the writer rests when it has caught up, so that calls meet it more rarely.

It is what a proxy that is killed may leave unwritten.
"""
_OVERHEAD = 200
"""What a waiting chunk takes beside its bytes, in bytes."""


class _Said(NamedTuple):
    t_ms: int
    sender: Sender
    said: bytes | Loss


class Recorder:
    """
    Keeps a copy of what every side says, in the order in which it was read.

    Args:
        journal: Makes the log of it. Only the recorder's thread uses it.
        room: How many bytes may wait to be written.
    """

    def __init__(self, journal: Journal, *, room: int = ROOM) -> None:
        self._journal, self._room = journal, room
        self._start = time.monotonic_ns()
        self._waiting: deque[_Said] = deque()
        self._held = self._writing = 0
        self._lost: dict[Sender, Loss] = {}
        self._is_open = True
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def take(self, sender: Sender, chunk: bytes) -> None:
        """
        Keep what `sender` said; an empty chunk where it has ended.

        To be called before the chunk is passed on, so that no answer can come before
        its question. Never waits for the disk: what there is no room for is counted.
        """
        with self._changed:
            if not self._is_open:
                return
            if chunk and self._held + _room_of(chunk) > self._room:
                self._lost[sender] = self._lost.get(sender, Loss()).then(chunk)
                return
            self._put_losses()
            self._put(sender, chunk)
            self._changed.notify()

    def close(self, patience: float) -> None:
        """Write what is waiting, for at most `patience` seconds, and end the log."""
        with self._changed:
            if self._is_open:
                self._put_losses()
            self._is_open = False
            self._changed.notify()
        self._thread.join(patience)

    def _put_losses(self) -> None:
        for sender, loss in self._lost.items():
            self._put(sender, loss)
        self._lost.clear()

    def _put(self, sender: Sender, said: bytes | Loss) -> None:
        t_ms = (time.monotonic_ns() - self._start) // 10**6
        self._waiting.append(_Said(t_ms, sender, said))
        self._held += _room_of(said)

    def _run(self) -> None:
        try:
            while (said := self._next()) is not None:
                self._journal.add(*said)
                if not self._waiting:
                    self._journal.flush()
                    time.sleep(_REST_S)
            self._journal.close()
        except OSError as cause:
            note(f"recording stopped: {cause.filename}: {cause.strerror}")
        finally:
            self._stop()

    def _next(self) -> _Said | None:
        """What has waited longest, as soon as something does; None at the end."""
        with self._changed:
            self._held -= self._writing
            self._changed.wait_for(lambda: self._waiting or not self._is_open)
            if not self._waiting:
                return None
            said = self._waiting.popleft()
            self._writing = _room_of(said.said)
            return said

    def _stop(self) -> None:
        with self._changed:
            self._is_open = False
            self._waiting.clear()


def _room_of(said: bytes | Loss) -> int:
    return len(said) + _OVERHEAD if isinstance(said, bytes) else 0
