"""`stretto phase0`: what sessions say of an agent before anything is compiled."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.number import Number
from stretto.cli.options import Sessions, as_json, reading
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import questions
from stretto.cli.phase0_oracle import Asking, asking, write_log
from stretto.cli.problems import warn_of_problems
from stretto.cli.reports import html_option, out_option, write_report
from stretto.cli.sources import (
    Source,
    Sources,
    as_sources,
    given_sources,
    more_sources,
)
from stretto.cli.tasks import TENS, Tasks, chosen
from stretto.episodes.manifest import Manifest
from stretto.evaluate.phase0 import Phase0, Settings, SideOf
from stretto.evaluate.phase0 import phase0 as measure
from stretto.evaluate.sketch import Side
from stretto.learn.opinions import Opinions
from stretto.report.document import Document, Heading
from stretto.report.drawing import Drawing
from stretto.report.phase0 import phase0_document
from stretto.report.phase0_json import phase0_json
from stretto.traces.checkout import Checkout
from stretto.traces.ledger import Ledger

DOMAINS = "retail,airline"
"""The domains measured of a checkout."""


@click.command(
    epilog=example(
        "stretto phase0 sessions/ --manifest shop.json",
        "stretto phase0 gpt-4.1=a.json.gz gpt-5=b.json.gz --manifest retail.json \\",
        "    --split retail-split.json --html phase0.html",
        "stretto phase0 --tau2 ../tau2-bench --out phase0.md",
    ),
)
@given_sources
@more_sources
@click.option(
    "--target", "targets", multiple=True, callback=as_sources, metavar="[NAME=]PATH",
    help="Sessions of another agent, that nothing is learned from; may be repeated.",
)  # fmt: skip
@click.option(
    "--tau2", metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A checkout of τ²-bench: its tools and splits, and without PATH the results "
    "of its baseline agents.",
)  # fmt: skip
@click.option(
    "--domains", default=DOMAINS, show_default=True, metavar="A,B,…",
    help="The checkout's domains to measure.",
)  # fmt: skip
@click.option(
    "--split", metavar=f"FILE|{TENS}",
    help="JSON with task ids under `train` and `test`; three tasks of ten are held "
    f"out if left out. `{TENS}` splits numbered tasks by their last digit.",
)  # fmt: skip
@click.option(
    "--alpha", type=Number(min=0, min_open=True),
    help="Fix the concentration instead of inferring it.",
)  # fmt: skip
@click.option(
    "--features/--no-features", default=True, show_default=True,
    help="Look for fields of results that change what comes next.",
)  # fmt: skip
@questions(dollars=5)
@click.option(
    "--any-tool", is_flag=True,
    help="Also ask what a flow that may call any tool would be asked: the next step "
    "among all tools, and the arguments of all calls.",
)  # fmt: skip
@click.option(
    "--candidates", metavar="FILE", type=click.Path(path_type=Path),
    help="Also ask these predicates, each alone, for `stretto refine`; they are only "
    "logged.",
)  # fmt: skip
@click.option(
    "--oracle-log", "log", metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the decisions that were answered, a line each; of several "
    "domains a file each, with -DOMAIN in its name.",
)  # fmt: skip
@reading
@out_option
@html_option
@as_json
def phase0(
    given: tuple[Source, ...],
    named: tuple[Source, ...],
    targets: tuple[Source, ...],
    tau2: Path | None,
    domains: str,
    split: str | None,
    alpha: float | None,
    features: bool,
    choice: OracleChoice,
    any_tool: bool,
    candidates: Path | None,
    log: Path | None,
    sessions: Sessions,
    out: Path | None,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Say what a flow could save here, and how far the agents can be foretold.

    How many LLM turns sit inside runs of calls, where arguments come from, how well a
    habit foretells held-out sessions, whether it carries from one agent to another,
    and what a flow would save with it. With --oracle, also how often a System-One model
    agrees with the agents, and what its answers would save; without, none is asked.

    Each PATH is a session file or a folder of them, compressed or not, all of one
    domain. An agent's sessions are measured together; NAME= says whose they are.
    """
    settings = Settings(alpha=alpha, features=features)
    how = asking(choice, candidates, log, any_tool=any_tool)
    sources = (*given, *named)
    if tau2 is None:
        if not sources:
            raise click.UsageError("name sessions, or a checkout with --tau2")
        side = None if split is None else _side_of(split)
        of = Sources(sessions, sources, targets)
        found = [_measured(of, None, replace(settings, side=side), how)]
    elif split is not None:
        raise click.UsageError("a checkout brings its own split: leave out --split")
    else:
        checkout = Checkout.at(tau2)
        found = list(
            _domains(
                checkout, domains, Sources(sessions, sources, targets), settings, how
            )
        )
    if log is not None:
        for one in found:
            several = f"{log.stem}-{one.measures.domain}{log.suffix}"
            write_log(one.opinions, log.with_name(several) if found[1:] else log)
    summary: Json = {"domains": [phase0_json(*one) for one in found]}
    write_report(partial(_document, found), summary, page, as_json, out=out)


class _Found(NamedTuple):
    """The measures of one domain, and what a System-One model adds."""

    measures: Phase0
    opinions: Opinions | None


def _domains(
    checkout: Checkout,
    domains: str,
    sources: Sources,
    settings: Settings,
    how: Asking | None,
) -> Iterator[_Found]:
    """Each domain of a checkout."""
    for domain in filter(None, map(str.strip, domains.split(","))):
        given = sources.learned or [Source(path) for path in checkout.results(domain)]
        fresh = replace(sources.how, ledger=Ledger())
        of = replace(sources, how=fresh, learned=given, domain=domain)
        split = checkout.split(domain)
        side = _sides(
            frozenset(split.train).__contains__, frozenset(split.test).__contains__
        )
        known = checkout.manifest(domain)
        yield _measured(of, known, replace(settings, side=side), how)


def _measured(
    sources: Sources,
    known: Manifest | None,
    settings: Settings,
    how: Asking | None,
) -> _Found:
    corpus = sources.corpus()
    for _ in corpus:
        pass  # whose sessions they are, and of what tools, is known once they are read
    warn_of_problems(sources.how.ledger)
    manifest = sources.how.manifest()
    if known is not None:
        manifest = replace(known.merged(manifest), domain=known.domain)
    targets = sources.target_agents()
    found = measure(corpus, manifest, replace(settings, targets=targets))
    if how is None:
        return _Found(found, None)
    return _Found(found, how.opinions(corpus, manifest, found))


def _side_of(split: str) -> SideOf:
    train, test = chosen(split, None, "train"), chosen(split, None, "test")
    assert train is not None
    assert test is not None
    return _sides(train, test)


def _sides(train: Tasks, test: Tasks) -> SideOf:
    def side(task: str) -> Side:
        if train(task):
            return Side.TRAIN
        return Side.TEST if test(task) else Side.NEITHER

    return side


def _document(found: Sequence[_Found], draw: Drawing | None) -> Document:
    """One domain's report, or several, one after the other."""
    documents = [phase0_document(one.measures, draw, one.opinions) for one in found]
    if len(documents) == 1:
        return documents[0]
    domains = [one.measures.domain for one in found]
    parts = [
        Heading(f"{domain}: {part.text}") if isinstance(part, Heading) else part
        for domain, document in zip(domains, documents, strict=True)
        for part in (Heading("Overview"), *document.parts)
    ]
    return Document(f"Phase 0: {', '.join(domains)}", tuple(parts))
