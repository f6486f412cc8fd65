"""`stretto curve`: what a flow saves by how many tasks it was learned from."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.number import Number, Whole
from stretto.cli.options import Sessions, as_json, labelled_sessions
from stretto.cli.problems import warn_of_problems
from stretto.cli.progress import track
from stretto.cli.reports import html_option, write_report
from stretto.cli.tasks import Tasks, chosen
from stretto.episodes.tasks import learn_split
from stretto.errors import StrettoError
from stretto.flow.decide import THRESHOLD
from stretto.learn.curve import Lesson, sizes_up_to
from stretto.learn.curve import curve as lessons_of
from stretto.report.curve import curve_document


@click.command(
    epilog=example(
        "stretto curve sessions/ --html curve.html",
        "stretto curve results.json.gz --manifest retail.json --split split.json \\",
        "    --size 1 --size 5 --size 20 --draws 5",
    ),
)
@labelled_sessions
@click.option(
    "--split", metavar="FILE|tens",
    help="JSON with task ids under `train`, to learn from, and `test`, to replay; if "
    "left out, 3 of 10 tasks are held out. `tens` splits numbered tasks by their last "
    "digit.",
)  # fmt: skip
@click.option(
    "--size", "sizes", type=Whole(1), multiple=True, metavar="N",
    help="Learn from so many tasks. Give it again for more; 1, 2, 4, … and all of them "
    "if left out.",
)  # fmt: skip
@click.option(
    "--draws", type=Whole(1, 1000), default=3, show_default=True,
    help="How often the tasks of each size are drawn.",
)  # fmt: skip
@click.option(
    "--threshold", type=Number(min=0), default=THRESHOLD, show_default=True,
    help="How likely a lookup and its arguments together have to be to be made.",
)  # fmt: skip
@html_option
@as_json
def curve(
    sessions: Sessions,
    split: str | None,
    sizes: Sequence[int],
    draws: int,
    threshold: float,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Show what a flow saves by how many tasks it was learned from.

    A flow is learned from each number of tasks, several times from tasks drawn at
    random, and replayed on sessions of tasks that are held out from all of them.

    PATHS are session files and folders of them, compressed or not.
    """
    episodes = list(sessions.episodes())
    warn_of_problems(sessions.ledger)
    tasks = list(dict.fromkeys(episode.task_or_id for episode in episodes))
    train, test = _sides(split, tasks)
    if too_many := [n for n in sizes if n > len(train)]:
        raise click.UsageError(f"--size {too_many[0]}: there are {len(train)} tasks")
    held_out = [episode for episode in episodes if test(episode.task_or_id)]
    wanted = sorted({*sizes}) or sizes_up_to(len(train))
    found = lessons_of(
        episodes, sessions.manifest(), train, held_out,
        sizes=wanted, draws=draws, thresholds=[threshold],
    )  # fmt: skip
    lessons = list(track(found, "learning"))
    write_report(
        lambda draw: curve_document(lessons, len(held_out), threshold, draw),
        {
            "held_out": len(held_out),
            "threshold": threshold,
            "lessons": [_lesson(lesson) for lesson in lessons],
        },
        page,
        as_json,
    )


def _sides(split: str | None, tasks: list[str]) -> tuple[list[str], Tasks]:
    """The tasks to draw from, and what says of a task that it is held out."""
    if split is None:
        sides = learn_split(tasks)
        train = [] if sides is None else sides.train
        test: Tasks = {*([] if sides is None else sides.held_out)}.__contains__
    else:
        is_train, is_test = (chosen(split, None, side) for side in ("train", "test"))
        assert is_train is not None
        assert is_test is not None
        train, test = [task for task in tasks if is_train(task)], is_test
    if not train or not any(map(test, tasks)):
        raise StrettoError(
            "there are no tasks to learn from, or none to hold out",
            hint="`stretto episodes` shows what was read; --split chooses by task id",
        )
    return train, test


def _lesson(lesson: Lesson) -> Json:
    found: dict[str, Json] = {
        "tasks": lesson.tasks,
        "draw": lesson.draw,
        "learned_from": lesson.learned_from,
        "sites": lesson.sites,
    }
    for each in lesson.at.values():
        share = round(each.turns_saved_share, 4)
        found |= {"totals": {**asdict(each), "turns_saved_share": share}}
    return found
