"""`stretto fit-arbiter`: one arbiter from the decisions of several logs."""

import json
import time
from pathlib import Path

import click

from stretto import __version__
from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.fitting import FittingChoice, fitter, fitting
from stretto.cli.making import warn_of_few
from stretto.cli.options import as_json
from stretto.errors import NothingToLearn
from stretto.flow.arbiter_file import Arbiter, write_arbiter
from stretto.flow.flow import Provenance
from stretto.learn.decisionlog import Logged, check_width, read_log
from stretto.markdown import count
from stretto.oracle.predicates import predicates_file, shipped_predicates


@click.command(
    epilog=example(
        "stretto fit-arbiter retail.jsonl airline.jsonl --domain both \\",
        "    --model jev-latest -o both.arbiter.json",
    ),
)
@click.argument(
    "logs",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path, dir_okay=False),
)
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The arbiter file to write.",
)
@click.option("--domain", required=True, metavar="NAME", help="The domain it is of.")
@click.option(
    "--model",
    required=True,
    metavar="NAME",
    help="The System-One model that the logs' decisions were asked of.",
)
@click.option(
    "--predicates",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The predicates that the logs weigh, instead of stretto's own.",
)
@click.option(
    "--predicate-features/--no-predicate-features",
    default=True,
    show_default=True,
    help="Whether the logs' decisions weigh them.",
)
@fitting
@as_json
def fit_arbiter(
    logs: tuple[Path, ...],
    out: Path,
    domain: str,
    model: str,
    predicates: Path | None,
    predicate_features: bool,
    how: FittingChoice,
    as_json: bool,
) -> None:
    """
    Fit one arbiter on the decisions of several logs.

    LOGS are files that `stretto learn --oracle-log` wrote. Their features are taken as
    they were logged, so each decision is weighed against the habit of its own flow.
    """
    asked = shipped_predicates() if predicates is None else predicates_file(predicates)
    weighed = asked if predicate_features else ()
    decisions = [one for log in logs for one in _read(log, len(weighed))]
    cases = [one.case for one in decisions]
    if not any(case.fittable for case in cases):
        raise NothingToLearn(
            "the logs hold no decision that an arbiter may be fitted on",
            hint="`stretto learn --oracle NAME --oracle-log FILE` writes one",
        )
    fitted = fitter()(cases, len(weighed), how.fitting(weighed))[0]
    n_cases = sum(case.fittable for case in cases)
    provenance = Provenance(
        stretto=__version__,
        sources=tuple(sorted({one.agent for one in decisions if one.case.fittable})),
        habit_episodes=0,
        arbiter_cases=n_cases,
        compiled_unix_ms=time.time_ns() // 1_000_000,
    )
    arbiter = Arbiter(domain, provenance, fitted, model, asked, weighed)
    write_arbiter(arbiter, out)
    warn_of_few(n_cases)
    if as_json:
        click.echo(json.dumps(_summary(arbiter, out), indent=2))
    else:
        sites = len(fitted.rates.sites)
        click.echo(
            f"{count(n_cases, 'decision')} at {count(sites, 'site')}, from "
            f"{count(len(logs), 'log')}; the model agreed at {fitted.rates.agree:.0%}"
        )
        click.echo(f"wrote {out}")


def _read(log: Path, n_weighed: int) -> list[Logged]:
    decisions = [*read_log(log)]
    check_width(decisions, n_weighed, log)
    return decisions


def _summary(arbiter: Arbiter, out: Path) -> Json:
    return {
        "arbiter": str(out),
        "cases": arbiter.provenance.arbiter_cases,
        "sources": [*arbiter.provenance.sources],
        "weights": [*arbiter.fitted.weights],
        "agree": arbiter.fitted.rates.agree,
        "cover": arbiter.fitted.rates.cover,
    }
