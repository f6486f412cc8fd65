"""
What a replay in the record says, beside one against the tools themselves, and by rule.

    python -m benchmarks.environment --out docs/results

The demo's shop is a server that answers sessions as they were recorded, so that there a
replay against it is the truth. Of the agents at hand there is the record alone: their
flows are learned as `benchmarks/figures.py` learns them, and replayed on test tasks by
each counting rule, and with what other sessions of the same benchmark were told.
"""

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.figures import (
    AIRLINE_TEST,
    LESSONS,
    RETAIL_TEST,
    SESSIONS,
    Chosen,
    episodes,
    teach,
)
from stretto.canonical import Json
from stretto.client.live import Beside, Live, replay_live
from stretto.client.session import Ends
from stretto.demo.record import record
from stretto.demo.served import saved, serve
from stretto.demo.server import served
from stretto.demo.world import build
from stretto.episodes.episode import Episode, ToolResult
from stretto.episodes.manifest import Manifest
from stretto.evaluate.accounts import Sum, added
from stretto.evaluate.alone import Between, played
from stretto.evaluate.environment import Answer, Wanted
from stretto.evaluate.made import Key, Recorded, same
from stretto.evaluate.record import Record
from stretto.evaluate.replay import Replayer
from stretto.evaluate.rules import CURRENT, Rule
from stretto.files import write_text
from stretto.flow.decide import THRESHOLD
from stretto.flow.deciders.decider import decider
from stretto.learn.learn import learn
from stretto.markdown import table as words
from stretto.traces.ledger import Ledger
from stretto.traces.reader import ReadOptions, read

SEED, TAUGHT, HELD_OUT = 7, 120, 60
THRESHOLDS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
RULES = (
    CURRENT,
    Rule(by_record=True),
    Rule(same_result=True),
    Rule(equal_numbers=True),
    Rule(is_legacy=True),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A flow, and sessions of test tasks."""

    lesson: str
    files: tuple[str, ...]
    tasks: Chosen | None
    pool: tuple[str, ...] = ()
    """Whose sessions began in the same state, as patterns of their files."""


CASES = (
    Case(
        "retail",
        ("run2", "gpt-5-mini", "gemini-3-flash"),
        RETAIL_TEST(),
        ("tau2-*/retail__*.gz",),
    ),
    Case(
        "airline",
        ("gpt-4o-2024-11-20", "claude-opus-4-6-button", "airline gpt-4.1 20"),
        AIRLINE_TEST(),
        ("tau2-sierra-prs/airline__*.gz",),
    ),
    Case("telecom solo", ("solo gpt-4.1 40",), None),
)


@contextmanager
def shop(_: object) -> Iterator[Ends]:
    """A session with the demo's shop, in a thread of this process."""
    with served(build(SEED)) as (reads, writes):
        yield Ends(writes.buffer, reads.buffer)


@dataclass(frozen=True, slots=True)
class AtShop:
    """The demo's held-out sessions."""

    live: Sequence[Sum]
    record: Sequence[Sum]
    same: int
    """The agent's calls and those of lookups that returned what the record has."""
    called: int
    served: tuple[int, int]
    """Turns saved and needless lookups once the flow was served, at 0.3."""


def at_shop(folder: Path) -> AtShop:
    """The demo's sessions against its server, in their record, and served."""
    ledger = Ledger()
    taught = record(folder / "taught", sessions=TAUGHT, seed=SEED)
    flow = learn(list(read(taught, ledger=ledger)), ledger.manifest).flow
    unseen = record(folder / "unseen", sessions=HELD_OUT, seed=SEED, first=TAUGHT)
    replayer = Replayer(flow, decider(flow))
    live = Live(shop, writes=True)
    found = [
        one
        for one in replay_live(replayer, read(unseen), THRESHOLDS, live)
        if isinstance(one, Beside)
    ]
    told = [one.fidelity for one in found]
    called = sum(of.executed + of.answered for of in told)
    wrong = sum(of.differing.total() + of.misread.total() for of in told)
    real = saved(serve(build(SEED), flow, sessions=HELD_OUT, seed=SEED, first=TAUGHT))
    return AtShop(
        [added(t, (o.live[i] for o in found)) for i, t in enumerate(THRESHOLDS)],
        [added(t, (o.record[i] for o in found)) for i, t in enumerate(THRESHOLDS)],
        called - wrong,
        called,
        (real.turns_saved, real.needless),
    )


class Pooled:
    """
    A record, and what other sessions of the same server were told before any write.

    Every session of a benchmark begins in the same state, so that what one read there
    is what any other would have, until it writes.
    """

    def __init__(self, record: Record, pool: Mapping[Key, ToolResult]) -> None:
        self.record, self.pool, self.has_written = record, pool, False
        self.tools = {key.tool for key in pool}

    def has(self, tool: str) -> bool:
        """Whether any session has a call of the tool."""
        return tool in self.tools

    def execute(self, recorded: Recorded) -> ToolResult | None:
        """The call's recorded result."""
        self.has_written |= recorded.is_write
        return recorded.result

    def look_up(self, wanted: Wanted) -> Answer:
        """The record's answer if it has one, else the pool's, else a stand-in."""
        known = self.record.answer(wanted.key, wanted.after)
        pooled = self.pool.get(wanted.key)
        if known.exact or self.has_written or pooled is None:
            return known
        return Answer(pooled.content, pooled.error, True)


def pool(sessions: Iterable[Episode], manifest: Manifest) -> dict[Key, ToolResult]:
    """What calls returned before any write, where no two sessions disagree."""
    found: dict[Key, ToolResult] = {}
    apart: set[Key] = set()
    for episode in sessions:
        for recorded in Record.of(episode, manifest).calls:
            if recorded.is_write:
                break
            if (result := recorded.result) is None:
                continue
            known = found.setdefault(recorded.key, result)
            if known.error != result.error or not same(known.content, result):
                apart.add(recorded.key)
    return {key: result for key, result in found.items() if key not in apart}


def pooled(case: Case) -> tuple[Sum, Sum, int]:
    """A case in its record and with the pool, and how many calls are in that."""
    flow = teach(LESSONS[case.lesson]).flow
    replayer = Replayer(flow, decider(flow))
    paths = sorted(path for of in case.pool for path in SESSIONS.glob(of))
    known = pool(read(paths, options=ReadOptions(strict=True)), flow.manifest)
    record, beside = [], []
    for episode in episodes(case.files, case.tasks):
        world = Pooled(replayer.walk(episode).course.record, known)
        record.append(played(replayer, episode, THRESHOLD).account)
        beside.append(played(replayer, episode, THRESHOLD, world).account)
    return added(THRESHOLD, record), added(THRESHOLD, beside), len(known)


def by_rule(case: Case) -> list[tuple[Rule, Sum]]:
    """A case by each rule, at the usual threshold."""
    flow = teach(LESSONS[case.lesson]).flow
    sessions = list(episodes(case.files, case.tasks))
    found = []
    for rule in RULES:
        replayer = Replayer(flow, decider(flow), rule=rule)
        accounts = [played(replayer, e, THRESHOLD).account for e in sessions]
        found.append((rule, added(THRESHOLD, accounts)))
    return found


def page(
    at: AtShop,
    cases: Sequence[tuple[Case, list[tuple[Rule, Sum]]]],
    pools: Mapping[str, tuple[Sum, Sum, int]],
) -> str:
    """What was found, as Markdown."""
    beside = [
        [
            f"{live.threshold:g}", live.totals.turns_saved, kept.totals.turns_saved,
            live.totals.lookups, kept.totals.lookups, live.totals.detours,
            kept.totals.detours, _span(kept.detours),
            f"{kept.totals.detours / live.totals.detours:.0%}"
            if live.totals.detours else "–",
        ]
        for live, kept in zip(at.live, at.record, strict=True)
    ]  # fmt: skip
    ruled = [
        [
            case.lesson if rule == CURRENT else "", rule.name, of.totals.turns,
            of.totals.turns_saved, f"{of.credit:,.1f}", of.totals.lookups,
            of.totals.detours, _span(of.detours),
        ]
        for case, found in cases
        for rule, of in found
    ]  # fmt: skip
    shared = [
        [
            name, n, kept.totals.turns_saved, more.totals.turns_saved,
            kept.totals.lookups, more.totals.lookups, kept.totals.detours,
            more.totals.detours, more.totals.unrecorded,
            f"{kept.totals.detours / more.totals.detours:.0%}",
        ]
        for name, (kept, more, n) in pools.items()
    ]  # fmt: skip
    turns, needless = at.served
    return "\n".join([
        "# A replay in the record, and one against the tools",
        "",
        "    python -m benchmarks.environment --out docs/results",
        "",
        "which also writes [environment.json](environment.json).",
        "",
        "## The demo's shop",
        "",
        f"A flow learned from {TAUGHT} sessions, decided by reach, on {HELD_OUT} "
        "others.",
        "The shop is a server that is begun anew for each session, and sent the "
        "agent's calls, writes and all.",
        f"It returned what the record has for {at.same:,} of {at.called:,} calls.",
        "",
        table(
            ("threshold", "saved, server", "saved, record", "lookups, server",
             "lookups, record", "detours, server", "detours, record", "between",
             "record's share"),
            beside,
            1,
        ),
        "",
        f"Served live in the same sessions at {THRESHOLD:g}, the flow saved {turns} "
        f"turns with {needless} needless lookups.",
        "*Between* are the bounds on detours that the record alone gives: at the least "
        "those that no other answer could have spared, at the most as if every run "
        "after the first guess had used up its cap for nothing.",
        "",
        "## Answers of other sessions",
        "",
        "Every session of τ²-bench's retail or airline begins in one state, so that "
        "what any session was told before its first write another one would have been.",
        "Where a session has written nothing yet and does not have a lookup's result "
        "itself, it has that of another session, if no two disagree.",
        "*Without* are the lookups that nobody ever made; a stand-in answers those.",
        f"At {THRESHOLD:g}.",
        "",
        table(
            ("flow", "calls known", "saved, record", "saved, pooled",
             "lookups, record", "lookups, pooled", "detours, record",
             "detours, pooled", "without", "record's share"),
            shared,
            1,
        ),
        "",
        "## By counting rule",
        "",
        f"Sessions of test tasks of several agents in their record, at {THRESHOLD:g}.",
        "*In part* counts a turn by the share of its calls that were skipped.",
        "Rows of one rule are not to be set beside those of another.",
        "",
        table(
            ("flow", "rule", "turns", "saved", "in part", "lookups", "detours",
             "between"),
            ruled,
            2,
        ),
        "",
    ])  # fmt: skip


def table(header: Sequence[str], rows: Sequence[Sequence[object]], text: int) -> str:
    """A table whose first `text` columns are words."""
    cells = [[f"{c:,}" if type(c) is int else str(c) for c in row] for row in rows]
    return words(header, cells, right=range(text, len(header)))


def summary(
    at: AtShop,
    cases: Sequence[tuple[Case, list[tuple[Rule, Sum]]]],
    pools: Mapping[str, tuple[Sum, Sum, int]],
) -> Json:
    """The same as JSON."""
    return {
        "shop": {
            "server": [_json(of) for of in at.live],
            "record": [_json(of) for of in at.record],
            "answered as recorded": [at.same, at.called],
            "served": [*at.served],
        },
        "pooled": {
            name: {"record": _json(kept), "pooled": _json(more), "calls": n}
            for name, (kept, more, n) in pools.items()
        },
        "rules": {
            case.lesson: {rule.name: _json(of) for rule, of in found}
            for case, found in cases
        },
    }


def _json(of: Sum) -> Json:
    t = of.totals
    return {
        "threshold": of.threshold, "turns": t.turns, "turns_saved": t.turns_saved,
        "turns_saved_in_part": round(of.credit, 4), "lookups": t.lookups,
        "detours": t.detours, "detours_between": [*of.detours],
    }  # fmt: skip


def _span(between: Between) -> str:
    return f"{between.low:,} to {between.high:,}"


@click.command()
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False))
def main(out: Path) -> None:
    """Replay both ways, and write `environment.md` and `.json` into the folder OUT."""
    with tempfile.TemporaryDirectory() as folder:
        at = at_shop(Path(folder))
    cases = [(case, by_rule(case)) for case in CASES]
    pools = {case.lesson: pooled(case) for case in CASES if case.pool}
    write_text(out / "environment.md", page(at, cases, pools))
    found = json.dumps(summary(at, cases, pools), indent=1, ensure_ascii=False)
    write_text(out / "environment.json", found + "\n")


if __name__ == "__main__":
    main()
