"""What the commands share that replay under many settings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from stretto.cli.number import Whole
from stretto.errors import CannotWrite
from stretto.evaluate.graph_file import Kept, graphs_key, read_graphs, write_graphs
from stretto.evaluate.growing import Played
from stretto.evaluate.setting import OFF, Setting
from stretto.evaluate.sweep import Sweep
from stretto.flow.flow import Flow

jobs_option = click.option(
    "--jobs", type=Whole(1, 64), default=1, show_default=True,
    help="How many processes replay side by side; one where an oracle is asked.",
)  # fmt: skip


def one_site_apart(
    flow: Flow, base: Setting, levels: Sequence[float]
) -> dict[str, list[Setting]]:
    """By site: the settings that differ from `base` in its threshold alone."""
    sites = sorted({*map(str, flow.sites.next), *flow.thresholds})
    return {
        site: [
            replace(base, thresholds={**base.thresholds, site: level})
            for level in (*levels, OFF)
        ]
        for site in sites
    }


def told(played: Iterable[Played]) -> Iterator[Played]:
    """The same; at the end it is told which sessions have no graph."""
    causes: dict[str, int] = {}
    for episode in played:
        if episode.why_not:
            causes[episode.why_not] = causes.get(episode.why_not, 0) + 1
        yield episode
    for cause, n in causes.items():
        click.echo(
            f"note: {n} of the sessions replayed each setting by itself: {cause}",
            err=True,
        )


keep_option = click.option(
    "--graphs", "folder", metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep what replaying has found out there, and begin with it the next time.",
)  # fmt: skip


def begun(sweep: Sweep, flow: Flow, folder: Path | None) -> Sweep:
    """
    The sweep, with what an earlier one left in the folder.

    Raises:
        CannotWrite: the folder cannot be made.
        FormatError: a file in it is damaged.
    """
    if folder is None:
        return sweep
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise CannotWrite(f"{folder} cannot be made: {cause.strerror}") from cause
    path, key = _place(folder, sweep, flow)
    if path.exists() and (kept := read_graphs(path, key)) is not None:
        sweep.hold(kept.flat, dict(kept.floors))
    return sweep


def kept(sweep: Sweep, flow: Flow, folder: Path | None) -> None:
    """Leave a sweep's graphs in the folder, or tell why they cannot be."""
    if folder is None:
        return
    path, key = _place(folder, sweep, flow)
    try:
        write_graphs(path, key, Kept(sweep.flat(), sweep.grower.floors.known))
    except CannotWrite as cause:
        click.echo(f"note: {cause}; the graphs are not kept", err=True)


def _place(folder: Path, sweep: Sweep, flow: Flow) -> tuple[Path, str]:
    name = sweep.grower.decider.name
    key = graphs_key(flow, name, sweep.episodes)
    return folder / f"{name}-{key[:16]}.npz", key
