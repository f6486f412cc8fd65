"""A breaker: what failed several times in a row is left alone for a while."""

from threading import Lock

from stretto.errors import OracleDown
from stretto.oracle.http.patience import Clock

MAX_FAILURES = 5
"""How many failures in a row open it."""

REST_S = 30.0
"""For how long it stays open; then one request is let through to see."""


class Breaker:
    """Counts failures in a row. Threads may share one."""

    __slots__ = ("_clock", "_failures", "_lock", "_name", "_until")

    def __init__(self, name: str, clock: Clock) -> None:
        self._name, self._clock = name, clock
        self._failures = 0
        self._until = float("-inf")
        self._lock = Lock()

    def check(self) -> None:
        """
        Nothing, where the model may be asked.

        Raises:
            OracleDown: it is being left alone.
        """
        with self._lock:
            if self._failures < MAX_FAILURES:
                return
            now = self._clock.now()
            if (left := self._until - now) > 0:
                raise OracleDown(
                    f"{self._name} is left alone for another {left:.0f} s, for it "
                    f"failed {self._failures} times in a row"
                )
            self._until = now + REST_S  # others wait for what becomes of this one

    def succeeded(self) -> None:
        """The model has answered, if only to refuse one request."""
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        """The model has not, and would not have answered another request either."""
        with self._lock:
            self._failures += 1
            self._until = self._clock.now() + REST_S
