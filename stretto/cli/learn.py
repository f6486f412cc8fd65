"""`stretto learn`: from recorded sessions to a flow."""

import importlib
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import click

from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.number import Number
from stretto.cli.options import Sessions, as_json, labelled_sessions
from stretto.cli.problems import warn_of_problems
from stretto.cli.tasks import Tasks, tasks
from stretto.episodes.manifest import Kind
from stretto.flow.wire import write_flow
from stretto.learn.learn import Learned
from stretto.learn.learn import learn as learn_flow
from stretto.learn.settings import Sampler, Settings, quadrature
from stretto.learn.survey import survey
from stretto.program.source import read_program_file
from stretto.program.standard import STANDARD


@click.command(
    epilog=example(
        "stretto learn sessions/ -o shop.flow.json",
        "stretto learn results.json.gz --manifest retail.json --split split.json \\",
        "    -o retail.flow.json",
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
    help="The flow file to write.",
)
@click.option(
    "--habit-only",
    is_flag=True,
    help="Decide by the habit, without asking any model: the default.",
)
@click.option(
    "--alpha",
    type=Number(min=0, min_open=True),
    help="Fix the concentration instead of inferring it.",
)
@click.option(
    "--sampler",
    type=click.Choice(["grid", "nuts", "mh"]),
    default="grid",
    show_default=True,
    help="How to infer the concentration: exactly on a grid, or by drawing from it.",
)
@click.option(
    "--draws", type=click.IntRange(min=1), default=600, show_default=True,
    help="Draws kept in each chain, with nuts and mh.",
)  # fmt: skip
@click.option("--seed", type=int, default=7, show_default=True, help="The draws' seed.")
@click.option(
    "--features/--no-features",
    default=True,
    show_default=True,
    help="Look for fields of results that change what comes next.",
)
@click.option(
    "--constants", is_flag=True, help="Bind arguments that never varied as constants."
)
@click.option(
    "--half-life", type=Number(min=0, min_open=True), metavar="N",
    help="Count a session half for every N sessions after it.",
)  # fmt: skip
@click.option(
    "--surprise", type=Number(0, 1, min_open=True), metavar="Q",
    help="Hand back in sessions more surprising than this share of the training's.",
)  # fmt: skip
@click.option(
    "--surprise-window", type=click.IntRange(min=1), default=5, show_default=True,
    metavar="N", help="Steps the surprise is averaged over.",
)  # fmt: skip
@click.option(
    "--program", metavar="FILE", type=click.Path(path_type=Path),
    help="The program to run after each call, in place of the standard one.",
)  # fmt: skip
@as_json
def learn(
    sessions: Sessions,
    tasks: Tasks | None,
    out: Path,
    habit_only: bool,  # noqa: ARG001 - the only way there is, and so the default
    alpha: float | None,
    sampler: str,
    draws: int,
    seed: int,
    features: bool,
    constants: bool,
    half_life: float | None,
    surprise: float | None,
    surprise_window: int,
    program: Path | None,
    as_json: bool,
) -> None:
    """
    Learn a flow from recorded sessions.

    Sessions that failed are left out; sessions nobody graded are taken as successful,
    which is said. Which tools only read comes from the sessions' own tool listing, or
    from --manifest.

    PATHS are session files and folders of them, compressed or not.
    """
    settings = Settings(
        alpha=alpha,
        sampler=_sampler(sampler, draws, seed),
        tasks=tasks,
        features=features,
        constants=constants,
        half_life=half_life,
        surprise=surprise,
        window=surprise_window,
        program=STANDARD if program is None else read_program_file(program),
    )
    corpus = sessions.corpus()
    found = survey(corpus, settings)
    warn_of_problems(sessions.ledger)
    manifest = sessions.manifest()
    if not manifest.domain:
        manifest = replace(manifest, domain="+".join(sorted(found.domains - {""})))
    learned = learn_flow(
        corpus,
        manifest,
        settings,
        surveyed=found,
        contracts=sessions.ledger.contracts,
        conventions=sessions.ledger.conventions,
    )
    write_flow(learned.flow, out)
    if as_json:
        click.echo(json.dumps(_summary(learned, out), indent=2))
    else:
        click.echo("\n".join(_lines(learned, out)))


def _sampler(name: str, draws: int, seed: int) -> Sampler:
    if name == "grid":
        return quadrature
    # JAX takes seconds to start, and the grid does without it
    module = importlib.import_module("stretto.models.concentration")
    drawn = partial(
        module.concentration, sampler=name, draws=draws, seed=seed, weighted=True
    )
    return cast(Sampler, drawn)


def _lines(learned: Learned, out: Path) -> list[str]:
    flow = learned.flow
    kinds = list(flow.manifest.tools.values())
    counts = ", ".join(f"{kinds.count(kind)} {kind.value}" for kind in Kind)
    used = flow.provenance.habit_episodes
    lines = [
        f"domain     {flow.manifest.domain or 'unnamed'}",
        f"sessions   {learned.episodes} read, {learned.training} to learn from, "
        f"{used} used",
        f"tools      {len(kinds)}: {counts}",
        f"sites      {len(flow.sites.next)} with a lookup",
        f"α          {_alpha(learned)}",
        f"features   {_features(learned)}",
    ]
    if len(flow.provenance.sources) > 1:
        lines.append(
            f"agents     {', '.join(flow.provenance.sources)}: one habit of all"
        )
    if learned.on_trust:
        lines.append(
            f"on trust   {learned.on_trust} of the sessions used carry no reward and "
            "were taken as successful (--rewards)"
        )
    return [*lines, f"wrote      {out}"]


def _alpha(learned: Learned) -> str:
    posterior = learned.concentration
    alpha = learned.flow.habit.base.alpha
    if posterior is None:
        return f"{alpha:g}, as given"
    text = f"{alpha:.3f} [{posterior.low:.3f}, {posterior.high:.3f}], the median and "
    text += f"90% interval by {posterior.sampler}"
    if posterior.r_hat is not None and posterior.ess is not None:
        text += f" (R̂ {posterior.r_hat:.3f}, ESS {posterior.ess:.0f})"
    return text


def _features(learned: Learned) -> str:
    if learned.selection is None:
        return "not looked for"
    if not learned.selection.chosen:
        return f"none of {learned.selection.n_candidates} fields helps"
    return ", ".join(
        f"{c.candidate.tool} {c.candidate.field.kind}({c.candidate.field.path}) "
        f"+{c.gain:.1f} nats"
        for c in learned.selection.chosen
    )


def _summary(learned: Learned, out: Path) -> Json:
    flow, posterior = learned.flow, learned.concentration
    return {
        "flow": str(out),
        "domain": flow.manifest.domain,
        "episodes": learned.episodes,
        "training": learned.training,
        "habit_episodes": flow.provenance.habit_episodes,
        "on_trust": learned.on_trust,
        "sources": list(flow.provenance.sources),
        "sites": len(flow.sites.next),
        "alpha": flow.habit.base.alpha,
        "concentration": None
        if posterior is None
        else {
            "median": posterior.median,
            "low": posterior.low,
            "high": posterior.high,
            "sampler": posterior.sampler,
            "r_hat": posterior.r_hat,
            "ess": posterior.ess,
        },
        "features": []
        if learned.selection is None
        else [
            {
                "tool": c.candidate.tool,
                "kind": c.candidate.field.kind,
                "path": c.candidate.field.path,
                "gain": c.gain,
            }
            for c in learned.selection.chosen
        ],
    }
