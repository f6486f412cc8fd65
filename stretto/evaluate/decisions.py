"""A flow's decisions along recorded episodes, beside what the agent did."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from stretto.episodes.episode import AssistantTurn, Episode, Event, ToolResult
from stretto.episodes.manifest import Kind
from stretto.episodes.site import Site
from stretto.episodes.vocabulary import RESPOND
from stretto.errors import AnswerIncomplete, OracleError
from stretto.flow.decide import answer, offer
from stretto.flow.deciders.protocol import Chances, Decider, check_options
from stretto.flow.decision import HandBack, Reason
from stretto.flow.flow import Flow
from stretto.flow.moment import Moment, Transcript
from stretto.oracle.held_out import held_out
from stretto.oracle.oracle import Oracle
from stretto.oracle.question import Request

OTHER = "other"
"""The option that stands for every read the site does not offer."""

FLOOR = 1e-6
"""The least probability an option is scored with, before renormalising."""


@dataclass(frozen=True)
class Scored:
    """One decision of a flow, with the agent's own step there."""

    site: Site
    probabilities: Mapping[str, float]
    """By option, sorted; `other` and `respond` are among them, and they sum to 1."""
    actual: str
    """The option that stands for the agent's step."""

    @cached_property
    def top(self) -> str:
        """The likeliest option, the first of equals."""
        return max(self.probabilities, key=self.probabilities.__getitem__)

    @property
    def agreed(self) -> bool:
        """Whether the likeliest option is what the agent did."""
        return self.top == self.actual

    @property
    def offered(self) -> bool:
        """Whether the agent's step was among the site's own options."""
        return self.actual != OTHER

    @property
    def p_actual(self) -> float:
        """The probability of the agent's step."""
        return self.probabilities[self.actual]

    @property
    def log_p(self) -> float:
        """The log probability of the agent's step, in nats."""
        return math.log(self.p_actual)

    @property
    def log_p_among(self) -> float:
        """The same among the site's own options, where the step was one of them."""
        return self.log_p - math.log1p(-self.probabilities[OTHER])


class Point(NamedTuple):
    """A point where a flow weighs its options, and what the agent then did."""

    moment: Moment
    """Gone with the next point."""
    site: Site
    offered: tuple[str, ...]
    follows: Event


def decisions(
    flow: Flow, decider: Decider, episode: Episode, *, oracle: Oracle | None = None
) -> Iterator[Scored | Reason]:
    """
    What the flow would weigh after each result that something follows.

    Where it hands back before weighing anything, the reason stands in its place; so it
    does where a System-One model has no answer. No argument is bound, no threshold
    applies, and the surprise gate is left out.

    Args:
        oracle: Whom to ask, where the decider asks. One that learned from the
            episode's task answers as it was without that.
    """
    asked = None if oracle is None else held_out(oracle, episode.task_or_id)
    for point in points(flow, decider, episode):
        if isinstance(point, Reason):
            yield point
            continue
        moment, site, offered, follows = point
        response = None
        if (request := decider.question(moment, offered)) is not None:
            response = answer(asked, request)
        if isinstance(response, OracleError):
            yield Reason.ORACLE_FAILED
            continue
        try:
            weighed = decider.weigh(moment, offered, response)
        except AnswerIncomplete:
            yield Reason.ORACLE_INCOMPLETE
            continue
        check_options(weighed, offered)
        actual = _actual(flow, follows, offered)
        yield Scored(site, _distribution(weighed, decider.chances), actual)


def questions(flow: Flow, decider: Decider, episode: Episode) -> Iterator[Request]:
    """What `decisions` would ask, in order."""
    for point in points(flow, decider, episode):
        if not isinstance(point, Reason):
            request = decider.question(point.moment, point.offered)
            if request is not None:
                yield request


def points(flow: Flow, decider: Decider, episode: Episode) -> Iterator[Point | Reason]:
    """After each result that something follows: the options, or why there are none."""
    task = episode.task_or_id
    transcript = Transcript(flow, state=decider.state(), task=task)
    for event, follows in pairwise(episode.events):
        transcript.add(event, scored=False)
        if not isinstance(event, ToolResult) or isinstance(follows, ToolResult):
            continue
        moment = transcript.moment()
        offered = offer(flow, moment.site)
        if moment.site is None or isinstance(offered, HandBack):
            assert isinstance(offered, HandBack)
            yield offered.code
        else:
            yield Point(moment, moment.site, offered, follows)


def _actual(flow: Flow, event: Event, offered: tuple[str, ...]) -> str:
    calls = event.calls if isinstance(event, AssistantTurn) else ()
    if not calls:
        return RESPOND
    tool = calls[0].tool
    if tool in offered:
        return tool
    return OTHER if flow.manifest.kind(tool) is Kind.READ else RESPOND


def _distribution(weighed: Mapping[str, float], chances: Chances) -> dict[str, float]:
    """
    The weighed options and what they leave, floored and renormalised.

    Exclusive probabilities leave the reads that were not offered; independent chances,
    which may sum to anything, leave handing back.
    """
    rest = max(0.0, 1.0 - sum(weighed.values()))
    if chances is Chances.EXCLUSIVE:
        filled = {**weighed, OTHER: rest}
    else:
        filled = {**weighed, OTHER: 0.0, RESPOND: weighed[RESPOND] + rest}
    floored = {name: max(filled[name], FLOOR) for name in sorted(filled)}
    total = sum(floored.values())
    return {name: p / total for name, p in floored.items()}
