"""Who decides in a command that measures a flow, and whom they ask."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from stretto.cli.asking import ask_choice
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.unnamed import unnamed
from stretto.cli.warnings import warn
from stretto.episodes.episode import Episode
from stretto.errors import OracleError
from stretto.evaluate.decisions import questions
from stretto.flow.deciders.arbiter import ArbiterDecider, arbiter
from stretto.flow.deciders.decider import decider
from stretto.flow.deciders.protocol import Decider, default_name
from stretto.flow.flow import Flow
from stretto.flow.wire import read_flow
from stretto.oracle.answer import Response
from stretto.oracle.local import NAME as LOCAL
from stretto.oracle.oracle import Oracle
from stretto.oracle.paid import price
from stretto.oracle.question import Request
from stretto.oracle.replay import NAME as REPLAY

ORACLE = REPLAY
"""The oracle of a command that measures, unless another is named: it asks nobody."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """A flow, who decides by it, and which oracle they may ask."""

    flow: Flow
    decider: Decider
    choice: OracleChoice

    @classmethod
    def of(
        cls,
        path: Path,
        name: str | None,
        choice: OracleChoice,
        *,
        default: Callable[[Flow], str] = default_name,
    ) -> "Deciding":
        """
        What a command was given.

        The model of `--oracle-model` is asked in place of the flow's own, which is
        warned of where an arbiter was fitted on that; the words are those of
        `--questions`. Where no oracle was named, it is the one that is usual; where
        that is nobody, the habit decides, and a warning says so.

        Args:
            default: The decider's name where none was given.

        Raises:
            FormatError: the flow does not read.
            UnknownPlugin: there is no such decider.
            CannotDecide: the flow does not hold what the decider needs.
        """
        flow = read_flow(path)
        found = decider(flow, name or default(flow))
        if choice.kind is None:
            environ = choice.settings.environ
            found, kind, warning = unnamed(flow, found, environ, is_named=bool(name))
            choice = replace(choice, kind=kind)
            if warning:
                warn(warning)
        if isinstance(found, ArbiterDecider):
            model = _model(choice) or flow.model
            if model != flow.model:
                warn(f"the arbiter was fitted on answers of {flow.model}, not {model}")
            flow = replace(flow, model=model)
            found = arbiter(flow, choice.wording(), choice.omit)
        return cls(flow, found, choice)

    @property
    def asks(self) -> bool:
        """Whether a System-One model is asked."""
        return self.decider.state() is not None

    def asked(self, episodes: Iterable[Episode]) -> Oracle | None:
        """
        What has the answers to all that is asked along the episodes, asked at once.

        None where nothing is asked. Answers that are only replayed are not asked for
        first: those that are missing are counted, however many there are. Nor are
        those of one's own model, which depend on the episode's task.

        Raises:
            OracleError: it would cost too much, or most of it fails.
        """
        if not self.asks:
            return None
        if self.choice.kind in (LOCAL, REPLAY):
            return self.choice.oracle()
        along = partial(questions, self.flow, self.decider)
        return ask_choice(self.choice, (r for e in episodes for r in along(e)))

    def oracle(self) -> Oracle | None:
        """An oracle to ask as one goes, within the budget; None if nothing is asked."""
        if not self.asks:
            return None
        if self.choice.kind == LOCAL:
            return self.choice.oracle()
        return Budgeted(self.choice.oracle(), self.choice.budget)


def _model(choice: OracleChoice) -> str | None:
    """The model that is asked in place of a flow's own; None where it is that."""
    return choice.oracle().model if choice.kind == LOCAL else choice.settings.model


@dataclass(slots=True)
class Budgeted:
    """An oracle that is asked no more once a budget is spent."""

    inner: Oracle
    dollars: float
    spent: float = field(default=0.0, init=False)
    """As estimated before each request."""

    @property
    def name(self) -> str:
        """That of `inner`."""
        return self.inner.name

    @property
    def model(self) -> str:
        """That of `inner`."""
        return self.inner.model

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:
        """
        `inner`'s answers.

        Raises:
            OracleError: there are none, or the budget does not reach.
        """
        cost = price(self.inner, request)
        if cost and self.spent + cost > self.dollars:
            raise OracleError(
                f"the budget of ${self.dollars:.2f} is spent",
                hint="`--oracle-budget` raises it",
            )
        self.spent += cost
        return self.inner.ask(request, budget_s=budget_s)
