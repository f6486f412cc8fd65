"""A session's scores for the surprise gate: those of the worst window, and no more."""

from collections import deque


class Scores:
    """
    The scores of the agent's steps so far, in nats.

    Args:
        window: Over how many steps in a row the gate takes the mean.
    """

    def __init__(self, window: int) -> None:
        self._window = window
        self._recent: deque[float] = deque(maxlen=window)
        self._worst: tuple[float, ...] = ()

    def add(self, score: float) -> None:
        """The next step's score."""
        self._recent.append(score)
        self._worst = self._worse_of(tuple(self._recent))

    def with_one(self, score: float | None) -> tuple[float, ...]:
        """
        Scores whose largest window mean is that of all of them, and of one more.

        Without a full window yet, all of them.
        """
        recent = [*self._recent, *([] if score is None else [score])]
        return self._worse_of(tuple(recent[-self._window :])) or tuple(recent)

    def _worse_of(self, latest: tuple[float, ...]) -> tuple[float, ...]:
        """The worse of the worst window so far and the latest."""
        is_full = len(latest) == self._window
        if is_full and (not self._worst or sum(latest) > sum(self._worst)):
            return latest
        return self._worst
