"""
The deciders side by side, on tasks and on agents that nothing was learned from.

    python -m benchmarks.deciders --out docs/results

Habit, reach, the arbiter with a network of one's own, and the arbiter with `mock`,
whose answers mean nothing. For each case all is learned from a domain's training tasks,
of every agent or of every agent but one, and measured on its test tasks. Writes
`deciders.md` and `deciders.json`.
"""

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import process_time

import click

from benchmarks.deciders_json import summary
from benchmarks.deciders_learned import DECIDERS, network, taught
from benchmarks.deciders_page import page
from benchmarks.deciders_table import HABIT, THRESHOLDS, Case, Found, Measured, within
from benchmarks.local_model import SHARED, sessions_of
from stretto.cli.progress import progress
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest, read_manifest
from stretto.episodes.tasks import N_FOLDS, fold
from stretto.evaluate.decisions import Scored, decisions
from stretto.evaluate.growing import Grower
from stretto.evaluate.paired import Sums
from stretto.evaluate.rows import Row, row, totals
from stretto.evaluate.setting import Setting
from stretto.evaluate.sweep import replay_all
from stretto.files import read_json, write_text
from stretto.flow.decide import THRESHOLD
from stretto.flow.decision import NO_ANSWER
from stretto.models.local_folds import N_FITS
from stretto.oracle.local.oracle import Local

CASES = (
    Case("retail"),
    Case("airline"),
    Case("retail", "gpt-5-mini"),
    Case("airline", "gpt-4o"),
    Case("retail", "gemini-3-flash"),
    Case("airline", "claude-opus-4-6"),
)


@click.command()
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--cases", "n", type=click.IntRange(1, len(CASES)), default=len(CASES),
    help="Only the first so many cases.",
)  # fmt: skip
@click.option(
    "--cache", type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where networks are kept for another run; if left out, nowhere.",
)  # fmt: skip
def main(out: Path, n: int, cache: Path | None) -> None:
    """Learn, measure, and write the page and the numbers."""
    found, began = [], process_time()
    with ExitStack() as stack:
        kept = cache or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for case in CASES[:n]:
            found.append(measured(case, kept))
            _tell(f"{case}: measured, {process_time() - began:.0f} s of CPU so far")
    told = json.dumps(summary(found), indent=1)
    write_text(out / "deciders.json", told + "\n")
    spent = process_time() - began
    write_text(
        out / "deciders.md", page(found, spent, os.getloadavg(), trained=cache is None)
    )


def measured(case: Case, cache: Path) -> Found:
    """What the deciders come to in one case."""
    split = read_json(SHARED / "splits" / f"{case.domain}.json")
    train, test = (
        {task.text() for task in split[side].array()} for side in ("train", "test")
    )
    sessions = [*sessions_of(case.domain)]
    learned = [s for s in sessions if s.task in train and s.agent != case.agent]
    new = [s for s in sessions if s.task in test and s.agent in (case.agent or s.agent)]
    manifest = read_manifest(SHARED / "manifests" / f"{case.domain}.json")
    _tell(f"{case}: training on {len(learned)} sessions")
    with progress("training", total=N_FITS) as advance:
        own = network(learned, manifest, cache, advance)
    _tell(f"{case}: learning flows")
    thresholds = chosen(learned, manifest, own)
    served = taught(learned, manifest, own)
    _tell(f"{case}: measuring on {len(new)} sessions")
    return Found(
        case=case,
        learned=len(learned),
        learned_tasks=len({s.task for s in learned}),
        succeeded=served.local.flow.provenance.habit_episodes,
        cases=len(served.local.answered),
        sessions=len(new),
        tasks=len({s.task for s in new}),
        deciders={
            name: _measured(grower, new, thresholds[name])
            for name, grower in served.growers().items()
        },
    )


def chosen(
    sessions: Sequence[Episode], manifest: Manifest, own: Local
) -> dict[str, float]:
    """
    For each decider the threshold of `within`, the habit's detours at 0.3 allowed.

    Each fold of tasks is replayed by what was learned from the others.
    """
    rows: dict[str, dict[float, list[Row]]] = {name: {} for name in DECIDERS}
    for out in range(N_FOLDS):
        others = [s for s in sessions if fold(s.task_or_id) != out]
        left = [s for s in sessions if fold(s.task_or_id) == out]
        for name, grower in taught(others, manifest, own).growers().items():
            for value, of in replayed(grower, left, THRESHOLDS).items():
                rows[name].setdefault(value, []).extend(of)
    at = {
        name: {value: totals(of) for value, of in by_value.items()}
        for name, by_value in rows.items()
    }
    allowed = at[HABIT][THRESHOLD].detours
    return {name: within(by_value, allowed) for name, by_value in at.items()}


def replayed(
    grower: Grower, sessions: Sequence[Episode], thresholds: Sequence[float]
) -> dict[float, list[Row]]:
    """Each threshold's rows, session by session."""
    settings = [Setting(value) for value in thresholds]
    rows: dict[float, list[Row]] = {value: [] for value in thresholds}
    for played in replay_all(grower, sessions, settings):
        for value, packed in zip(thresholds, played.counted.tolist(), strict=True):
            rows[value].append(row(played.size, packed))
    return rows


def _measured(
    grower: Grower, sessions: Sequence[Episode], threshold: float
) -> Measured:
    scored = [[*_scored(grower, session)] for session in sessions]
    rows = replayed(grower, sessions, sorted({*THRESHOLDS, threshold}))
    tasks = [session.task_or_id for session in sessions]

    def sums(value: float) -> Sums:
        return Sums.of(zip(tasks, scored, rows[value], strict=True))

    every = {value: totals(of) for value, of in rows.items()}
    return Measured(sums(THRESHOLD), threshold, sums(threshold), every)


def _scored(grower: Grower, session: Episode) -> Iterator[Scored]:
    """
    The decisions of a session.

    Raises:
        ValueError: one was not answered, and so the deciders are not scored alike.
    """
    along = decisions(grower.flow, grower.decider, session, oracle=grower.oracle)
    for point in along:
        if isinstance(point, Scored):
            yield point
        elif point in NO_ANSWER:
            raise ValueError(f"{grower.decider.name} was not answered: {point.value}")


def _tell(line: str) -> None:
    click.echo(line, err=True)


if __name__ == "__main__":
    main()
