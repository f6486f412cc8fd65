"""
What a decider is.

It does no work but arithmetic: one that needs a System-One model says what to ask it,
and is given the answers by whoever asked.

Apart from the registry of the installed ones, so that reading a flow does not load the
machinery that looks packages up.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Protocol

from stretto.episodes.vocabulary import RESPOND
from stretto.errors import CannotDecide
from stretto.flow.flow import Flow
from stretto.flow.moment import Moment
from stretto.oracle.answer import Response
from stretto.oracle.question import Request
from stretto.oracle.state import Slice


class Chances(Enum):
    """What a decider's numbers are, and so how a lookup is chosen by them."""

    EXCLUSIVE = "exclusive"
    """Probabilities of the one next step: the likeliest lookup is taken, or none."""
    INDEPENDENT = "independent"
    """
    Each lookup's own chance of being wanted: of those that bind, the one is taken
    whose whole call is likeliest to be the agent's.
    """


class Decider(Protocol):
    """What turns a site's options into probabilities."""

    @property
    def name(self) -> str:
        """What it is called on the command line and in logs."""

    @property
    def chances(self) -> Chances:
        """What its numbers are."""

    def state(self) -> Slice | None:
        """The empty state to keep along with an episode; None where none is needed."""

    def question(self, moment: Moment, offered: tuple[str, ...]) -> Request | None:
        """What has to be asked before the options can be weighed; None for nothing."""

    def weigh(
        self, moment: Moment, offered: tuple[str, ...], response: Response | None, /
    ) -> Mapping[str, float]:
        """
        Each offered lookup's probability, and that of `respond`.

        Args:
            response: The answers to `question`; None where it asks nothing.

        Raises:
            AnswerIncomplete: the response lacks an answer that it takes.
        """


class AsksNothing:
    """The part of a decider that a decider without a System-One model leaves empty."""

    __slots__ = ()

    def state(self) -> Slice | None:
        """None."""
        return None

    def question(self, _: Moment, __: tuple[str, ...]) -> Request | None:
        """None."""
        return None


def default_name(flow: Flow) -> str:
    """The name of the decider a flow is served with when none is named."""
    if flow.folds:
        return "arbiter"
    return "habit" if flow.reach is None else "reach"


def check_options(weighed: Mapping[str, float], offered: tuple[str, ...]) -> None:
    """
    Hold a decider to the options it was given, and to probabilities.

    Raises:
        CannotDecide: it weighed another set of options, or gave one no probability.
    """
    options = {*offered, RESPOND}
    if extra := weighed.keys() - options:
        raise CannotDecide(f"the decider weighed what was not offered: {sorted(extra)}")
    if missing := options - weighed.keys():
        raise CannotDecide(f"the decider left out {sorted(missing)}")
    for option, p in weighed.items():
        if not 0.0 <= p <= 1.0 + SLACK:
            raise CannotDecide(f"the decider gave {option} the probability {p:g}")


SLACK = 1e-9
"""How far a sum of floats may carry a probability past 1."""
