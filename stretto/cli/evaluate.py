"""`stretto evaluate`: another rule, estimated from decisions that a flow explored."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from stretto.cli.estimates import evaluated_json
from stretto.cli.examples import example
from stretto.cli.number import Number
from stretto.cli.options import Sessions, as_json
from stretto.cli.reports import html_option, write_report
from stretto.cli.served import Served, is_served, read_served
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import read_manifest
from stretto.errors import StrettoError
from stretto.evaluate.chained import chained
from stretto.evaluate.decision_file import read_decisions
from stretto.evaluate.labelled import sums_along
from stretto.evaluate.logged import Labels, Logged, Target
from stretto.evaluate.offpolicy import MIN_ESS
from stretto.evaluate.offpolicy import evaluate as estimate
from stretto.evaluate.replay import Replayer
from stretto.flow.deciders.decider import decider as decider_of
from stretto.flow.deciders.protocol import Chances
from stretto.flow.flow import Flow
from stretto.flow.wire import read_flow
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
        "stretto evaluate served/ --target loose=reach@0.2 --metric used",
        "stretto evaluate log.jsonl --target shy=habit@0.5 --flow shop.flow.json \\",
        "    --sessions held-out/",
    ),
)
@click.argument("log", type=click.Path(exists=True, path_type=Path))
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
@click.option(
    "--manifest", metavar="FILE", type=click.Path(path_type=Path),
    help="Of served sessions: the kinds of their tools, before what the logs say.",
)  # fmt: skip
@click.option(
    "--flow", metavar="FILE", type=click.Path(path_type=Path),
    help="Replay each rule with this flow too, beside its estimates.",
)  # fmt: skip
@click.option(
    "--sessions", "measured", metavar="PATH", multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="What --flow is replayed on; if left out, the served sessions.",
)  # fmt: skip
@html_option
@as_json
def evaluate(
    log: Path,
    targets: Sequence[Target],
    metrics: Sequence[str],
    min_ess: float,
    manifest: Path | None,
    flow: Path | None,
    measured: tuple[Path, ...],
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Estimate another rule from decisions that a flow explored.

    How many lookups another threshold, or the habit, would have made at the decisions
    in the log, and how many of them the agent would have used: directly from every
    option's label, and from what was taken alone, by inverse propensities (IPS, SNIPS)
    and doubly robust (DR). Along sessions what follows a rule's own lookups counts too.

    LOG is what `stretto replay --decisions` wrote, with `--explore` above 0; at 0 all
    but the direct estimate know only what the flow itself would take. Or it is a
    folder of sessions that `stretto-proxy` served with `--flow-explore`, or the
    decisions of one of them: each is labelled by its session, beside which it lies.
    """
    if measured and flow is None:
        raise click.UsageError("--sessions says what --flow is replayed on: give that")
    served = _served(log, manifest)
    decisions = served.decisions if served else list(read_decisions(log))
    _check(decisions, targets, log)
    is_live = served is not None and served.is_live
    if is_live and "turns" in metrics:
        raise StrettoError(
            "a flow that acted leaves no turns to share out among its lookups",
            hint="estimate them from sessions served with --flow-shadow",
        )
    has_chains = served is None or served.has_chains
    replayed = _replayed(flow, _measured(log, measured, served, flow), targets)
    found = [
        Evaluated(
            target,
            metric,
            *estimate(decisions, target, metric),
            chained(decisions, target, metric) if has_chains else None,
            _value(replayed.get(target.name), metric),
        )
        for target in targets
        for metric in dict.fromkeys(metrics)
    ]
    write_report(
        lambda _: evaluation_document(
            log.name, len(decisions), found, min_ess=min_ess, is_live=is_live
        ),
        {
            "decisions": len(decisions),
            "unplaced": served.unplaced if served else 0,
            "live": is_live,
            "min_ess": min_ess,
            "targets": [evaluated_json(each, min_ess) for each in found],
        },
        page,
        as_json,
    )


def _served(log: Path, manifest: Path | None) -> Served | None:
    """The decisions of served sessions; None where the log is of a replay."""
    if not is_served(log):
        if manifest is not None:
            raise click.UsageError("--manifest is for the logs of served sessions")
        return None
    served = read_served(log, None if manifest is None else read_manifest(manifest))
    for n, said in (
        (served.unplaced, "decisions are left out: no one call is known as theirs"),
        (served.apart, f"logs of decisions are of no session in {log}"),
    ):
        if n:
            click.echo(f"{n:,} {said}", err=True)
    return served


def _measured(
    log: Path, measured: tuple[Path, ...], served: Served | None, flow: Path | None
) -> Iterable[Episode]:
    """What a flow is to be replayed on; nothing where there is none."""
    if flow is None:
        return ()
    if measured:
        return Sessions(measured).corpus("replaying")
    if served is None:
        raise click.UsageError("--flow needs --sessions: what the log was replayed on")
    if served.is_live:
        raise StrettoError(
            f"lookups were made in the sessions of {log}, and a replay is of an agent "
            "that works without them",
            hint="name sessions without a flow, or of one in shadow, with --sessions",
        )
    return served.episodes


def _replayed(
    path: Path | None, episodes: Iterable[Episode], targets: Sequence[Target]
) -> Mapping[str, Sequence[float]]:
    """By target, the sums of what its lookups come to in a replay."""
    if path is None:
        return {}
    flow = read_flow(path)
    return {each.name: _along(flow, episodes, each) for each in targets}


def _along(flow: Flow, episodes: Iterable[Episode], target: Target) -> Sequence[float]:
    replayer = Replayer(flow, decider_of(flow, target.decider))
    sites = sums_along(replayer, episodes, threshold=target.threshold)
    return [sum(values) for values in zip(*sites.values(), strict=True)] or [0.0] * 4


def _value(sums: Sequence[float] | None, metric: str) -> float | None:
    return None if sums is None else sums[Labels._fields.index(metric)]


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
