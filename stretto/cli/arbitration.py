"""The options that say where a flow's arbiter comes from, and what of it is kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TypeAlias

import click

from stretto.cli.asking import ask_choice
from stretto.cli.fitting import FittingChoice, fitter
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.warnings import warn
from stretto.files import write_text
from stretto.flow.flow import Flow
from stretto.flow.review.cautions import FEW_CASES
from stretto.learn.adopt import adopt, read_given
from stretto.learn.arbiter import Arbitrated, Arbitration, AskAll
from stretto.learn.decisionlog import log_lines
from stretto.oracle.local import NAME as LOCAL
from stretto.oracle.predicates import predicates_file

Decorator: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]


@dataclass(frozen=True, slots=True)
class ArbitrationChoice:
    """Where the arbiter comes from, as it was given."""

    arbiter_from: Path | None
    refit_habit: bool
    by_fold: bool
    predicate_features: bool
    oracle_log: Path | None
    candidates: Path | None

    def check(
        self, choice: OracleChoice, how: FittingChoice, *, habit_only: bool
    ) -> None:
        """
        Nothing, where the options go together.

        Raises:
            UsageError: they do not.
        """
        asks = choice.kind is not None
        if habit_only and (asks or self.arbiter_from is not None):
            raise click.UsageError(
                "--habit-only takes no --oracle and no --arbiter-from"
            )
        if asks and self.arbiter_from is not None:
            raise click.UsageError(
                "--oracle fits an arbiter and --arbiter-from takes one over: name one"
            )
        needing = {
            "--refit-habit": self.refit_habit,
            "--by-fold": self.by_fold,
            "--oracle-log": self.oracle_log is not None,
            "--candidates": self.candidates is not None,
            "--no-predicate-features": not self.predicate_features,
            "--prior-from": how.prior_from is not None,
            "--posterior": how.posterior is not None,
            "--left-out": how.left_out,
            "--pooled-rates": how.pooled_rates,
        }
        if not asks and (stray := [name for name, is_on in needing.items() if is_on]):
            raise click.UsageError(f"{stray[0]} needs --oracle NAME, to fit an arbiter")

    def how(self, choice: OracleChoice, how: FittingChoice) -> Arbitration:
        """
        How the arbiter is learned.

        Raises:
            FormatError: a file that was named does not read.
            OracleError: the oracle lacks something, such as a key.
        """
        predicates = choice.asked_predicates()
        weighed = predicates if self.predicate_features else ()
        candidates = () if self.candidates is None else predicates_file(self.candidates)
        return Arbitration(
            model=choice.oracle().model,
            ask=_asking(choice),
            fit=fitter(),
            fitting=how.fitting(weighed, by_fold=self.by_fold),
            wording=choice.wording(),
            omit=choice.omit,
            predicates=predicates,
            weighs_predicates=self.predicate_features,
            candidates=candidates,
            refits_habit=self.refit_habit,
        )

    def kept(self, found: Arbitrated) -> None:
        """
        Write the decision log, where one was asked for.

        Raises:
            CannotWrite: it cannot be written.
        """
        if self.oracle_log is not None:
            lines = log_lines(found.flow, found.answered, found.candidates)
            write_text(self.oracle_log, "".join(f"{line}\n" for line in lines))

    def adopted(self, flow: Flow) -> Flow:
        """
        `flow` with the arbiter of `--arbiter-from`, where one was named.

        Raises:
            FormatError: the file is neither an arbiter nor a flow.
            CannotDecide: the flow has none to lend.
        """
        if self.arbiter_from is None:
            return flow
        return adopt(flow, read_given(self.arbiter_from))


def _asking(choice: OracleChoice) -> AskAll:
    """
    Asks what was chosen, all at once.

    One's own model is asked step by step: its answers depend on the step's task.
    """
    if choice.kind != LOCAL:
        return partial(ask_choice, choice)
    own = choice.oracle()
    return lambda _: own


def arbitrated(command: Callable[..., None]) -> Callable[..., None]:
    """Has the command take where an arbiter comes from, as one `arbitration`."""

    @wraps(command)
    def wrapped(
        arbiter_from: Path | None,
        refit_habit: bool,
        by_fold: bool,
        predicate_features: bool,
        oracle_log: Path | None,
        candidates: Path | None,
        **others: object,
    ) -> None:
        arbitration = ArbitrationChoice(
            arbiter_from,
            refit_habit,
            by_fold,
            predicate_features,
            oracle_log,
            candidates,
        )
        command(arbitration=arbitration, **others)

    decorated: Callable[..., None] = wrapped
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def warn_of_few(cases: int) -> None:
    """Say so, where an arbiter was fitted on few decisions."""
    if cases < FEW_CASES:
        warn(
            f"the arbiter was fitted on {cases} decisions; on so few, published ones "
            "saved less than the habit alone (`--prior-from`, `--arbiter-from`)"
        )


_OPTIONS: Sequence[Decorator] = (
    click.option(
        "--arbiter-from",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Decide by the arbiter of this file or flow, with a habit of all the "
        "sessions; nothing is asked.",
    ),
    click.option(
        "--refit-habit",
        is_flag=True,
        help="Once the arbiter is fitted, learn the habit again from both sides.",
    ),
    click.option(
        "--by-fold",
        is_flag=True,
        help="Fit an arbiter for each of five folds of tasks, which judges the fold "
        "that it was not fitted on; without it all share one fit.",
    ),
    click.option(
        "--predicate-features/--no-predicate-features",
        default=True,
        show_default=True,
        help="Whether the yes/no questions are weighed, or only asked.",
    ),
    click.option(
        "--oracle-log",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Also write the decisions the arbiter was fitted on, a line each.",
    ),
    click.option(
        "--candidates",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Also ask these predicates, each alone, for `stretto refine`; they are "
        "only logged.",
    ),
)
