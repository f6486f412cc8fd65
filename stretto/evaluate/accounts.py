"""Replays one at a time, over episodes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from stretto.evaluate.alone import Account, Between, Pair
from stretto.evaluate.intervals import Interval, saved_interval
from stretto.evaluate.rows import Totals, totals


@dataclass(frozen=True, slots=True)
class Sum:
    """The replays of all episodes at one threshold."""

    threshold: float
    totals: Totals
    interval: Interval | None
    """Of the share of turns saved, over tasks."""
    credit: float
    """Turns saved, each counted by the share of its calls that were skipped."""
    detours: Between
    """In the tools' own environment, if that answers as the record does."""
    pairs: Counter[Pair]
    """The lookups that answered another call."""


def added(threshold: float, accounts: Iterable[Account]) -> Sum:
    """What the replays at one threshold come to."""
    accounts = list(accounts)
    rows = [account.row for account in accounts]
    low = sum(account.detours.low for account in accounts)
    high = sum(account.detours.high for account in accounts)
    pairs = sum((account.pairs for account in accounts), Counter[Pair]())
    credit = sum(account.credit for account in accounts)
    return Sum(
        threshold, totals(rows), saved_interval(rows), credit, Between(low, high), pairs
    )
