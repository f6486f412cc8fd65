"""How far a saving hangs on what its model leaves unknown, as options."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from stretto.cli.deciding import Deciding
from stretto.cli.number import Whole
from stretto.cli.options import Sessions
from stretto.cli.tasks import Tasks
from stretto.episodes.episode import Episode
from stretto.errors import StrettoError
from stretto.evaluate.concentrated import (
    concentrated,
    likely_alphas,
    saved_by,
    weighted,
)
from stretto.evaluate.growing import Grower
from stretto.evaluate.intervals import Interval
from stretto.evaluate.setting import Setting
from stretto.flow.deciders.arbiter import ArbiterDecider
from stretto.flow.deciders.decider import decider

draws_option = click.option(
    "--draws", "n_draws", type=Whole(0, 1000), default=0, show_default=True,
    help="Replay with so many draws from the posterior too, and say how far the "
    "saving hangs on it: of the arbiter's weights, which `--posterior` keeps, or else "
    "of α.",
)  # fmt: skip

taught_option = click.option(
    "--learned-from", "taught", multiple=True, metavar="PATH",
    type=click.Path(exists=True, path_type=Path),
    help="With --draws: the sessions that the flow was learned from, which α's "
    "posterior is of.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unknowns:
    """Flows that are as likely as the one that is replayed."""

    deciding: Deciding
    n: int
    taught: tuple[Path, ...]
    tasks: Tasks | None
    """The tasks measured on, which none of the flows was learned from."""

    def intervals(
        self, episodes: Iterable[Episode], settings: Sequence[Setting]
    ) -> list[Interval]:
        """
        By setting: the central 95% of the share of turns that these flows save.

        Raises:
            StrettoError: the flow keeps no draws of its arbiter's weights, or nobody
                said what it was learned from.
        """
        found = saved_by(list(self._growers()), episodes, settings)
        return [found.interval(place) for place in range(len(settings))]

    def _growers(self) -> Iterator[Grower]:
        flow, given = self.deciding.flow, self.deciding.decider
        if isinstance(given, ArbiterDecider):
            kept = min(len(fit.draws) for fit in flow.folds)
            if not kept:
                raise StrettoError(
                    "the flow keeps no draws of its arbiter's weights",
                    hint="learn it with `--posterior laplace`, or replay by "
                    "`--decider habit`",
                )
            oracle = self.deciding.oracle()
            for draw in range(min(self.n, kept)):
                other = weighted(flow, draw)
                asker = replace(given.asker, flow=other)
                weigher = replace(given, flow=other, asker=asker)
                yield Grower(other, given=weigher, oracle=oracle)
            return
        for alpha in likely_alphas(flow, self._learned_from(), self.n):
            other = concentrated(flow, alpha)
            yield Grower(other, given=decider(other, given.name))

    def _learned_from(self) -> Iterator[Episode]:
        if not self.taught:
            raise StrettoError(
                "α's posterior is not in a flow",
                hint="`--learned-from PATH` names the sessions it was learned from",
            )
        for episode in Sessions(self.taught).episodes():
            is_measured = self.tasks is not None and self.tasks(episode.task_or_id)
            if not is_measured and (episode.reward is None or episode.succeeded):
                yield episode
