"""The log of what guards said: a line for each call that they check."""

from collections.abc import Sequence

from stretto.canonical import Json, compact
from stretto.episodes.episode import ToolCall
from stretto.guards.guard import Ruling, refusal
from stretto.guards.proposal import Flag


def checked_line(
    about: Json,
    call: ToolCall,
    rulings: Sequence[Ruling],
    flagged: Sequence[Flag],
    *,
    shadow: bool = False,
) -> bytes:
    """
    A checked call's line.

    Args:
        about: The id of the host's request.
        flagged: The arguments that look like another record's.
        shadow: Whether guards only log.
    """
    reasons = {r.guard.rule: r.verdict.reason for r in rulings if r.verdict.reason}
    line: dict[str, Json] = {
        "call": about,
        "tool": call.tool,
        "arguments": call.arguments,
        "verdicts": {r.guard.rule: r.verdict.outcome.value for r in rulings},
        "reasons": {**reasons},
        "refused": refusal(rulings) is not None,
        "proposal_check": [flag._asdict() for flag in flagged],
    }
    if shadow:
        line["shadow"] = True
    return compact(line).encode(errors="replace") + b"\n"
