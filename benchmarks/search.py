"""
Searches on training tasks, scored on held-out tasks and on agents they never saw.

    python -m benchmarks.search --out docs/results

Each flow is learned as `benchmarks/figures.py` learns it; the search replays sessions
of training tasks, and its settings are then replayed on test tasks. Writes `search.md`.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from benchmarks.figures import (
    AIRLINE_TEST,
    LESSONS,
    RETAIL_TEST,
    episodes,
    split,
    teach,
)
from stretto.evaluate.growing import Grower
from stretto.evaluate.intervals import Interval
from stretto.evaluate.sweep import Sweep
from stretto.files import write_text
from stretto.flow.flow import Flow
from stretto.learn.nsga import by_nsga
from stretto.learn.search import Scorer, by_coordinates
from stretto.learn.searching import HeldOut, elsewhere, search
from stretto.learn.space import Space
from stretto.markdown import table
from stretto.report.document import markdown
from stretto.report.search import search_document


@dataclass(frozen=True, slots=True)
class Case:
    """A flow, the sessions to search on, and those to score on."""

    lesson: str
    searched: tuple[str, ...]
    others: tuple[str, ...]
    """Files of agents that neither the flow nor the search has seen."""


CASES = (
    Case("retail", ("run2",), ("gpt-5-mini", "gemini-3-flash")),
    Case(
        "airline",
        ("gpt-4o-2024-11-20", "claude-opus-4-6-button"),
        ("airline gpt-4.1 20",),
    ),
)
NAMES = {"run2": "gpt-4.1-mini", "airline gpt-4.1 20": "gpt-4.1"}
TEST = {"retail": RETAIL_TEST, "airline": AIRLINE_TEST}
METHODS = {"one site at a time": by_coordinates, "NSGA-II": partial(by_nsga, seed=25)}


def scorer(flow: Flow, files: tuple[str, ...], domain: str, side: str) -> Scorer:
    """A scorer over the sessions of one side of the domain's tasks."""
    tasks = TEST[domain]() if side == "test" else split(domain, side)()
    measured = list(episodes(files, tasks))
    space = Space.of(flow)
    return Scorer(space, {n: Sweep(Grower(flow, n), measured) for n in space.deciders})


def beside(agent: str, held_out: HeldOut) -> list[object]:
    """The chosen setting beside the first by hand, on one agent's test tasks."""
    first, chosen = held_out.seeds[0], held_out.chosen
    return [
        agent, held_out.episodes, first.turns_saved, chosen.turns_saved,
        spelled(held_out.saved_interval), first.detours, chosen.detours,
        spelled(held_out.detours_interval),
    ]  # fmt: skip


def spelled(interval: Interval | None) -> str:
    """The interval of a difference."""
    return "" if interval is None else f"{interval.low:+.0f} to {interval.high:+.0f}"


def searched(case: Case) -> str:
    """A case's part of the page."""
    flow = teach(LESSONS[case.lesson]).flow
    found = search(scorer(flow, case.searched, case.lesson, "train"), METHODS)
    space = Space.of(flow)
    held_out = elsewhere(scorer(flow, case.searched, case.lesson, "test"), found)
    rows = [beside(", ".join(NAMES.get(f, f) for f in case.searched), held_out)]
    for agent in case.others:
        there = elsewhere(scorer(flow, (agent,), case.lesson, "test"), found)
        rows.append(beside(NAMES.get(agent, agent), there))
    headers = (
        "agents, test tasks", "sessions", "saved at 0.3", "saved, chosen",
        "95% of the difference", "detours at 0.3", "detours, chosen",
        "95% of the difference",
    )  # fmt: skip
    page = markdown(search_document(f"the {case.lesson} flow", space, found, held_out))
    return f"#{page}\n\n### The chosen setting elsewhere\n\n" + table(
        headers,
        [[str(cell) for cell in row] for row in rows],
        right=frozenset(range(1, len(headers))),
    )


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False))
def main(out: Path | None) -> None:
    """Search, and write the page."""
    parts = [
        "# What a search over thresholds finds",
        "    python -m benchmarks.search --out docs/results",
        "Flows are learned on training tasks, searched on sessions of training tasks, "
        "and scored on test tasks.\nThe retail search replays another run of the agent "
        "that the flow was learned from; the airline search the very agents, whose "
        "training sessions the flow has counted.",
        *(searched(case).replace("\n## ", "\n### ") for case in CASES),
    ]
    text = "\n\n".join(parts) + "\n"
    click.echo(text)
    if out is not None:
        write_text(out / "search.md", text)


if __name__ == "__main__":
    main()
