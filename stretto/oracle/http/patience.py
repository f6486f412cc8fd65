"""How long a server is waited for, and how often it is tried again."""

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

RETRIED = frozenset({429, 500, 502, 503, 504, 529})
"""The statuses after which another try may do better."""

MAX_RETRY_AFTER_S = 60.0
"""A server that asks for more time than this is not waited for."""

_JITTER = 0.25
"""By which share of itself a wait may grow, so that clients do not come in step."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, and chance."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    unix: Callable[[], float] = time.time
    random: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class Patience:
    """A limit for each try, in seconds, and a wait before each try but the first."""

    timeout_s: float
    waits_s: tuple[float, ...]

    def wait_s(
        self, tried: int, asked_for_s: float | None, luck: float
    ) -> float | None:
        """
        How long to wait after `tried` tries that failed; None to give up.

        Args:
            asked_for_s: What the server asked for.
            luck: Between 0 and 1.
        """
        if tried > len(self.waits_s) or (asked_for_s or 0.0) > MAX_RETRY_AFTER_S:
            return None
        wait = self.waits_s[tried - 1] * (1 + _JITTER * luck)
        return max(wait, asked_for_s or 0.0)


OFFLINE = Patience(30.0, (1.0, 2.0, 4.0, 8.0))
"""Nobody waits for the answer."""

LIVE = Patience(30.0, (0.1, 0.2, 0.4, 0.8))
"""Somebody does, and the budget ends it."""


def retry_after_s(header: str | None, unix: float) -> float:
    """
    The seconds that a `Retry-After` asks for; 0 where it says nothing readable.

    Args:
        unix: The time now, which a date is counted from.
    """
    if header is None:
        return 0.0
    if re.fullmatch(r"[0-9]{1,9}", header.strip()):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - unix)
    except (ValueError, OverflowError, IndexError):
        return 0.0
