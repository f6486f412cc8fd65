"""`stretto simulate`: draw sessions from a flow's own model."""

from dataclasses import asdict
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.chosen import measured
from stretto.cli.examples import example
from stretto.cli.options import Sessions, as_json, sessions
from stretto.cli.reports import html_option, write_report
from stretto.cli.tasks import Tasks, tasks
from stretto.evaluate.decisions import Scored, decisions
from stretto.evaluate.simulate import N_RUNS, SEED, Simulation
from stretto.evaluate.simulate import simulate as simulate_decisions
from stretto.flow.deciders.decider import decider as decider_of
from stretto.flow.wire import read_flow
from stretto.report.simulate import simulation_document


@click.command(
    epilog=example(
        "stretto simulate shop.flow.json new-sessions/",
        "stretto simulate shop.flow.json new-sessions/ -n 10000 --html simulation.html",
    ),
)
@click.argument("flow", type=click.Path(path_type=Path))
@sessions
@tasks("test")
@click.option(
    "--decider", metavar="NAME", default="habit", show_default=True,
    help="Whose probabilities to draw from: habit or reach.",
)  # fmt: skip
@click.option(
    "-n", "--runs", type=click.IntRange(min=1), default=N_RUNS, show_default=True,
    help="How many runs to draw.",
)  # fmt: skip
@click.option(
    "--seed", type=int, default=SEED, show_default=True, help="The draws' seed."
)
@html_option
@as_json
def simulate(
    flow: Path,
    sessions: Sessions,
    tasks: Tasks | None,
    decider: str,
    runs: int,
    seed: int,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Draw sessions from a flow's own model.

    At every point where the flow would decide in the recorded sessions, the next step
    is drawn from its probabilities, many times over. What the agents did is then set
    beside what the flow takes them to do: in all, and option by option.

    FLOW is a file that `stretto learn` wrote; PATHS are session files and folders of
    them.
    """
    compiled = read_flow(flow)
    weigher = decider_of(compiled, decider)
    points = (
        point
        for episode in measured(sessions, tasks)
        for point in decisions(compiled, weigher, episode)
        if isinstance(point, Scored)
    )
    found = simulate_decisions(points, runs=runs, seed=seed)
    write_report(
        lambda draw: simulation_document(found, flow.name, draw),
        summary(found),
        page,
        as_json,
    )


def summary(found: Simulation) -> Json:
    """The simulation as JSON, its runs summed up."""
    return {
        "decisions": found.decisions,
        "runs": found.runs,
        "seed": found.seed,
        "log_prob": found.log_p,
        "mean_log_prob_of_runs": sum(found.log_p_runs) / found.runs,
        "tail": found.tail,
        "options": [{**asdict(o), "within": o.within} for o in found.options],
    }
