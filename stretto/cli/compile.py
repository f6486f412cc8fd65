"""`stretto compile`: from a benchmark's results to a flow."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from stretto.cli.examples import example
from stretto.cli.learned import lines, summary
from stretto.cli.number import Number, Whole
from stretto.cli.options import Sessions, as_json, reading
from stretto.cli.problems import warn_of_problems
from stretto.cli.sources import Source, Sources, as_sources
from stretto.episodes.manifest import Manifest
from stretto.episodes.tasks import sample_tasks
from stretto.flow.wire import write_flow
from stretto.learn.learn import learn as learn_flow
from stretto.learn.settings import Settings
from stretto.learn.survey import survey
from stretto.traces.checkout import Checkout, read_split


class _Given(NamedTuple):
    """What a flow is compiled from."""

    sources: Sources
    train: Sequence[str]
    """The tasks that may be learned from."""
    manifest: Manifest | None
    """That of a checkout."""


@click.command(
    "compile",
    epilog=example(
        "stretto compile --tau2 ../tau2-bench --domain retail -o retail.flow.json",
        "stretto compile gpt-4.1=results.json.gz --manifest retail.json \\",
        "    --split split.json --train-fraction 0.1 -o retail.flow.json",
    ),
)
@click.argument("given", nargs=-1, callback=as_sources, metavar="[[NAME=]PATH]...")
@click.option(
    "--tau2", metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A checkout of τ²-bench: its tools and split of --domain, and without PATH "
    "the results of its baseline agents.",
)  # fmt: skip
@click.option(
    "--split", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="JSON with task ids under `train` and `test`, where there is no checkout.",
)  # fmt: skip
@click.option(
    "--train-tasks", metavar="A,B,…",
    help="Learn from these tasks alone; each has to be a training task.",
)  # fmt: skip
@click.option(
    "--train-fraction", type=Number(0, 1, min_open=True), metavar="F",
    help="Learn from this share of the training tasks, drawn by their names; a smaller "
    "share is part of a larger one.",
)  # fmt: skip
@click.option(
    "--trials", type=Whole(min=1), metavar="N",
    help="Take the first N trials of each task; all of them if left out.",
)  # fmt: skip
@click.option(
    "-o", "--out", required=True, metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False), help="The flow file to write.",
)  # fmt: skip
@click.option(
    "--alpha", type=Number(min=0, min_open=True),
    help="Fix the concentration instead of inferring it.",
)  # fmt: skip
@click.option(
    "--features/--no-features", default=True, show_default=True,
    help="Look for fields of results that change what comes next.",
)  # fmt: skip
@reading
@as_json
def compile_(
    given: tuple[Source, ...],
    tau2: Path | None,
    split: Path | None,
    train_tasks: str | None,
    train_fraction: float | None,
    trials: int | None,
    out: Path,
    alpha: float | None,
    features: bool,
    sessions: Sessions,
    as_json: bool,
) -> None:
    """
    Compile a flow from a benchmark's results.

    The habit, sites and bindings come from the successful sessions of the training
    tasks, goal-free; the vocabulary from all sessions read. No model is asked, and the
    flow decides by its habit.

    Each PATH is a result file or a folder of them, compressed or not, all of one
    domain; NAME= says whose they are where they do not.
    """
    sources = Sources(sessions, given, trials=trials)
    found = _published(sources, tau2, split) if tau2 else _named(sources, split)
    tasks = frozenset(_chosen(found.train, train_tasks, train_fraction))
    settings = Settings(alpha=alpha, features=features, tasks=tasks.__contains__)
    corpus = found.sources.corpus()
    surveyed = survey(corpus, settings)
    warn_of_problems(sessions.ledger)
    manifest = sessions.manifest()
    if found.manifest is not None:
        domain = found.manifest.domain
        manifest = replace(found.manifest.merged(manifest), domain=domain)
    learned = learn_flow(corpus, manifest, settings, surveyed=surveyed)
    write_flow(learned.flow, out)
    if as_json:
        told = {"train_tasks": sorted(tasks), "learned": summary(learned, None, out)}
        click.echo(json.dumps(told, indent=2))
    else:
        click.echo(f"tasks      {len(tasks)} of {len(found.train)} for training")
        click.echo("\n".join(lines(learned, None, out)))


def _published(sources: Sources, tau2: Path, split: Path | None) -> _Given:
    """What a checkout has of the domain."""
    domain = sources.how.options.domain
    if domain is None:
        raise click.UsageError("name the checkout's domain: --domain NAME")
    if split is not None:
        raise click.UsageError("a checkout brings its own split: leave out --split")
    checkout = Checkout.at(tau2)
    given = sources.learned or [Source(path) for path in checkout.results(domain)]
    return _Given(
        replace(sources, learned=given),
        checkout.split(domain).train,
        checkout.manifest(domain),
    )


def _named(sources: Sources, split: Path | None) -> _Given:
    if not sources.learned:
        raise click.UsageError("name result files, or a checkout with --tau2")
    if split is None:
        raise click.UsageError("say which tasks to learn from: --split FILE")
    return _Given(sources, read_split(split).train, None)


def _chosen(
    train: Sequence[str], named: str | None, share: float | None
) -> Sequence[str]:
    """The training tasks asked for, in the split's order."""
    if named is not None:
        wanted = {name.strip() for name in named.split(",")} - {""}
        if stray := sorted(wanted - {*train}):
            raise click.UsageError(f"not among the training tasks: {', '.join(stray)}")
        train = [task for task in train if task in wanted]
    return train if share is None else sample_tasks(train, share)
