"""
The worked figures of the specification, met on the shared sessions or not.

    python benchmarks/figures.py --out docs/results

Learns six habits (no code features, α the grid's median, threshold 0.3), audits and
replays each on other sessions, replays the published flow files, and writes what was
found beside what was expected: `figures.md` for reading, `figures.json` for machines.
Exits 1 when a figure differs.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import read_manifest
from stretto.evaluate.audit import audit
from stretto.evaluate.headroom import headroom
from stretto.evaluate.replay import replay
from stretto.evaluate.rows import totals
from stretto.files import read_json, write_text
from stretto.flow.flow import Flow
from stretto.flow.wire import read_flow
from stretto.habit.concentration import Posterior, grid
from stretto.habit.encode import Encoded
from stretto.habit.prequential import prequential
from stretto.learn.corpus import Corpus
from stretto.learn.learn import Learned, learn
from stretto.learn.settings import ORDER, Settings
from stretto.traces.reader import ReadOptions, read

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"
SESSIONS = SHARED / "sessions"

RETAIL = "tau2-retail-codesque16/retail__"
PRS = "tau2-sierra-prs/"
FILES = {
    "run1": f"{RETAIL}gpt-4.1-mini__run1__114.jsonl.gz",
    "run2": f"{RETAIL}gpt-4.1-mini__run2__114.jsonl.gz",
    "gpt-5-mini": f"{RETAIL}gpt-5-mini__114.jsonl.gz",
    "gemini-3-flash": f"{RETAIL}gemini-3-flash__tasks-verified__114.jsonl.gz",
    "retail gpt-4.1 40": f"{PRS}retail__gpt-4.1__40.json.gz",
    "gpt-4o-2024-11-20": f"{PRS}airline__gpt-4o-2024-11-20__50.json.gz",
    "claude-opus-4-6-button": f"{PRS}airline__claude-opus-4-6-button__50.json.gz",
    "airline gpt-4.1 20": f"{PRS}airline__gpt-4.1__20.json.gz",
    "gpt-4o 50x4": "tau1-sierra/airline__gpt-4o__50x4.json.gz",
    "telecom gpt-4.1 40": f"{PRS}telecom__gpt-4.1__40.json.gz",
    "telecom gpt-4o 20": f"{PRS}telecom__gpt-4o__20.json.gz",
    "solo gpt-4.1 40": f"{PRS}telecom-solo__gpt-4.1__40.json.gz",
    "solo gpt-4.1 5x4": f"{PRS}telecom-solo__gpt-4.1__5x4.json.gz",
}

Chosen = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one flow is learned from, and what that should come to."""

    files: tuple[str, ...]
    manifest: str
    tasks: Callable[[], Chosen | None]
    expected: tuple[int, int, int, int]
    """Habit episodes, training episodes, episodes read, V."""
    alpha: tuple[float, float, float]
    """The median, 5% and 95%."""


def split(domain: str, side: str) -> Callable[[], Chosen]:
    """The tasks of one side of a domain's published split."""

    def chosen() -> Chosen:
        node = read_json(SHARED / "splits" / f"{domain}.json")
        tasks = {task.text() for task in node[side].array()}
        return tasks.__contains__

    return chosen


def everything() -> None:
    """Every task."""
    return


def first_six() -> Chosen:
    """Tasks 0 to 5 of every ten."""
    return lambda task: int(task) % 10 < 6


def last_four() -> Chosen:
    """Tasks 6 to 9 of every ten."""
    return lambda task: int(task) % 10 >= 6


LESSONS = {
    "retail": Lesson(
        ("run1",), "retail", split("retail", "train"), (50, 74, 114, 18),
        (5.347, 4.276, 6.677),
    ),
    "retail pooled": Lesson(
        ("run1", "gpt-5-mini", "gemini-3-flash"), "retail", split("retail", "train"),
        (153, 222, 342, 18), (5.719, 4.864, 6.713),
    ),
    "airline": Lesson(
        ("gpt-4o-2024-11-20", "claude-opus-4-6-button"), "airline",
        split("airline", "train"), (37, 60, 100, 16), (9.362, 7.144, 12.219),
    ),
    "τ-bench airline": Lesson(
        ("gpt-4o 50x4",), "airline-v1", first_six, (48, 120, 120, 16),
        (10.068, 7.623, 13.259),
    ),
    "telecom": Lesson(
        ("telecom gpt-4.1 40",), "telecom", everything, (18, 40, 40, 15),
        (2.647, 1.768, 3.898),
    ),
    "telecom solo": Lesson(
        ("solo gpt-4.1 40",), "telecom-solo", everything, (20, 40, 40, 45),
        (4.062, 3.310, 4.988),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Replayed:
    """A learned flow on other sessions, and what that should come to."""

    lesson: str
    file: str
    tasks: Callable[[], Chosen | None]
    size: tuple[int, int, int]
    """Episodes, of them empty, and LLM turns."""
    headroom: float
    audit: tuple[int, float, float, float]
    """Decisions, agreement, mean log p, ECE."""
    habit: tuple[int, int, int, int]
    """Turns saved, lookups, detours, episodes with a detour."""
    reach: tuple[int, int, int, int]


RETAIL_TEST, AIRLINE_TEST = split("retail", "test"), split("airline", "test")
REPLAYS = (
    Replayed("retail", "run2", RETAIL_TEST, (40, 0, 525), .1429,
             (186, .5215, -1.0045, .1699), (55, 127, 19, 10), (98, 181, 30, 16)),
    Replayed("retail", "gpt-5-mini", RETAIL_TEST, (40, 1, 479), .2651,
             (191, .4764, -1.1785, .1841), (73, 115, 21, 13), (122, 170, 27, 17)),
    Replayed("retail", "gemini-3-flash", RETAIL_TEST, (40, 0, 439), .3235,
             (209, .4163, -1.1924, .2740), (71, 126, 17, 12), (121, 194, 30, 18)),
    Replayed("retail pooled", "retail gpt-4.1 40", RETAIL_TEST, (40, 0, 476), .1912,
             (185, .6000, -.9269, .2523), (98, 154, 9, 5), (115, 180, 17, 12)),
    Replayed("airline", "airline gpt-4.1 20", AIRLINE_TEST, (20, 0, 206), .1602,
             (62, .4355, -1.3370, .3110), (22, 53, 8, 2), (22, 53, 8, 2)),
    Replayed("τ-bench airline", "gpt-4o 50x4", last_four, (80, 0, 903), .2193,
             (245, .6857, -1.0379, .0695), (80, 133, 53, 23), (80, 135, 55, 25)),
    Replayed("telecom", "telecom gpt-4o 20", everything, (20, 0, 217), .1843,
             (59, .1864, -2.0110, .5382), (1, 32, 29, 18), (22, 54, 29, 18)),
    Replayed("telecom solo", "solo gpt-4.1 5x4", everything, (20, 0, 212), .8113,
             (192, .6875, -1.8073, .0967), (62, 62, 0, 0), (62, 62, 0, 0)),
)  # fmt: skip

PUBLISHED = (
    ("airline-reach", "reach", "gpt-4o-2024-11-20", AIRLINE_TEST, 173, (18, 42, 10, 5)),
    ("airline-reach", "habit", "gpt-4o-2024-11-20", AIRLINE_TEST, 173, (18, 42, 10, 5)),
    ("airline-reach", "reach", "claude-opus-4-6-button", AIRLINE_TEST, 173,
     (12, 56, 3, 3)),
    ("airline-reach", "habit", "claude-opus-4-6-button", AIRLINE_TEST, 173,
     (12, 56, 3, 3)),
    ("airline-reach", "reach", "airline gpt-4.1 20", AIRLINE_TEST, 206, (22, 53, 8, 2)),
    ("airline-reach", "habit", "airline gpt-4.1 20", AIRLINE_TEST, 206, (22, 53, 8, 2)),
    ("airline-f2", "habit", "gpt-4o-2024-11-20", AIRLINE_TEST, 173, (18, 41, 9, 5)),
    ("airline-f2", "habit", "claude-opus-4-6-button", AIRLINE_TEST, 173,
     (12, 77, 27, 7)),
    ("airline-f2", "habit", "airline gpt-4.1 20", AIRLINE_TEST, 206, (22, 53, 8, 2)),
    ("retail-5-sessions", "habit", "run1", RETAIL_TEST, 501, (18, 79, 10, 6)),
    ("retail-5-sessions", "habit", "gpt-5-mini", RETAIL_TEST, 479, (39, 76, 18, 10)),
    ("retail-5-sessions", "habit", "gemini-3-flash", RETAIL_TEST, 439,
     (37, 88, 13, 8)),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """One number, as found and as expected."""

    of: str
    name: str
    found: float
    expected: float
    within: float = 0.0
    """How far apart they may lie: half a unit of the last digit given."""

    @property
    def met(self) -> bool:
        """Whether they agree to the digits given."""
        return abs(self.found - self.expected) <= self.within


def episodes(names: tuple[str, ...], chosen: Chosen | None) -> Iterator[Episode]:
    """The sessions of some files whose task is chosen."""
    paths = [SESSIONS / FILES[name] for name in names]
    for episode in read(paths, options=ReadOptions(strict=True)):
        if chosen is None or chosen(episode.task):
            yield episode


def teach(lesson: Lesson) -> Learned:
    """The flow of a lesson. Its vocabulary is of every session of its files."""
    corpus = Corpus(lambda: episodes(lesson.files, None))
    manifest = read_manifest(SHARED / "manifests" / f"{lesson.manifest}.json")
    settings = Settings(tasks=lesson.tasks(), features=False, sampler=coarse)
    return learn(corpus, manifest, settings)


def coarse(encoded: Sequence[Encoded], vocab_size: int) -> Posterior:
    """The posterior on the grid the figures were made with, ten times coarser."""
    return grid(prequential(encoded, vocab_size, order=ORDER), step=0.02)


def learned_figures(name: str, lesson: Lesson, learned: Learned) -> Iterator[Figure]:
    """What learning came to."""
    flow, posterior = learned.flow, learned.concentration
    assert posterior is not None
    read_ = learned.training if name == "τ-bench airline" else learned.episodes
    counts = (
        flow.provenance.habit_episodes, learned.training, read_, flow.vocab.size,
    )  # fmt: skip
    names = ("habit episodes", "training episodes", "episodes read", "V")
    for label, found, expected in zip(names, counts, lesson.expected, strict=True):
        yield Figure(name, label, found, expected)
    found_alpha = (posterior.median, posterior.low, posterior.high)
    for label, found_, expected_ in zip(
        ("α", "α 5%", "α 95%"), found_alpha, lesson.alpha, strict=True
    ):
        yield Figure(name, label, found_, expected_, 0.0005)


def replayed_figures(expected: Replayed, flow: Flow) -> Iterator[Figure]:
    """What a learned flow came to on other sessions."""
    of = f"{expected.lesson} → {expected.file}"
    sessions = list(episodes((expected.file,), expected.tasks()))
    turns = headroom(sessions)
    empty = sum(not e.events for e in sessions)
    size = (len(sessions), empty, turns.turns)
    for label, found, wanted in zip(
        ("episodes", "empty", "LLM turns"), size, expected.size, strict=True
    ):
        yield Figure(of, label, found, wanted)
    yield Figure(of, "headroom", turns.share, expected.headroom, 0.00005)
    fit = audit(flow, sessions, decider="habit")
    audited = (fit.decisions, fit.agreement, fit.mean_log_p, fit.ece)
    for label, found_, wanted_ in zip(
        ("decisions", "agreement", "mean log p", "ECE"),
        audited, expected.audit, strict=True,
    ):  # fmt: skip
        yield Figure(of, label, found_, wanted_, 0.00005)
    for decider, wanted4 in (("habit", expected.habit), ("reach", expected.reach)):
        yield from saved_figures(of, flow, decider, sessions, wanted4)


def saved_figures(
    of: str,
    flow: Flow,
    decider: str,
    sessions: list[Episode],
    expected: tuple[int, int, int, int],
    turns: int | None = None,
) -> Iterator[Figure]:
    """What a replay came to."""
    total = totals(replay(flow, sessions, decider=decider))
    found = (
        total.turns_saved, total.lookups, total.detours, total.episodes_with_detour,
    )  # fmt: skip
    names = ("turns saved", "lookups", "detours", "episodes with a detour")
    if turns is not None:
        yield Figure(of, "LLM turns", total.turns, turns)
    for label, got, wanted in zip(names, found, expected, strict=True):
        yield Figure(of, f"{decider}: {label}", got, wanted)


def figures() -> Iterator[Figure]:
    """Every figure, in the order of the specification."""
    flows = {}
    for name, lesson in LESSONS.items():
        learned = teach(lesson)
        flows[name] = learned.flow
        yield from learned_figures(name, lesson, learned)
    for expected in REPLAYS:
        yield from replayed_figures(expected, flows[expected.lesson])
    for file, decider, sessions, tasks, turns, wanted in PUBLISHED:
        flow = read_flow(SHARED / "reference" / "flows" / f"{file}.flow.json")
        of = f"{file} on {sessions}"
        chosen = list(episodes((sessions,), tasks()))
        yield from saved_figures(of, flow, decider, chosen, wanted, turns)


def page(found: list[Figure]) -> str:
    """The figures as Markdown."""
    met = sum(figure.met for figure in found)
    rows = [
        f"| {f.of} | {f.name} | {f.found:.6g} | {f.expected:g} "
        f"| {'yes' if f.met else '**no**'} |"
        for f in found
    ]
    head = [
        "# The specification's worked figures",
        "",
        f"{met} of {len(found)} are met.",
        "Counts are met exactly, other figures to the digits given.",
        "`make results` makes this page from the shared sessions.",
        "",
        "| of | figure | found | expected | met |",
        "|---|---|--:|--:|---|",
    ]
    return "\n".join([*head, *rows, ""])


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False))
def main(out: Path | None) -> None:
    """Compute every figure; write them to the folder OUT, or print the page."""
    if not SESSIONS.is_dir():
        raise click.ClickException("the shared data are not beside the checkout")
    found = list(figures())
    if out is None:
        click.echo(page(found))
    else:
        rows = [
            {"of": f.of, "figure": f.name, "found": f.found, "expected": f.expected,
             "met": f.met} for f in found
        ]  # fmt: skip
        write_text(out / "figures.md", page(found))
        write_text(out / "figures.json", json.dumps(rows, indent=1, ensure_ascii=False))
    differing = [f for f in found if not f.met]
    for figure in differing:
        click.echo(f"differs: {figure}", err=True)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
