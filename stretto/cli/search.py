"""`stretto search`: thresholds for every site, found by replaying sessions."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from stretto.canonical import compact
from stretto.cli.chosen import Measured
from stretto.cli.deciding import ORACLE, Deciding
from stretto.cli.examples import example
from stretto.cli.number import Whole
from stretto.cli.options import Sessions, as_json, sessions
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import questions
from stretto.cli.reports import html_option, write_report
from stretto.cli.settings import begun, jobs_option, keep_option, kept
from stretto.cli.tasks import chosen
from stretto.episodes.episode import Episode
from stretto.errors import StrettoError
from stretto.evaluate.growing import Grower
from stretto.evaluate.sweep import Sweep
from stretto.files import write_text
from stretto.flow.wire import read_flow, write_flow
from stretto.learn.search import Scorer, by_coordinates
from stretto.learn.search_file import read_search, search_json
from stretto.learn.searching import Method, elsewhere
from stretto.learn.searching import search as search_all
from stretto.learn.space import Space
from stretto.report.search import search_document


@click.command(
    epilog=example(
        "stretto search shop.flow.json sessions/ --split split.json -o search.json",
        "stretto search shop.flow.json other-agent/ --split split.json \\",
        "    --rescore search.json",
    ),
)
@click.argument("flow", type=click.Path(path_type=Path))
@sessions
@click.option(
    "--split", metavar="FILE|tens",
    help="JSON with task ids under `train` and `test`: the search is scored on the "
    "train tasks, and what it finds on the test tasks too. `tens` splits numbered "
    "tasks by their last digit.",
)  # fmt: skip
@click.option(
    "--rescore", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="Do not search: score what an earlier search found; with --split, on the test "
    "tasks.",
)  # fmt: skip
@click.option(
    "--coordinates", "only_sites", is_flag=True,
    help="Search one site at a time only, which is exact and needs no extra.",
)  # fmt: skip
@click.option(
    "--population",
    type=Whole(2, 10_000),
    default=64,
    show_default=True,
    help="Settings in each of NSGA-II's generations.",
)
@click.option(
    "--generations",
    type=Whole(1, 10_000),
    default=40,
    show_default=True,
    help="NSGA-II's generations, the first among them.",
)
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=25,
    show_default=True,
    help="NSGA-II's seed.",
)
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="Write what was found, for --rescore.",
)  # fmt: skip
@click.option(
    "--write", "flow_out", metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the flow with the thresholds that were chosen.",
)  # fmt: skip
@questions(dollars=1, default=ORACLE)
@keep_option
@jobs_option
@html_option
@as_json
def search(
    flow: Path,
    sessions: Sessions,
    split: str | None,
    rescore: Path | None,
    only_sites: bool,
    population: int,
    generations: int,
    seed: int,
    out: Path | None,
    flow_out: Path | None,
    choice: OracleChoice,
    folder: Path | None,
    jobs: int,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Search for thresholds, site by site, that save more turns with fewer detours.

    Every site may have a threshold from 0.10 to 0.95, or be off, and the decider may be
    the flow's own or the habit alone. Settings are scored by replaying the sessions;
    the front are those that no other one beats. Of these the one is chosen that makes
    the fewest detours while it saves the turns of the first setting by hand, or more.

    FLOW is a file that `stretto learn` wrote; PATHS are session files and folders of
    them.
    """
    compiled = read_flow(flow)
    space = Space.of(compiled)
    by = [Deciding.of(flow, name, choice) for name in space.deciders]
    searched, others = _sides(sessions, split, is_rescoring=rescore is not None)
    if rescore is None:
        methods: dict[str, Method] = {"one site at a time": by_coordinates}
        if not only_sites:
            methods["NSGA-II"] = _nsga(population, generations, seed)
        with _scoring(space, by, searched, folder, jobs) as scorer:
            found = search_all(scorer, methods)
    else:
        found = read_search(rescore, space)
    held_out = None
    if others:
        with _scoring(space, by, others, folder, jobs) as scorer:
            held_out = elsewhere(scorer, found)
    summary = search_json(space, found, held_out)
    if out is not None:
        write_text(out, compact(summary) + "\n")
    if flow_out is not None:
        thresholds = space.thresholds(found.chosen.choice)
        write_flow(replace(compiled, thresholds=thresholds), flow_out)
    write_report(
        lambda draw: search_document(flow.name, space, found, held_out, draw),
        summary,
        page,
        as_json,
    )


def _sides(
    sessions: Sessions, split: str | None, *, is_rescoring: bool
) -> tuple[list[Episode], list[Episode]]:
    """The episodes to search on, and those to score what was found on."""
    if split is None:
        every = list(Measured(sessions, None))
        return ([], every) if is_rescoring else (every, [])
    train, test = (chosen(split, None, side) for side in ("train", "test"))
    assert train is not None
    assert test is not None
    wanted = test if is_rescoring else lambda task: train(task) or test(task)
    every = list(Measured(sessions, wanted))
    searched = [] if is_rescoring else [e for e in every if train(e.task_or_id)]
    if not (searched or is_rescoring):
        raise StrettoError("no session is of a train task", hint="look at --split")
    return searched, [e for e in every if test(e.task_or_id)]


@contextmanager
def _scoring(
    space: Space,
    by: list[Deciding],
    episodes: list[Episode],
    folder: Path | None,
    jobs: int,
) -> Iterator[Scorer]:
    """
    A scorer over the episodes, whose graphs are kept when all is scored.

    Graphs that rest on an oracle's answers are not: it may answer otherwise next time.
    """
    places = [None if one.asks else folder for one in by]
    growers = [Grower(one.flow, given=one.decider, oracle=one.oracle()) for one in by]
    sweeps = [
        begun(Sweep(grower, episodes, jobs), one.flow, place)
        for one, grower, place in zip(by, growers, places, strict=True)
    ]
    yield Scorer(space, dict(zip(space.deciders, sweeps, strict=True)))
    for one, sweep, place in zip(by, sweeps, places, strict=True):
        kept(sweep, one.flow, place)


def _nsga(population: int, generations: int, seed: int) -> Callable[[Scorer], None]:
    try:
        nsga = importlib.import_module("stretto.learn.nsga")
    except ModuleNotFoundError as cause:
        if (cause.name or "").partition(".")[0] != "pymoo":
            raise
        raise StrettoError(
            "NSGA-II needs pymoo, which is not installed",
            hint="`pip install 'stretto[search]'`, or give `--coordinates`",
        ) from cause
    return partial(
        nsga.by_nsga, population=population, generations=generations, seed=seed
    )
