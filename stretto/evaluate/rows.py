"""What replays come to, episode by episode and in all."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from stretto.evaluate.counts import unpacked
from stretto.evaluate.course import Size


@dataclass(frozen=True, slots=True)
class Row:
    """What a replay of one episode came to."""

    task: str
    turns: int
    """LLM turns; a first message without calls is a greeting and not one."""
    tool_turns: int
    turns_saved: int
    calls: int
    calls_skipped: int
    used_next: int
    """Lookups used by the first turn after them that the agent still made."""
    used_later: int
    lookups: int
    queries: int
    """How often the flow was asked."""
    unanswered: int
    """How often a System-One model had no answer for it, which hands back."""
    unrecorded: int
    """Lookups that a stand-in answered."""
    detours: int
    """Lookups never used."""
    not_in_record: int
    """Times the flow chose a tool the record does not have, which ends its run."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Rows, added up."""

    episodes: int
    empty: int
    """Episodes without an LLM turn."""
    turns: int
    tool_turns: int
    turns_saved: int
    calls: int
    calls_skipped: int
    used_next: int
    used_later: int
    lookups: int
    queries: int
    unanswered: int
    unrecorded: int
    detours: int
    not_in_record: int
    episodes_with_detour: int

    @property
    def turns_saved_share(self) -> float:
        """Turns saved over all turns, 0 where there are none."""
        return self.turns_saved / self.turns if self.turns else 0.0


def row(size: Size, packed: int) -> Row:
    """The row of an episode of that size, replayed with these counts."""
    counts = unpacked(packed)
    used = counts["used_next"] + counts["used_later"]
    return Row(
        task=size.task,
        turns=size.turns,
        tool_turns=size.tool_turns,
        calls=size.calls,
        calls_skipped=used,
        detours=counts["lookups"] - used,
        **counts,
    )


def totals(rows: Iterable[Row]) -> Totals:
    """The sums of `rows`."""
    rows = list(rows)
    names = [f.name for f in fields(Row) if f.name != "task"]
    sums = {name: sum(getattr(row, name) for row in rows) for name in names}
    return Totals(
        episodes=len(rows),
        empty=sum(row.turns == 0 for row in rows),
        episodes_with_detour=sum(row.detours > 0 for row in rows),
        **sums,
    )
