"""How much a flow saves by how many tasks it was learned from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest
from stretto.episodes.tasks import rank, sample_tasks
from stretto.errors import NothingToLearn
from stretto.evaluate.growing import Grower
from stretto.evaluate.rows import Totals, row, totals
from stretto.evaluate.setting import Setting
from stretto.evaluate.sweep import replay_all
from stretto.learn.learn import learn
from stretto.learn.settings import Settings


class Lesson(NamedTuple):
    """A flow learned from some of the tasks, replayed on the held-out ones."""

    tasks: int
    draw: int
    learned_from: int
    """Its sessions; 0 where none of the tasks' sessions succeeded."""
    sites: int
    """Where it may make a lookup."""
    at: Mapping[float, Totals]
    """What replaying came to, by threshold; empty where nothing was learned."""


def sizes_up_to(n: int) -> list[int]:
    """1, 2, 4, … tasks, and all of them."""
    found = [1 << power for power in range(n.bit_length()) if 1 << power < n]
    return [*found, n]


def drawn(tasks: Sequence[str], n: int, draw: int) -> list[str]:
    """
    So many of the tasks: those of a smaller number are among those of a larger one.

    Draw 0 is the published sample; every other draw has an order of its own.
    """
    if draw == 0:
        return sample_tasks(tasks, n / len(tasks))
    chosen = {*sorted(tasks, key=lambda task: rank(f"curve-{draw}", task))[:n]}
    return [task for task in tasks if task in chosen]


def curve(
    episodes: Sequence[Episode],
    manifest: Manifest,
    tasks: Sequence[str],
    held_out: Sequence[Episode],
    *,
    sizes: Sequence[int],
    draws: int,
    thresholds: Sequence[float],
    settings: Settings = Settings(),
) -> Iterator[Lesson]:
    """
    A lesson for each size and draw, smaller sizes first.

    Args:
        episodes: All sessions, whose tools are the vocabulary of every flow.
        tasks: Those to draw from.
        held_out: The sessions to replay; none of a task to draw from.
        draws: How often each size is drawn; all tasks together are drawn once.
    """
    for n in sizes:
        for draw in range(1 if n == len(tasks) else draws):
            chosen = {*drawn(tasks, n, draw)}
            wanted = replace(settings, tasks=chosen.__contains__)
            try:
                learned = learn(episodes, manifest, wanted)
            except NothingToLearn:
                yield Lesson(n, draw, 0, 0, {})
                continue
            every = [Setting(threshold) for threshold in thresholds]
            played = list(replay_all(Grower(learned.flow), held_out, every))
            at = {
                threshold: totals(row(p.size, int(p.counted[place])) for p in played)
                for place, threshold in enumerate(thresholds)
            }
            used = learned.flow.provenance.habit_episodes
            yield Lesson(n, draw, used, len(learned.flow.sites.next), at)
