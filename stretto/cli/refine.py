"""`stretto refine`: which further predicates are worth asking, from a decision log."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.fitting import fitter
from stretto.cli.number import Number
from stretto.cli.options import as_json
from stretto.errors import NothingToLearn
from stretto.files import write_text
from stretto.flow.case import FIXED_FEATURES
from stretto.learn.decisionlog import Logged, check_width, read_log
from stretto.learn.refine import Refinement
from stretto.learn.refine import refine as refine_predicates
from stretto.oracle.predicates import (
    Predicate,
    predicates_file,
    predicates_json,
)
from stretto.report.document import markdown
from stretto.report.refine import refinement_document


@click.command(
    epilog=example(
        "stretto refine decisions.jsonl --candidates new.json -o kept.json",
        "stretto refine decisions.jsonl --candidates new.json --unseen glm-5",
    ),
)
@click.argument("log", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--candidates",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The predicates to choose among; without any, only the hardest decisions "
    "are shown.",
)
@click.option(
    "--penalty",
    type=Number(min=0),
    metavar="NATS",
    help="What a predicate has to gain; if left out ½·ln of the decisions, as BIC has "
    "it.",
)
@click.option(
    "--unseen",
    multiple=True,
    metavar="AGENT",
    help="Fit on no decision of this agent, and keep no predicate that does not raise "
    "the likelihood of its steps too.",
)
@click.option(
    "-o",
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the kept predicates to a file, as --predicates takes them.",
)
@as_json
def refine(
    log: Path,
    candidates: Path | None,
    penalty: float | None,
    unseen: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    """
    Choose further predicates by what they explain.

    That is by how much likelier they make the agents' steps. Candidates are added
    greedily, each scored by arbiters that are fitted on the other folds of tasks. Then
    come the decisions that stay hardest, for whoever proposes more. Nothing is asked:
    the answers are those of the log.

    LOG is a file that `stretto learn --oracle-log` wrote; --candidates there has the
    candidates asked.
    """
    proposed = () if candidates is None else predicates_file(candidates)
    decisions = _unfitted([*read_log(log)], unseen)
    if not any(one.case.fittable and one.case.covered for one in decisions):
        raise NothingToLearn(
            "the log holds no decision whose step was on offer",
            hint="`stretto learn --oracle NAME --oracle-log FILE` writes one",
        )
    n_weighed = len(decisions[0].case.features.rows[0]) - FIXED_FEATURES
    check_width(decisions, n_weighed, log)
    found = refine_predicates(
        decisions, proposed, fitter(), penalty=penalty, for_targets=bool(unseen)
    )
    if out is not None:
        write_text(out, json.dumps(_kept(found.kept, log), indent=2) + "\n")
        click.echo(f"wrote {out}", err=True)
    if as_json:
        click.echo(json.dumps(_summary(found), indent=2))
    else:
        click.echo(markdown(refinement_document(found, log.name)))


def _unfitted(decisions: list[Logged], unseen: tuple[str, ...]) -> list[Logged]:
    """The decisions, those of agents that are not to be fitted on as targets."""
    agents = {one.agent for one in decisions}
    if stray := sorted({*unseen} - agents):
        known = ", ".join(sorted(agents))
        raise click.UsageError(f"no decision is of agent {stray[0]}; known: {known}")
    return [
        replace(one, case=replace(one.case, fittable=False))
        if one.agent in unseen
        else one
        for one in decisions
    ]


def _kept(kept: tuple[Predicate, ...], log: Path) -> Json:
    about = f"Kept by `stretto refine` on the decisions of {log.name}."
    return {"about": about, "predicates": predicates_json(kept)}


def _summary(found: Refinement) -> Json:
    return {
        "scored": found.scored,
        "targets": found.targets,
        "penalty": found.penalty,
        "before": found.before._asdict(),
        "after": found.after._asdict(),
        "kept": [predicate.id for predicate in found.kept],
        "rounds": [
            [
                {
                    "id": tried.id,
                    "gain": tried.gain,
                    "answered": tried.answered,
                    **tried.score._asdict(),
                }
                for tried in round
            ]
            for round in found.rounds
        ],
        "sites": [
            {**asdict(site), "hardest": [asdict(hard) for hard in site.hardest]}
            for site in found.sites
        ],
    }
