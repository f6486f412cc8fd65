"""`stretto compile`: from a benchmark's results to a flow."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from stretto.cli.arbitration import ArbitrationChoice, crossfitted
from stretto.cli.examples import example
from stretto.cli.fitting import FittingChoice, fitting
from stretto.cli.learned import lines, summary
from stretto.cli.making import Material, make, write
from stretto.cli.number import Number, Whole
from stretto.cli.options import Sessions, as_json, reading
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import questions
from stretto.cli.problems import warn_of_problems
from stretto.cli.sources import (
    Source,
    Sources,
    as_sources,
    given_sources,
    more_sources,
)
from stretto.episodes.manifest import Manifest
from stretto.episodes.tasks import Split, sample_tasks
from stretto.learn.settings import Settings
from stretto.learn.survey import survey
from stretto.traces.checkout import Checkout, TaskSplit, read_split


class _Given(NamedTuple):
    """What a flow is compiled from."""

    sources: Sources
    split: TaskSplit
    """The tasks that a habit may be learned from, and those held out of it."""
    manifest: Manifest | None
    """That of a checkout."""


@click.command(
    "compile",
    epilog=example(
        "stretto compile --tau2 ../tau2-bench --domain retail -o retail.flow.json",
        "stretto compile gpt-4.1=results.json.gz --manifest retail.json \\",
        "    --split split.json --train-fraction 0.1 -o retail.flow.json",
        "stretto compile a.json b.json --target glm-5=c.json --split split.json \\",
        "    --manifest retail.json --oracle jev --pooled-arbiter -o retail.flow.json",
    ),
)
@given_sources
@more_sources
@click.option(
    "--target", "targets", multiple=True, callback=as_sources, metavar="[NAME=]PATH",
    help="Sessions of another agent, whose held-out decisions are judged and logged; "
    "nothing is learned from them. May be repeated.",
)  # fmt: skip
@click.option(
    "--tau2", metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A checkout of τ²-bench: its tools and split of --domain, and without PATH "
    "the results of its baseline agents.",
)  # fmt: skip
@click.option(
    "--split", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="JSON with task ids under `train` and `test`, where there is no checkout: "
    "those of the habit, and those whose decisions an arbiter is fitted on.",
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
@click.option(
    "--dataflow-hints", is_flag=True,
    help="Count which writes a lookup's results feed, for questions to say.",
)  # fmt: skip
@click.option(
    "--manifest-options", is_flag=True,
    help="Offer every read after every call, not only those seen there.",
)  # fmt: skip
@questions(dollars=5)
@crossfitted
@fitting
@reading
@as_json
def compile_(
    given: tuple[Source, ...],
    named: tuple[Source, ...],
    targets: tuple[Source, ...],
    tau2: Path | None,
    split: Path | None,
    train_tasks: str | None,
    train_fraction: float | None,
    trials: int | None,
    out: Path,
    alpha: float | None,
    features: bool,
    dataflow_hints: bool,
    manifest_options: bool,
    choice: OracleChoice,
    arbitration: ArbitrationChoice,
    how: FittingChoice,
    sessions: Sessions,
    as_json: bool,
) -> None:
    """
    Compile a flow from a benchmark's results.

    The habit, sites and bindings come from the successful sessions of the training
    tasks, goal-free; the vocabulary from all sessions read. Without --oracle no model
    is asked, and the flow decides by its habit.

    With --oracle, a System-One model is asked about each step of the split's test
    tasks, and an arbiter is fitted that weighs its answers against the habit: one for
    each of five folds of those tasks, which judges the fold it was not fitted on.

    Each PATH is a result file or a folder of them, compressed or not, all of one
    domain; NAME= says whose they are where they do not.
    """
    arbitration.check(choice, how)
    sources = Sources(sessions, (*given, *named), targets, trials=trials)
    found = _published(sources, tau2, split) if tau2 else _named(sources, split)
    train = _chosen(found.split.train, train_tasks, train_fraction)
    tasks = frozenset(train)
    corpus = found.sources.corpus()
    if targets:
        for _ in corpus:
            pass  # whose sessions they are is known once they are read
    settings = Settings(
        alpha=alpha,
        features=features,
        hints=dataflow_hints,
        every_read=manifest_options,
        tasks=tasks.__contains__,
        targets=found.sources.target_agents(),
    )
    surveyed = survey(corpus, settings)
    warn_of_problems(sessions.ledger)
    manifest = sessions.manifest()
    if found.manifest is not None:
        domain = found.manifest.domain
        manifest = replace(found.manifest.merged(manifest), domain=domain)
    sides = _sides(train, found.split.test) if choice.kind is not None else None
    material = Material(corpus, manifest, surveyed, sides)
    made = make(material, settings, arbitration, choice, how)
    write(made, arbitration, out)
    if as_json:
        told = {"train_tasks": sorted(tasks), "learned": summary(*made, out)}
        click.echo(json.dumps(told, indent=2))
    else:
        click.echo(f"tasks      {len(tasks)} of {len(found.split.train)} for training")
        click.echo("\n".join(lines(*made, out)))


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
        checkout.split(domain),
        checkout.manifest(domain),
    )


def _named(sources: Sources, split: Path | None) -> _Given:
    if not sources.learned:
        raise click.UsageError("name result files, or a checkout with --tau2")
    if split is None:
        raise click.UsageError("say which tasks to learn from: --split FILE")
    return _Given(sources, read_split(split), None)


def _sides(train: Sequence[str], test: Sequence[str]) -> Split:
    """The tasks of the habit and those of the arbiter; no task may be both."""
    if both := sorted({*train} & {*test}):
        raise click.UsageError(f"on both sides of the split: {', '.join(both)}")
    return Split([*train], [*test])


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
