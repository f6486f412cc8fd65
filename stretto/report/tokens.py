"""Tokens and dollars that a replay would save, as a section and as JSON."""

from collections.abc import Sequence

from stretto.canonical import Json
from stretto.evaluate.balance import INPUT, TokenPrices
from stretto.evaluate.intervals import Share
from stretto.evaluate.tokens import Net, Tokens
from stretto.report.document import Heading, Part, Prose, table
from stretto.report.shares import percent, share_json

HOW = (
    "A saved turn saves its prompt, its completion and its cost, and no later prompt "
    "holds its calls. The result of a lookup is in every later prompt until the call "
    "that it answers comes up, which would have brought the same; that of a detour is "
    "in all of them."
)


def token_parts(found: Tokens | None, prices: TokenPrices = INPUT) -> list[Part]:
    """The section; empty where no session records what its turns cost."""
    if found is None:
        return []
    rows = [
        _row("prompt tokens", found.prompt),
        _row("completion tokens", found.completion),
    ]
    if found.dollars.whole:
        rows.append(_row("dollars", found.dollars, digits=2))
    if prices != INPUT:
        rows.append(_row("tokens at the prices given", found.priced))
    text = f"{found.sessions:,} sessions record what every turn cost"
    if found.without_usage:
        text += f", and {found.without_usage:,} do not, which are left out here"
    return [
        Heading("Tokens"),
        table(("of", "saved", "in all", "share"), rows),
        Prose(f"{text}. {HOW}"),
    ]


def _row(name: str, found: Share, digits: int = 0) -> Sequence[str]:
    saved, whole = (f"{n:,.{digits}f}" for n in (found.part, found.whole))
    return name, saved, whole, percent(found)


def tokens_json(found: Tokens | None) -> Json:
    """What all sessions save; null where no session records what its turns cost."""
    if found is None:
        return None
    return {
        "sessions": found.sessions,
        "without_usage": found.without_usage,
        "prompt": share_json(found.prompt),
        "completion": share_json(found.completion),
        "dollars": share_json(found.dollars),
        "priced": share_json(found.priced),
    }


def net_json(net: Net | None) -> Json:
    """What one session saves; null where it does not record what its turns cost."""
    return None if net is None else dict(net._asdict())
