"""`stretto learn`: from recorded sessions to a flow."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import click

from stretto.cli.arbitration import ArbitrationChoice, arbitrated
from stretto.cli.examples import example
from stretto.cli.fitting import FittingChoice, fitting
from stretto.cli.importing import import_whole
from stretto.cli.learned import lines, summary
from stretto.cli.making import Material, make, write
from stretto.cli.number import Number, Whole
from stretto.cli.options import Sessions, as_json, labelled_sessions
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import questions
from stretto.cli.problems import warn_of_problems
from stretto.cli.tasks import Tasks, tasks
from stretto.learn.settings import Sampler, Settings, quadrature
from stretto.learn.survey import survey
from stretto.program.source import read_program_file
from stretto.program.standard import STANDARD


@click.command(
    epilog=example(
        "stretto learn sessions/ -o shop.flow.json",
        "stretto learn results.json.gz --manifest retail.json --split split.json \\",
        "    -o retail.flow.json",
        "stretto learn sessions/ --oracle jev -o shop.flow.json",
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
@questions(dollars=1)
@arbitrated
@fitting
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
    "--draws", type=Whole(min=1), default=600, show_default=True,
    help="Draws kept in each chain, with nuts and mh.",
)  # fmt: skip
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=7,
    show_default=True,
    help="The draws' seed.",
)
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
    "--dataflow-hints", is_flag=True,
    help="Count which writes a lookup's results feed, for questions to say.",
)  # fmt: skip
@click.option(
    "--manifest-options", is_flag=True,
    help="Offer every read after every call, not only those seen there.",
)  # fmt: skip
@click.option(
    "--half-life", type=Number(min=0, min_open=True), metavar="N",
    help="Count a session half for every N sessions after it.",
)  # fmt: skip
@click.option(
    "--surprise", type=Number(0, 1, min_open=True), metavar="Q",
    help="Hand back in sessions more surprising than this share of the training's.",
)  # fmt: skip
@click.option(
    "--surprise-window", type=Whole(min=1), default=5, show_default=True,
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
    habit_only: bool,
    choice: OracleChoice,
    arbitration: ArbitrationChoice,
    how: FittingChoice,
    alpha: float | None,
    sampler: str,
    draws: int,
    seed: int,
    features: bool,
    constants: bool,
    dataflow_hints: bool,
    manifest_options: bool,
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

    With --oracle, 30% of the tasks are held out, a System-One model is asked about
    each step of theirs, and an arbiter is fitted that weighs its answers against the
    habit.

    PATHS are session files and folders of them, compressed or not.
    """
    arbitration.check(choice, how, habit_only=habit_only)
    settings = Settings(
        alpha=alpha,
        sampler=_sampler(sampler, draws, seed),
        tasks=tasks,
        features=features,
        constants=constants,
        hints=dataflow_hints,
        every_read=manifest_options,
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
    material = Material(
        corpus,
        manifest,
        found,
        contracts=sessions.ledger.contracts,
        conventions=sessions.ledger.conventions,
    )
    made = make(material, settings, arbitration, choice, how)
    write(made, arbitration, out)
    if as_json:
        click.echo(json.dumps(summary(*made, out), indent=2))
    else:
        click.echo("\n".join(lines(*made, out)))


def _sampler(name: str, draws: int, seed: int) -> Sampler:
    if name == "grid":
        return quadrature
    # JAX takes seconds to start, and the grid does without it
    module = import_whole("stretto.models.concentration")
    drawn = partial(
        module.concentration, sampler=name, draws=draws, seed=seed, weighted=True
    )
    return cast(Sampler, drawn)
