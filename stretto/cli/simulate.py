"""`stretto simulate`: draw sessions from a flow's own model."""

from dataclasses import asdict
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.chosen import Measured
from stretto.cli.deciding import ORACLE, Deciding
from stretto.cli.examples import example
from stretto.cli.number import Whole
from stretto.cli.options import Sessions, as_json, sessions
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import questions
from stretto.cli.reports import html_option, write_report
from stretto.cli.tasks import Tasks, tasks
from stretto.cli.warnings import warn
from stretto.evaluate.decisions import Scored, decisions
from stretto.evaluate.simulate import N_RUNS, SEED, Simulation
from stretto.evaluate.simulate import simulate as simulate_decisions
from stretto.flow.decision import NO_ANSWER, Reason
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
    help="Whose probabilities to draw from: arbiter, habit or reach.",
)  # fmt: skip
@questions(dollars=1, default=ORACLE)
@click.option(
    "-n", "--runs", type=Whole(min=1), default=N_RUNS, show_default=True,
    help="How many runs to draw.",
)  # fmt: skip
@click.option(
    "--seed", type=int, default=SEED, show_default=True, metavar="N",
    help="The draws' seed.",
)  # fmt: skip
@html_option
@as_json
def simulate(
    flow: Path,
    sessions: Sessions,
    tasks: Tasks | None,
    decider: str,
    choice: OracleChoice,
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
    deciding = Deciding.of(flow, decider, choice)
    episodes = Measured(sessions, tasks, again=deciding.asks)
    oracle = deciding.asked(episodes)
    points = [
        point
        for episode in episodes
        for point in decisions(deciding.flow, deciding.decider, episode, oracle=oracle)
    ]
    scored = [point for point in points if isinstance(point, Scored)]
    reasons = [point for point in points if isinstance(point, Reason)]
    found = simulate_decisions(scored, runs=runs, seed=seed)
    if unanswered := sum(reason in NO_ANSWER for reason in reasons):
        warn(f"{unanswered:,} decisions had no answer, and are left out")
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
