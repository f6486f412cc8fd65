"""A thread that writes, so that whoever has something to say need not wait."""

import threading

from stretto.proxy.pump import Outlet


class Writer:
    """
    A thread that gives one side its lines, in order.

    Args:
        outlet: Where the side reads.
    """

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._waiting: list[bytes] = []
        self._is_writing = self._has_ended = False
        self._changed = threading.Condition()
        threading.Thread(target=self._run, daemon=True).start()

    def put(self, line: bytes) -> None:
        """Have the side given a line; does not wait."""
        with self._changed:
            self._waiting.append(line)
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until the side has been given everything, or is gone."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._waiting or self._is_writing))

    def end(self) -> None:
        """Have the thread end once it has written what there is; does not wait."""
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._has_ended)
                if not self._waiting:
                    return
                lines, self._waiting = self._waiting, []
                self._is_writing = True
            self._outlet.write(b"".join(lines))
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()
