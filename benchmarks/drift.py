"""
How often a change of agent is found, and how often one is found that is not there.

    python benchmarks/drift.py --out docs/results

A flow is learned from one agent's retail sessions. Of each draw 40 sessions are
another run of that agent, in random order; a splice goes on with 20 sessions of another
agent, a steady draw with 20 more of the same.
"""

import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import read_manifest
from stretto.evaluate.drift import LEVEL, Drift, drift
from stretto.files import write_text
from stretto.flow.flow import Flow
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.traces.reader import ReadOptions, read

SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
SESSIONS = SHARED / "sessions" / "tau2-retail-codesque16"
LEARNED = "retail__gpt-4.1-mini__run1__114.jsonl.gz"
SAME = "retail__gpt-4.1-mini__run2__114.jsonl.gz"
OTHERS = {
    "gpt-5-mini": "retail__gpt-5-mini__114.jsonl.gz",
    "gemini-3-flash": "retail__gemini-3-flash__tasks-verified__114.jsonl.gz",
    "the same agent with extra tools":
        "retail__gpt-4.1-mini__policy-v2-extra-tools__114.jsonl.gz",
}  # fmt: skip
BEFORE, AFTER, DRAWS = 40, 20, 60
NEAR = 3
"""How many sessions off the splice an alarm may be placed."""


def sessions(name: str) -> list[Episode]:
    """The sessions of a file that hold anything."""
    options = ReadOptions(domain="retail", strict=True)
    return [e for e in read([SESSIONS / name], options=options) if e.events]


class Found(NamedTuple):
    """Of all draws, those with an alarm, one near the splice, and one before it."""

    alarmed: int
    near: int
    early: int


def drawn(
    flow: Flow,
    same: Sequence[Episode],
    after: Sequence[Episode],
    starts: Callable[[Drift], Sequence[int]],
    *,
    online: bool,
) -> Found:
    """What is found in all draws, where `starts` says what is an alarm."""
    alarmed = near = early = 0
    for seed in range(DRAWS):
        draw = random.Random(seed)
        first = draw.sample(same, BEFORE + AFTER)
        other = first[BEFORE:] if after is same else draw.sample(after, AFTER)
        found = drift(flow, [*first[:BEFORE], *other], online=online)
        alarms = starts(found)
        alarmed += bool(alarms)
        near += any(abs(start - BEFORE) <= NEAR for start in alarms)
        early += any(start < BEFORE - NEAR for start in alarms)
    return Found(alarmed, near, early)


def in_series(found: Drift) -> list[int]:
    """Where series changed."""
    return [alarm.start for alarm in found.alarms]


def in_steps(found: Drift) -> list[int]:
    """Where next steps part, if they do."""
    return [found.parting.start] if found.parting and found.has_parted else []


WAYS = {
    "series": (in_series, False),
    "series, prior from the first ten": (in_series, True),
    "next steps": (in_steps, False),
}


def page(rows: Sequence[tuple[str, str, Found]]) -> str:
    """What was found, as Markdown."""
    lines = [
        f"| {name} | {way} | {found.alarmed} | {found.near} | {found.early} |"
        for name, way, found in rows
    ]
    return "\n".join(
        [
            "# How often drift is found",
            "",
            "    python benchmarks/drift.py --out docs/results",
            "",
            f"Each of {DRAWS} draws has {BEFORE} sessions of a second run of the agent "
            f"that the flow was learned from, in random order, and then {AFTER} "
            "sessions of what the row names.",
            f"An alarm is near when it places the change at most {NEAR} sessions off, "
            "and early when it places it before that.",
            "Of a series an early one is false; of next steps, which are looked at all "
            "at once, it is placed wrongly.",
            "Where the same run goes on, every alarm is false.",
            f"Next steps are an alarm from p = {LEVEL:g} down.",
            "",
            f"| then come sessions of | an alarm is of | alarms, of {DRAWS} draws "
            "| near | early |",
            "|---|---|--:|--:|--:|",
            *lines,
            "",
            "Sessions are not drawn at random where a benchmark stores them by task: "
            "there a change in what is asked for looks like a change of agent.",
            "",
        ]
    )


@click.command()
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False))
def main(out: Path) -> None:
    """Draw, follow, count, and write `drift.md` into the folder OUT."""
    manifest = read_manifest(SHARED / "manifests" / "retail.json")
    flow = learn(sessions(LEARNED), manifest, Settings()).flow
    same = sessions(SAME)
    after = {"the same run": same, **{n: sessions(file) for n, file in OTHERS.items()}}
    rows = [
        (name, way, drawn(flow, same, later, starts, online=online))
        for way, (starts, online) in WAYS.items()
        for name, later in after.items()
    ]
    write_text(out / "drift.md", page(rows))


if __name__ == "__main__":
    sys.exit(main())
