"""Shares with their intervals, as cells of a table and as JSON."""

from stretto.canonical import Json
from stretto.evaluate.intervals import Share

_NARROW = "\N{NO-BREAK SPACE}"
"""Keeps an interval on one line."""


def percent(share: Share, digits: int = 1) -> str:
    """`23.0% [21.2, 24.8]`; a dash where there is no whole."""
    if not share.whole:
        return "–"
    text = f"{share.value:.{digits}%}"
    if share.interval is None:
        return text
    low, high = (f"{100 * end:.{digits}f}" for end in share.interval)
    return f"{text} [{low},{_NARROW}{high}]"


def mean(share: Share, digits: int = 2) -> str:
    """`11.7 [11.2, 12.2]`; a dash where there is no whole."""
    if not share.whole:
        return "–"
    text = f"{share.value:.{digits}f}"
    if share.interval is None:
        return text
    low, high = (f"{end:.{digits}f}" for end in share.interval)
    return f"{text} [{low},{_NARROW}{high}]"


def share_json(share: Share | None) -> Json:
    """The share, what it is made of, and its interval."""
    if share is None:
        return None
    return {
        "share": share.value if share.whole else None,
        "part": share.part,
        "whole": share.whole,
        "interval": None if share.interval is None else list(share.interval),
    }
