"""A replay: what the flow would have saved, at what price, and what that rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from stretto.counted import counted
from stretto.evaluate.balance import INPUT, TokenPrices
from stretto.evaluate.intervals import Interval
from stretto.evaluate.rows import Totals
from stretto.evaluate.tokens import Tokens
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
from stretto.report.replay_sites import Point, site_parts
from stretto.report.shares import percent
from stretto.report.tokens import token_parts

COUNTING = (
    "Counting rule: current. Only calls that a lookup answered are skipped, each "
    "lookup answers one call, and a turn is saved when all its calls were skipped. "
    "The replay takes it that the agent would have acted the same with the lookups in "
    "hand. "
    "Results come from the record, so detours are a lower bound."
)


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replay at one threshold."""

    threshold: float
    totals: Totals
    interval: Interval | None
    """Of the share of turns saved, over tasks."""
    tokens: Tokens | None = None
    """None where no session records what its turns cost."""
    model: Interval | None = None
    """Of that share, over draws from its model's posterior; None where none were."""


def replay_document(
    settings: Sequence[Replayed],
    chosen: Replayed,
    name: str,
    decider: str,
    draw: Drawing | None = None,
    *,
    sites: Mapping[str, Sequence[Point]] = {},
    prices: TokenPrices = INPUT,
) -> Document:
    """
    The replay of the flow called `name`.

    Args:
        prices: What its tokens were priced at.
        settings: By threshold, rising; `chosen` is the one the report is about.
        sites: What changing each site's threshold alone comes to.
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
    if sites:
        parts += site_parts((t.turns_saved, t.detours), sites, draw)
    parts += token_parts(chosen.tokens, prices)
    parts += [Heading("Counts"), counts_table(t), Prose(COUNTING)]
    return Document(title, tuple(parts))


class Saving(Protocol):
    """A replay at one threshold, over its sessions."""

    @property
    def totals(self) -> Totals:
        """What it came to."""

    @property
    def interval(self) -> Interval | None:
        """Of the share of turns saved, over tasks."""


def saving(setting: Saving) -> str:
    """The saving in one sentence, with its interval where there is one."""
    t = setting.totals
    text = f"{t.turns_saved:,} of {t.turns:,} LLM turns ({t.turns_saved_share:.1%})"
    if setting.interval is not None:
        low, high = setting.interval
        text += f", 95% interval {low:.1%} to {high:.1%} over tasks"
    return text


def _key(chosen: Replayed) -> Key:
    t = chosen.totals
    used = t.lookups - t.detours
    with_one = counted(t.episodes_with_detour, "session")
    return Key(
        (
            (f"{t.turns_saved_share:.1%}", "of LLM turns saved"),
            (f"{t.turns_saved:,}", f"of {t.turns:,} turns"),
            (f"{used:,} of {t.lookups:,}", "lookups the agent would have made"),
            (f"{t.detours:,}", f"detours, in {with_one}"),
        )
    )


def _reading(chosen: Replayed, decider: str) -> str:
    t = chosen.totals
    text = (
        f"{t.episodes:,} sessions, decided by {decider} at threshold "
        f"{chosen.threshold:g}: {saving(chosen)}."
    )
    if chosen.model is not None:
        low, high = chosen.model
        text += (
            f" In these very sessions it is {low:.1%} to {high:.1%} over what is not "
            "known of the flow's model."
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


def _thresholds_table(settings: Sequence[Replayed]) -> Part:
    headers = ["threshold", "turns saved", "share", "lookups", "detours", "with one"]
    rows: list[list[object]] = [
        [
            f"{s.threshold:g}", s.totals.turns_saved,
            f"{s.totals.turns_saved_share:.1%}", s.totals.lookups,
            s.totals.detours, s.totals.episodes_with_detour,
        ]
        for s in settings
    ]  # fmt: skip
    if settings[0].model is not None:
        headers.append("over the model")
        for row, setting in zip(rows, settings, strict=True):
            low, high = setting.model or (0.0, 0.0)
            row.append(f"{low:.1%} to {high:.1%}")
    tokens = [s.tokens for s in settings if s.tokens is not None]
    if tokens:
        headers += ["prompt tokens saved", "share"]
        for row, found in zip(rows, tokens, strict=True):
            row += [f"{found.prompt.part:,.0f}", percent(found.prompt)]
    if tokens and tokens[0].dollars.whole:
        headers.append("dollars saved")
        for row, found in zip(rows, tokens, strict=True):
            row.append(f"{found.dollars.part:,.2f}")
    return table(headers, rows, text=0)


def counts_table(t: Totals) -> Part:
    """What was counted."""
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
