"""What the commands share that replay under many settings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import click

from stretto.evaluate.growing import Played
from stretto.evaluate.setting import OFF, Setting
from stretto.flow.flow import Flow

jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, show_default=True,
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
