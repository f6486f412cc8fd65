"""
What a replay in the record says, beside one against the tools themselves, and by rule.

    python -m benchmarks.environment --out docs/results

The demo's shop is a server that answers sessions as they were recorded, so that there a
replay against it is the truth. Of the agents at hand there is the record alone: their
flows are learned as `benchmarks/figures.py` learns them, and replayed on test tasks by
each counting rule.
"""

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.figures import (
    AIRLINE_TEST,
    LESSONS,
    RETAIL_TEST,
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
from stretto.evaluate.accounts import Sum, added
from stretto.evaluate.alone import Between, played
from stretto.evaluate.replay import Replayer
from stretto.evaluate.rules import CURRENT, Rule
from stretto.files import write_text
from stretto.flow.decide import THRESHOLD
from stretto.flow.deciders.decider import decider
from stretto.learn.learn import learn
from stretto.markdown import table as words
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read

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


CASES = (
    Case("retail", ("run2", "gpt-5-mini", "gemini-3-flash"), RETAIL_TEST()),
    Case(
        "airline",
        ("gpt-4o-2024-11-20", "claude-opus-4-6-button", "airline gpt-4.1 20"),
        AIRLINE_TEST(),
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


def page(at: AtShop, cases: Sequence[tuple[Case, list[tuple[Rule, Sum]]]]) -> str:
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


def summary(at: AtShop, cases: Sequence[tuple[Case, list[tuple[Rule, Sum]]]]) -> Json:
    """The same as JSON."""
    return {
        "shop": {
            "server": [_json(of) for of in at.live],
            "record": [_json(of) for of in at.record],
            "answered as recorded": [at.same, at.called],
            "served": [*at.served],
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
    write_text(out / "environment.md", page(at, cases))
    found = json.dumps(summary(at, cases), indent=1, ensure_ascii=False)
    write_text(out / "environment.json", found + "\n")


if __name__ == "__main__":
    main()
