"""A replay one setting at a time: by another rule, with bounds, against a server."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stretto.counted import counted
from stretto.evaluate.accounts import Sum
from stretto.evaluate.alone import Between, Pair
from stretto.evaluate.fidelity import Fidelity
from stretto.evaluate.rules import Rule
from stretto.report.document import Document, Heading, Key, Part, Prose, table
from stretto.report.replay import counts_table, saving

MAX_PAIRS = 20
"""How many pairs of a lookup and the call that it answered are shown."""

MOST = 0.5
"""The share of calls that a server has to answer as recorded, to be the same server."""

_ONE = "Each lookup answers one call, and a turn is saved when all its calls were."


_HEADERS = ("replayed in", "turns saved", "in part", "lookups", "used", "detours",
            "between")  # fmt: skip


@dataclass(frozen=True, slots=True)
class AtServer:
    """The same replays against a server."""

    sums: Sequence[Sum]
    """By threshold, rising."""
    fidelity: Fidelity
    left_out: Sequence[tuple[str, str]]
    """The sessions that the server failed in, each with the cause."""


def counting(rule: Rule) -> str:
    """The rule in words, which every output states."""
    said = [f"Counting rule: {rule.name}."]
    if rule.is_legacy:
        said.append(
            "Any call that was made before is skipped, by the flow or by the agent."
        )
    else:
        said.append(f"Only calls that a lookup answered are skipped. {_ONE}")
    if rule.same_result:
        said.append(
            "A lookup also answers a call of its tool that returned the same, where "
            "the arguments that both pass agree."
        )
    if rule.by_record:
        said.append(
            "A write makes those lookups stale that share a value with its arguments."
        )
    if rule.equal_numbers:
        said.append("Arguments 1 and 1.0 are the same.")
    said.append(
        "The replay takes it that the agent would have acted the same with the lookups "
        "in hand. Figures by another rule are not to be set beside these."
    )
    return " ".join(said)


def replay_alone_document(
    sums: Sequence[Sum],
    chosen: int,
    name: str,
    decider: str,
    rule: Rule,
    server: AtServer | None = None,
) -> Document:
    """
    The replay of the flow called `name`, in the record and against a server.

    Args:
        sums: In the record, by threshold, rising.
        chosen: The place of the threshold that the report is about.
    """
    title = f"Replay of {name}"
    main = (sums if server is None else server.sums)[chosen]
    if not main.totals.turns:
        return Document(
            title, (Prose("There was no LLM turn to replay."), *_left(server))
        )
    where = "the record" if server is None else "the server"
    parts: list[Part] = [
        _key(main, is_exact=server is not None),
        Prose(
            f"{counted(main.totals.episodes, 'session')}, decided by {decider} at "
            f"threshold {main.threshold:g}, against {where}: {saving(main)}."
        ),
    ]
    if server is not None:
        parts += [Heading("Against the server"), *_beside(sums[chosen], main, server)]
    if len(sums) > 1:
        parts += [Heading("Thresholds"), _thresholds(sums, server)]
    if main.pairs:
        parts += [Heading("Answered by another call's lookup"), _pairs(main.pairs)]
    parts += [Heading("Counts"), counts_table(main.totals), Prose(counting(rule))]
    return Document(title, tuple(parts))


def _key(main: Sum, *, is_exact: bool) -> Key:
    t = main.totals
    detours = f"{t.detours:,}" if is_exact else _span(main.detours)
    return Key(
        (
            (f"{t.turns_saved_share:.1%}", "of LLM turns saved"),
            (f"{t.turns_saved:,}", f"of {t.turns:,} turns"),
            (f"{main.credit:,.1f}", "turns, counting those skipped in part"),
            (f"{t.lookups - t.detours:,} of {t.lookups:,}", "lookups used"),
            (detours, "detours" if is_exact else "detours, were the tools asked"),
        )
    )


def _span(between: Between) -> str:
    low, high = between
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _beside(record: Sum, live: Sum, server: AtServer) -> Iterator[Part]:
    yield table(
        (
            "replayed in",
            "turns saved",
            "in part",
            "lookups",
            "used",
            "detours",
            "between",
        ),
        [_row("the server", live, is_exact=True), _row("the record", record)],
    )
    told = server.fidelity
    same = told.executed - told.differing.total()
    right = told.answered - told.misread.total()
    text = (
        f"The server returned what the record has for {same:,} of the agent's "
        f"{counted(told.executed, 'call')}, and lookups for {right:,} of "
        f"{told.answered:,} that they answered."
    )
    if told.unsent:
        text += f" {counted(told.unsent, 'call')} had no object for arguments."
    if same < told.executed * MOST:
        text += (
            " It is not the server that these sessions were recorded with, or not in "
            "the state that they began in: take none of these numbers for theirs."
        )
    yield Prose(text)
    if others := told.differing + told.misread:
        yield table(
            ("tool", "calls that returned something else", "lookups"),
            [
                (tool, told.differing[tool], told.misread[tool])
                for tool, _ in others.most_common()
            ],
        )
    yield from _left(server)


def _left(server: AtServer | None) -> Iterator[Part]:
    if server is not None and server.left_out:
        n = len(server.left_out)
        yield Prose(f"{counted(n, 'session')} left out, in which the server failed:")
        yield table(("session", "cause"), server.left_out, text=2)


def _row(name: str, of: Sum, *, is_exact: bool = False) -> Sequence[object]:
    t = of.totals
    between = "exact" if is_exact else _span(of.detours)
    used = t.lookups - t.detours
    return (
        name, t.turns_saved, f"{of.credit:,.1f}", t.lookups, used, t.detours, between
    )  # fmt: skip


def _thresholds(sums: Sequence[Sum], server: AtServer | None) -> Part:
    rows: list[Sequence[object]] = []
    for place, in_record in enumerate(sums):
        threshold = f"{in_record.threshold:g}"
        if server is not None:
            live = server.sums[place]
            rows.append((threshold, *_row("the server", live, is_exact=True)))
        rows.append((threshold, *_row("the record", in_record)))
    return table(("threshold", *_HEADERS), rows, text=2)


def _pairs(pairs: Counter[Pair]) -> Part:
    return table(
        ("tool", "looked up with", "called with", "times"),
        [
            (pair.call.tool, pair.lookup.arguments, pair.call.arguments, n)
            for pair, n in pairs.most_common(MAX_PAIRS)
        ],
        text=3,
    )
