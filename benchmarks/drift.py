"""
How often a change of agent is found, and how often one is found that is not there.

    python benchmarks/drift.py --out docs/results

A flow is learned from one agent's retail sessions. Of each draw 40 sessions are
another run of that agent, in random order; a splice goes on with 20 sessions of another
agent, a steady draw with 20 more of the same.
"""

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import read_manifest
from stretto.evaluate.drift import drift
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


def drawn(
    flow: Flow, same: Sequence[Episode], after: Sequence[Episode], *, online: bool
) -> tuple[int, int]:
    """Of all draws, those with an alarm near the splice, and those with one before."""
    near = early = 0
    for seed in range(DRAWS):
        draw = random.Random(seed)
        first = draw.sample(same, BEFORE + AFTER)
        other = first[BEFORE:] if after is same else draw.sample(after, AFTER)
        found = drift(flow, [*first[:BEFORE], *other], online=online)
        starts = [alarm.start for alarm in found.alarms]
        near += any(abs(start - BEFORE) <= NEAR for start in starts)
        early += any(start < BEFORE - NEAR for start in starts)
    return near, early


def page(rows: Sequence[tuple[str, str, int, int]]) -> str:
    """What was found, as Markdown."""
    lines = [
        f"| {name} | {prior} | {near} | {early} |" for name, prior, near, early in rows
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
            f"An alarm is near when it places the change at most {NEAR} sessions off; "
            "an early one is false, and so is every near one of the same run's.",
            "",
            f"| then come sessions of | prior from | near, of {DRAWS} | early, of "
            f"{DRAWS} |",
            "|---|---|--:|--:|",
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
    rows = []
    for online in (False, True):
        prior = "the first ten" if online else "all sessions"
        for name, after in (
            ("the same run", same),
            *((name, sessions(file)) for name, file in OTHERS.items()),
        ):
            rows.append((name, prior, *drawn(flow, same, after, online=online)))
    write_text(out / "drift.md", page(rows))


if __name__ == "__main__":
    sys.exit(main())
