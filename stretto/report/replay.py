"""A replay: what the flow would have saved, at what price, and what that rests on."""

from collections.abc import Sequence
from dataclasses import dataclass

from stretto.evaluate.intervals import Interval
from stretto.evaluate.rows import Totals
from stretto.report.document import (
    Document,
    Figure,
    Heading,
    Key,
    Part,
    Prose,
    table,
)
from stretto.report.drawing import Drawing

COUNTING = (
    "Counting rule: current. Only calls that a lookup answered are skipped, each "
    "lookup answers one call, and a turn is saved when all its calls were skipped. "
    "The replay takes it that the agent would have acted the same with the lookups in "
    "hand. "
    "Results come from the record, so detours are a lower bound."
)


@dataclass(frozen=True, slots=True)
class Setting:
    """A replay at one threshold."""

    threshold: float
    totals: Totals
    interval: Interval | None
    """Of the share of turns saved, over tasks."""


def replay_document(
    settings: Sequence[Setting],
    chosen: Setting,
    name: str,
    decider: str,
    draw: Drawing | None = None,
) -> Document:
    """
    The replay of the flow called `name`.

    Args:
        settings: By threshold, rising; `chosen` is the one the report is about.
    """
    t = chosen.totals
    title = f"Replay of {name}"
    if not t.turns:
        return Document(title, (Prose("There was no LLM turn to replay."),))
    parts: list[Part] = [_key(chosen), Prose(_reading(chosen, decider))]
    if len(settings) > 1:
        parts.append(Heading("Thresholds"))
        if draw is not None:
            points = [
                (s.threshold, s.totals.turns_saved, s.totals.detours) for s in settings
            ]
            drawn = draw.saved_against_detours(points)
            caption = "Each point is a threshold: up is saved, right is wasted."
            parts.append(Figure(drawn, caption))
        parts.append(_thresholds_table(settings))
    parts += [Heading("Counts"), _counts_table(t), Prose(COUNTING)]
    return Document(title, tuple(parts))


def saving(setting: Setting) -> str:
    """The saving in one sentence, with its interval where there is one."""
    t = setting.totals
    text = f"{t.turns_saved:,} of {t.turns:,} LLM turns ({t.turns_saved_share:.1%})"
    if setting.interval is not None:
        low, high = setting.interval
        text += f", 95% interval {low:.1%} to {high:.1%} over tasks"
    return text


def _key(chosen: Setting) -> Key:
    t = chosen.totals
    used = t.lookups - t.detours
    return Key(
        (
            (f"{t.turns_saved_share:.1%}", "of LLM turns saved"),
            (f"{t.turns_saved:,}", f"of {t.turns:,} turns"),
            (f"{used:,} of {t.lookups:,}", "lookups the agent would have made"),
            (f"{t.detours:,}", f"detours, in {t.episodes_with_detour:,} sessions"),
        )
    )


def _reading(chosen: Setting, decider: str) -> str:
    t = chosen.totals
    text = (
        f"{t.episodes:,} sessions, decided by {decider} at threshold "
        f"{chosen.threshold:g}: {saving(chosen)}."
    )
    if t.not_in_record:
        text += (
            f" At {t.not_in_record:,} more points the flow chose a tool that the "
            "session's record does not have; there it might have made further detours."
        )
    if t.unanswered:
        text += (
            f" At {t.unanswered:,} of {t.queries:,} points the System-One model had no "
            "answer, and the flow handed back."
        )
    if t.empty:
        text += f" {t.empty:,} of the sessions had no LLM turn."
    return text


def _thresholds_table(settings: Sequence[Setting]) -> Part:
    return table(
        ("threshold", "turns saved", "share", "lookups", "detours", "with one"),
        [
            (
                f"{s.threshold:g}", s.totals.turns_saved,
                f"{s.totals.turns_saved_share:.1%}", s.totals.lookups,
                s.totals.detours, s.totals.episodes_with_detour,
            )
            for s in settings
        ],
        text=0,
    )  # fmt: skip


def _counts_table(t: Totals) -> Part:
    return table(
        ("count", "n"),
        [
            ("LLM turns", t.turns),
            ("LLM turns with calls", t.tool_turns),
            ("turns saved", t.turns_saved),
            ("the agent's calls", t.calls),
            ("of them skipped", t.calls_skipped),
            ("lookups", t.lookups),
            ("used by the next turn", t.used_next),
            ("used later", t.used_later),
            ("detours", t.detours),
            ("answered by a stand-in", t.unrecorded),
            ("chosen, but no such tool in the record", t.not_in_record),
            ("times the flow was asked", t.queries),
            *([("of them without an answer", t.unanswered)] if t.unanswered else []),
        ],
    )
