"""The log of what the confirmation judge said: a line for each write that it judges."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stretto.canonical import Json, compact
from stretto.episodes.episode import ToolCall
from stretto.guards.confirm import Asked, Judging
from stretto.guards.proposal import Flag


@dataclass(slots=True)
class Judgement:
    """A write that is judged, and what is known of it by now."""

    call: ToolCall
    judging: Judging
    is_enforced: bool
    """Whether a failure refuses the write."""
    is_listed: bool
    """Whether the word list takes the reply for a yes."""
    flags: list[Flag]
    """Its arguments that look like another record's."""
    keys: Mapping[Asked, str]
    """The questions' keys, those that are not asked included."""
    p_yes: dict[Asked, float] = field(default_factory=dict)
    odd: Asked | None = None
    """A question that was answered with what is no yes or no."""
    skipped: str | None = None
    """Why a question was not asked."""
    ms: int = 0
    """How many milliseconds the answers took, all together."""

    @property
    def fails(self) -> bool:
        """Whether a question that counts was answered with a no."""
        return self.judging.fails(self.p_yes)


def confirm_line(found: Judgement) -> bytes:
    """A judged write's line."""
    judging, second = found.judging, found.judging.second
    line: dict[str, Json] = {
        "arguments": found.call.arguments,
        "enforced": found.is_enforced,
        "fails": found.fails,
        "key": found.keys[Asked.CONFIRMED],
        "ms": found.ms,
        "proposal_check": [flag._asdict() for flag in found.flags],
        "tool": found.call.tool,
        "unknown": judging.is_unknown(found.p_yes),
        "word_list": found.is_listed,
    }
    if found.odd is not None:
        line["error"] = found.odd.value
    if (p := found.p_yes.get(Asked.CONFIRMED)) is not None:
        line["p_yes"] = p
    if second is not None:
        line["second_key"] = found.keys[second]
        if (p := found.p_yes.get(second)) is not None:
            line["p_second"] = p
        if not judging.is_second_counted:
            line["second_shadow"] = True
    if found.skipped is not None:
        line["skipped"] = found.skipped
    return compact(line).encode(errors="replace") + b"\n"
