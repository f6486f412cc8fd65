"""A flow's decisions along recorded episodes, beside what the agent did."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from stretto.episodes.episode import AssistantTurn, Episode, Event, ToolResult
from stretto.episodes.manifest import Kind
from stretto.episodes.site import Site
from stretto.episodes.vocabulary import RESPOND
from stretto.flow.decide import offer
from stretto.flow.deciders.protocol import Chances, Decider, check_options
from stretto.flow.decision import HandBack, Reason
from stretto.flow.flow import Flow
from stretto.flow.moment import Transcript

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


def decisions(
    flow: Flow, decider: Decider, episode: Episode
) -> Iterator[Scored | Reason]:
    """
    What the flow would weigh after each result that something follows.

    Where it hands back before weighing anything, the reason stands in its place. No
    argument is bound, no threshold applies, and the surprise gate is left out.
    """
    transcript = Transcript(flow)
    for event, follows in pairwise(episode.events):
        transcript.add(event, scored=False)
        if not isinstance(event, ToolResult) or isinstance(follows, ToolResult):
            continue
        moment = transcript.moment()
        offered = offer(flow, moment.site)
        if moment.site is None or isinstance(offered, HandBack):
            assert isinstance(offered, HandBack)
            yield offered.code
            continue
        weighed = decider.weigh(moment, offered)
        check_options(weighed, offered)
        actual = _actual(flow, follows, offered)
        yield Scored(moment.site, _distribution(weighed, decider.chances), actual)


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
