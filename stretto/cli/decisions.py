"""The log of a replay's decisions, every option of them labelled by the record."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from stretto.canonical import Json, compact
from stretto.cli.number import PROBABILITY, Whole
from stretto.episodes.episode import Episode, Event
from stretto.errors import StrettoError
from stretto.evaluate.labelled import Labelled, labelled
from stretto.evaluate.made import key
from stretto.evaluate.replay import Replayer
from stretto.files import write_text
from stretto.flow.decision import Decision
from stretto.flow.moment import Moment
from stretto.flow.options import threshold_at
from stretto.proxy.explore import Explorer
from stretto.proxy.flowlog import decision_line
from stretto.proxy.serving import Exploration

decisions_option = click.option(
    "--decisions", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="Also write every decision with its options and what each would have come to, "
    "for `stretto evaluate`.",
)  # fmt: skip

explore_option = click.option(
    "--explore", "epsilon", type=PROBABILITY, default=0.0, show_default=True,
    metavar="ε", help="With --decisions: how often another lookup is taken than the "
    "flow's choice. The report stays that of the flow's own choices.",
)  # fmt: skip

explore_seed_option = click.option(
    "--explore-seed", type=Whole(0, 2**64 - 1), default=0, show_default=True,
    help="The seed of --explore.",
)  # fmt: skip


class DecisionLog:
    """What replays decided, to be written when all have been replayed."""

    def __init__(self, replayer: Replayer, threshold: float, how: Exploration) -> None:
        self._replayer = replayer
        self._threshold, self._how = threshold, how
        self._lines: list[str] = []

    def noting(self, episodes: Iterable[Episode]) -> Iterator[Episode]:
        """The same episodes, each replayed for the log on its way."""
        for episode in episodes:
            self._lines += map(compact, self._decided(episode))
            yield episode

    def write(self, path: Path) -> None:
        """
        Write the log, whole or not at all.

        Raises:
            CannotWrite: it cannot be written.
        """
        write_text(path, "".join(f"{line}\n" for line in self._lines))

    def _decided(self, episode: Episode) -> Iterator[dict[str, Json]]:
        flow, policies = self._replayer.flow, list[dict[str, Json]]()
        how = replace(self._how, task=episode.task_or_id)
        explorer = Explorer(flow, self._replayer.decider.name, how)
        draw = partial(self._drawn, explorer, policies)
        for found in labelled(self._replayer, episode, draw, threshold=self._threshold):
            yield {"episode": episode.id, **_line(found, policies.pop())}

    def _drawn(
        self,
        explorer: Explorer,
        policies: list[dict[str, Json]],
        found: Decision,
        moment: Moment,
        events: list[Event],
    ) -> Decision:
        if moment.site is None:
            raise StrettoError("a decision without a site was weighed")
        at = threshold_at(self._replayer.flow, moment.site, self._threshold)
        explored = explorer.drawn(found, moment, at, events, ())
        policies.append(explored.policy)
        return explored.decision


def _line(found: Labelled, policy: dict[str, Json]) -> dict[str, Json]:
    """A decision as the proxy logs it, with its options' labels."""
    logged = decision_line(found.after, found.address, found.decision, policy=policy)
    line: dict[str, Json] = json.loads(logged)
    told = line["policy"]
    assert isinstance(told, dict)
    options = told["options"]
    assert isinstance(options, list)
    for option in options:
        assert isinstance(option, dict)
        arguments = option["arguments"]
        if isinstance(arguments, dict):
            outcome = found.pool.outcome(key(str(option["tool"]), arguments))
            option |= {"detour": not outcome.used, **outcome._asdict()}
    return line
