"""`stretto evaluate`: another rule, estimated from decisions that a flow explored."""

import re
from collections.abc import Sequence
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.number import Number
from stretto.cli.options import as_json
from stretto.cli.reports import html_option, write_report
from stretto.errors import StrettoError
from stretto.evaluate.decision_file import read_decisions
from stretto.evaluate.offpolicy import (
    MIN_ESS,
    Estimate,
    Estimates,
    Labels,
    Logged,
    Target,
)
from stretto.evaluate.offpolicy import (
    evaluate as estimate,
)
from stretto.flow.deciders.protocol import Chances
from stretto.report.evaluate import Evaluated, evaluation_document

_TARGET = re.compile(r"(?P<name>[^=]+)=(?P<decider>[^@]+)@(?P<threshold>.+)")


class TargetType(click.ParamType[Target]):
    """`NAME=DECIDER@θ`."""

    name = "target"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> Target:
        """The rule of that spelling."""
        found = _TARGET.fullmatch(value)
        if found is None:
            self.fail(f"{value} is not NAME=DECIDER@THRESHOLD", param, ctx)
        threshold = Number(min=0).convert(found["threshold"], param, ctx)
        is_reach = found["decider"] == "reach"
        chances = Chances.INDEPENDENT if is_reach else Chances.EXCLUSIVE
        return Target(found["name"], found["decider"], threshold, chances)


@click.command(
    epilog=example(
        "stretto evaluate log.jsonl --target loose=reach@0.2 --target shy=habit@0.5",
    ),
)
@click.argument("log", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--target", "targets", type=TargetType(), multiple=True, required=True,
    metavar="NAME=DECIDER@θ",
    help="A rule to estimate: the log's own decider or the habit, at a threshold.",
)  # fmt: skip
@click.option(
    "--metric", "metrics", type=click.Choice(Labels._fields), multiple=True,
    default=["used", "detours"], show_default=True, help="What to estimate.",
)  # fmt: skip
@click.option(
    "--min-ess", type=Number(min=0), default=MIN_ESS, show_default=True,
    help="How many decisions the weights have to be worth.",
)  # fmt: skip
@html_option
@as_json
def evaluate(
    log: Path,
    targets: Sequence[Target],
    metrics: Sequence[str],
    min_ess: float,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Estimate another rule from decisions that a flow explored.

    How many lookups another threshold, or the habit, would have made at the decisions
    in the log, and how many of them the agent would have used: directly from every
    option's label, and from what was taken alone, by inverse propensities (IPS, SNIPS)
    and doubly robust (DR).

    LOG is what `stretto replay --decisions` wrote, with `--explore` above 0; at 0 all
    but the direct estimate know only what the flow itself would take.
    """
    decisions = list(read_decisions(log))
    _check(decisions, targets, log)
    found = [
        Evaluated(target, metric, *estimate(decisions, target, metric))
        for target in targets
        for metric in dict.fromkeys(metrics)
    ]
    write_report(
        lambda _: evaluation_document(log.name, len(decisions), found, min_ess=min_ess),
        {
            "decisions": len(decisions),
            "min_ess": min_ess,
            "targets": [_evaluated(each, min_ess) for each in found],
        },
        page,
        as_json,
    )


def _check(decisions: Sequence[Logged], targets: Sequence[Target], log: Path) -> None:
    if not decisions:
        raise StrettoError(f"{log} holds no decision")
    known = {"habit", *(decision.decider for decision in decisions)}
    for target in targets:
        if target.decider not in known:
            raise StrettoError(
                f"the log holds no probabilities of {target.decider!r}",
                hint=f"it holds those of {', '.join(sorted(known))}",
            )


def _evaluated(each: Evaluated, min_ess: float) -> Json:
    return {
        "name": each.target.name,
        "decider": each.target.decider,
        "threshold": each.target.threshold,
        "metric": each.metric,
        "total": _estimates(each.total, min_ess),
        "sites": {s: _estimates(e, min_ess) for s, e in each.sites.items()},
    }


def _estimates(found: Estimates, min_ess: float) -> Json:
    refused = found.is_refused(min_ess)
    return {
        "looks": found.looks,
        "unsupported": found.unsupported,
        "ess": found.ess,
        "refused": refused,
        "direct": _one(found.direct),
        "ips": None if refused else _one(found.ips),
        "snips": None if refused else _one(found.snips),
        "dr": None if refused else _one(found.dr),
    }


def _one(estimate: Estimate | None) -> Json:
    return None if estimate is None else estimate._asdict()
