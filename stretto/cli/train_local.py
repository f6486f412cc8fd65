"""`stretto train-local`: a System-One model of one's own, from recorded sessions."""

import json
from dataclasses import replace
from pathlib import Path

import click

from stretto import __version__
from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.importing import import_whole
from stretto.cli.number import Whole
from stretto.cli.options import Sessions, as_json, labelled_sessions
from stretto.cli.problems import warn_of_problems
from stretto.cli.progress import progress
from stretto.cli.table import show_table
from stretto.cli.tasks import Tasks, tasks
from stretto.episodes.tasks import task_group
from stretto.evaluate.intervals import Interval
from stretto.evaluate.local import LOCAL, Comparison, compare, comparison_json, judged
from stretto.learn.corpus import Chosen
from stretto.learn.local import N_FLOWS, local_cases, local_flows, survey_local
from stretto.oracle.local.file import Gain, LocalModel, Provenance, write_local
from stretto.oracle.wording import shipped_wording


@click.command(
    epilog=example(
        "stretto train-local sessions/ -o shop.safetensors",
        "stretto train-local results.json.gz --manifest retail.json \\",
        "    --split split.json -o retail.safetensors",
    ),
)
@labelled_sessions
@tasks("train")
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The model file to write.",
)
@click.option(
    "--seed", type=Whole(0, 2**31 - 1), default=7, show_default=True,
    help="The training's seed: the same sessions and seed give the same model.",
)  # fmt: skip
@as_json
def train_local(
    sessions: Sessions, tasks: Tasks | None, out: Path, seed: int, as_json: bool
) -> None:
    """
    Train a System-One model on recorded sessions.

    A small network over the words of a session and the marks of its calls, which
    answers the questions of the next step in this process, without a key. It is trained
    with each fold of tasks left out, and what it makes of their steps is told beside
    the habit alone; then on all of them. Sessions that failed are learned from too.

    PATHS are session files and folders of them, compressed or not.
    """
    corpus = sessions.corpus()
    source = survey_local(corpus, tasks)
    warn_of_problems(sessions.ledger)
    manifest = sessions.manifest()
    if not manifest.domain:
        manifest = replace(manifest, domain="+".join(sorted(source.domains - {""})))
    with progress("learning habits", total=N_FLOWS) as advance:
        chosen = Chosen(corpus, source.places)
        flows = local_flows(chosen, manifest, advance=advance)
    cases = local_cases(chosen, flows, shipped_wording())
    # JAX takes seconds to start, and a mistake in the sessions is told before
    folds = import_whole("stretto.models.local_folds")
    with progress("training", total=folds.N_FITS) as advance:
        fitted = folds.cross_fit(cases, seed=seed, advance=advance)
    found = compare(judged(fitted.members, cases))
    provenance = Provenance(
        stretto=__version__,
        domain=manifest.domain,
        sources=tuple(sorted(source.agents)),
        sessions=len(source.places),
        decisions=len(cases),
        sha256=source.sha256,
        tasks=tuple(sorted(map(task_group, source.tasks))),
        settings=folds.training(seed, fitted),
        gain=None if (gain := found.gains[LOCAL][1]) is None else Gain(*gain),
        scores=comparison_json(found),
    )
    model = write_local(LocalModel(fitted.members, provenance), out)
    if as_json:
        click.echo(json.dumps(_summary(model, out), indent=2))
    else:
        _show(model, found, out)


def _show(model: LocalModel, found: Comparison, out: Path) -> None:
    provenance = model.provenance
    lines = [
        f"domain     {provenance.domain or 'unnamed'}",
        f"sessions   {provenance.sessions} of {found.tasks} tasks",
        f"decisions  {provenance.decisions}, {found.decisions} measured as held out",
        f"wrote      {out}, {out.stat().st_size / 2**20:.1f} MiB",
        "",
    ]
    click.echo("\n".join(lines))
    rows = [
        (
            name,
            f"{score.log_loss:.3f}{_interval(score.interval)}",
            f"{score.agreement:.1%}",
            f"{score.ece:.3f}",
        )
        for name, score in found.scores.items()
    ]
    show_table(("on held-out tasks", "log loss (nats)", "agreement", "ECE"), rows)
    gain, interval = found.gains[LOCAL]
    click.echo(f"\n{LOCAL} gains {gain:.3f}{_interval(interval)} nats a decision")
    if not provenance.beats_habit:
        click.echo("too few sessions, or too little in them, to tell it from the habit")


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f" [{interval.low:.3f}, {interval.high:.3f}]"


def _summary(model: LocalModel, out: Path) -> dict[str, Json]:
    provenance = model.provenance
    return {
        "model": str(out),
        "sha256": model.digest,
        "domain": provenance.domain,
        "sources": [*provenance.sources],
        "sessions": provenance.sessions,
        "tasks": len(provenance.tasks),
        "decisions": provenance.decisions,
        "beats_habit": provenance.beats_habit,
        "training": {**provenance.settings},
        "held_out": {**provenance.scores},
    }
