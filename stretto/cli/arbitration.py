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
from stretto.flow.flow import Flow
from stretto.learn.adopt import adopt, read_given
from stretto.learn.arbiter import Arbitration, AskAll
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
    needing: tuple[str, ...]
    """The options given that make sense only where an arbiter is fitted."""

    def check(
        self, choice: OracleChoice, how: FittingChoice, *, habit_only: bool = False
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
        if not asks and (stray := (*self.needing, *how.given)):
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
    return _taking(command, (_FROM, _REFIT, _BY_FOLD, *_ASKED))


def crossfitted(command: Callable[..., None]) -> Callable[..., None]:
    """As `arbitrated`, of a command that fits by fold unless it is told not to."""
    return _taking(command, (_FROM, _POOLED, *_ASKED))


def _taking(
    command: Callable[..., None], options: Sequence[Decorator]
) -> Callable[..., None]:
    @wraps(command)
    def wrapped(
        arbiter_from: Path | None,
        predicate_features: bool,
        oracle_log: Path | None,
        candidates: Path | None,
        refit_habit: bool = False,
        by_fold: bool = False,
        pooled_arbiter: bool | None = None,
        **others: object,
    ) -> None:
        needing = {
            "--refit-habit": refit_habit,
            "--by-fold": by_fold,
            "--pooled-arbiter": pooled_arbiter,
            "--oracle-log": oracle_log is not None,
            "--candidates": candidates is not None,
            "--no-predicate-features": not predicate_features,
        }
        arbitration = ArbitrationChoice(
            arbiter_from,
            refit_habit,
            by_fold if pooled_arbiter is None else not pooled_arbiter,
            predicate_features,
            oracle_log,
            candidates,
            tuple(name for name, is_given in needing.items() if is_given),
        )
        command(arbitration=arbitration, **others)

    decorated: Callable[..., None] = wrapped
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


_FROM = click.option(
    "--arbiter-from",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Decide by the arbiter of this file or flow, with a habit of all the "
    "sessions; nothing is asked.",
)

_REFIT = click.option(
    "--refit-habit",
    is_flag=True,
    help="Once the arbiter is fitted, learn the habit again from both sides.",
)

_BY_FOLD = click.option(
    "--by-fold",
    is_flag=True,
    help="Fit an arbiter for each of five folds of tasks, which judges the fold "
    "that it was not fitted on; without it all share one fit.",
)

_POOLED = click.option(
    "--pooled-arbiter",
    is_flag=True,
    help="Fit one arbiter on all held-out decisions, which can be handed on; without "
    "it each of five folds of tasks is judged by a fit on the others.",
)

_ASKED: Sequence[Decorator] = (
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
