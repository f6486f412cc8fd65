"""`deciders.md`: the measurements of `benchmarks.deciders`."""

import platform
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePath

from benchmarks.deciders_learned import SEED
from benchmarks.deciders_table import (
    HABIT,
    STEP,
    TURNS,
    Found,
    rows,
    verdict,
)
from benchmarks.local_model import FILES
from stretto.flow.decide import THRESHOLD
from stretto.markdown import codes, table

HEADS = {
    "log loss offered": "log loss, steps on offer",
    "share saved": "share of turns",
}

PROSE = Path(__file__).parent
"""Where the page's prose is, in `deciders_*.md`."""


def page(
    found: Sequence[Found], seconds: float, load: Sequence[float], *, trained: bool
) -> str:
    """
    The page as Markdown.

    Args:
        trained: Whether every network was trained in those seconds.
    """
    opening = _opening(found, _spent(seconds, load, trained))
    method, reading = _prose("method"), _prose("reading")
    parts = [opening, method, _summary(found), reading, *map(_case, found)]
    return "\n\n".join(parts) + "\n"


def _spent(seconds: float, load: Sequence[float], trained: bool) -> str:
    loads = ", ".join(f"{x:.1f}" for x in load)
    before = "" if trained else ", with networks that an earlier run may have kept"
    return (
        f"in {seconds / 60:.0f} minutes of CPU{before}, Python "
        f"{platform.python_version()}, on 2 cores that other jobs used too (load "
        f"{loads} at the end)"
    )


def _opening(found: Sequence[Found], spent: str) -> str:
    listed = [
        f"- {domain}: {_files(domain)}"
        for domain in dict.fromkeys(one.case.domain for one in found)
    ]
    return "\n".join(
        [
            "# The deciders side by side",
            "",
            "From this page you know how well each decider foretells an agent's next "
            "step, and how many turns it saves, on tasks and on agents that nothing "
            "was learned from.",
            "",
            "    python -m benchmarks.deciders --out docs/results",
            "",
            f"Measured on {datetime.now(UTC):%d %B %Y}, training with seed {SEED}, "
            f"{spent}; [deciders.json](deciders.json) has the numbers, and "
            "every decider's turns at more thresholds.",
            "The sessions, of `../shared/data/sessions`:",
            "",
            *listed,
        ]
    )


def _files(domain: str) -> str:
    paths = [PurePath(path) for of in FILES[domain].values() for path in of]
    folders = codes(dict.fromkeys(path.parent.name for path in paths))
    return f"{codes(path.name for path in paths)}, of {folders}"


def _prose(name: str) -> str:
    return (PROSE / f"deciders_{name}.md").read_text("utf-8").rstrip()


def _summary(found: Sequence[Found]) -> str:
    heads = ["", *STEP, *(f"{m}, {t}" for t in ("0.3", "chosen") for m in _COUNTED)]
    lines = [
        [
            name,
            *(verdict(found, name, m, is_chosen=False) for m in STEP),
            *(
                verdict(found, name, m, is_chosen=is_chosen)
                for is_chosen in (False, True)
                for m in _COUNTED
            ),
        ]
        for name in found[0].deciders
        if name != HABIT
    ]
    right = {*range(1, len(heads))}
    return "\n".join(
        [
            "## In short",
            "",
            f"In how many of the {len(found)} cases below each is better than the "
            "habit, and in how many worse, the interval of the difference without 0; "
            "in the rest it cannot be told.",
            "The cases of one domain share their test tasks.",
            "",
            table([HEADS.get(head, head) for head in heads], lines, right=right),
            "",
            "Turns saved · detours:",
            "",
            table(
                ["", "threshold", *found[0].deciders],
                _told(found),
                right={*range(1, len(found[0].deciders) + 2)},
            ),
        ]
    )


_COUNTED = ("turns saved", "detours")


def _told(found: Sequence[Found]) -> Iterator[list[str]]:
    """What each decider saves in a case, at either threshold."""
    for one in found:
        for is_chosen in (False, True):
            cells = []
            for measured in one.deciders.values():
                _, sums = measured.at(is_chosen)
                saved, detours = (sums.estimate(m).value for m in _COUNTED)
                cells.append(f"{saved:,.0f} · {detours:,.0f}")
            yield [str(one.case), "chosen" if is_chosen else f"{THRESHOLD}", *cells]


def _case(found: Found) -> str:
    case = found.case
    agents = (
        f"every session but {case.agent}'s" if case.agent else "every agent's sessions"
    )
    own = ", ".join(
        f"{name} {measured.threshold:g}" for name, measured in found.deciders.items()
    )
    habit = found.deciders[HABIT].first
    decided = habit.estimate("decisions").value
    turns = found.deciders[HABIT].every[THRESHOLD].turns
    return "\n".join(
        [
            f"## {str(case).capitalize()}",
            "",
            f"Learned from {agents} of {found.learned_tasks} training tasks: "
            f"{found.learned}, of which {found.succeeded} succeeded; the arbiter with "
            f"`local` was fitted on {found.cases:,} decisions.",
            f"Measured on {found.sessions} sessions of {found.tasks} test tasks: "
            f"{decided:,.0f} decisions, {turns:,} turns.",
            "",
            _table("the next step", found, STEP),
            "",
            _table(f"at {THRESHOLD}", found, TURNS),
            "",
            f"Chosen on these training tasks: {own}.",
            "",
            _table("at the chosen", found, TURNS, is_chosen=True),
        ]
    )


def _table(
    title: str, found: Found, measures: Sequence[str], *, is_chosen: bool = False
) -> str:
    heads = [title, *(HEADS.get(measure, measure) for measure in measures)]
    right = {*range(1, len(heads))}
    return table(heads, rows(found, measures, is_chosen=is_chosen), right=right)
