"""The rule: take a lookup when it and its arguments are likely enough, or hand back."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from stretto.binding.bind import Bound, bind
from stretto.episodes.site import Site
from stretto.errors import AnswerIncomplete, CannotDecide, OracleError
from stretto.flow.deciders.protocol import Chances, Decider, check_options
from stretto.flow.decision import Decision, HandBack, Lookup, Reason
from stretto.flow.flow import Flow
from stretto.flow.moment import Moment
from stretto.flow.options import (
    MAX_THRESHOLD,
    is_promoted,
    options,
    threshold_at,
    within_reach,
)
from stretto.flow.surprise import tripped
from stretto.oracle.answer import Response
from stretto.oracle.ask import ask
from stretto.oracle.held_out import held_out
from stretto.oracle.oracle import Oracle
from stretto.oracle.question import Request

THRESHOLD = 0.3
"""The threshold a flow is served at when none is given."""

Binder = Callable[[str], Bound | str]
"""A lookup's arguments and their chance, or why it has none."""


def offer(flow: Flow, site: Site | None) -> tuple[str, ...] | HandBack:
    """A site's options, or why the flow does not decide there; nothing is asked."""
    if site is None:
        return HandBack.plain(Reason.NOT_AFTER_CALL)
    if not is_promoted(flow, site):
        return HandBack.plain(Reason.NOT_PROMOTED)
    if threshold_at(flow, site, 0.0) > MAX_THRESHOLD:
        return HandBack.plain(Reason.SWITCHED_OFF)
    return options(flow, site) or HandBack.plain(Reason.NO_OPTIONS)


@dataclass(frozen=True, slots=True)
class Weighing:
    """A site's options at a moment, and who is to weigh them."""

    flow: Flow
    moment: Moment
    decider: Decider
    threshold: float
    site: Site
    offered: tuple[str, ...]

    def decision(self, response: Response | None) -> Decision:
        """What is done once the decider has weighed the options."""
        weighed = self.decider.weigh(self.moment, self.offered, response)
        check_options(weighed, self.offered)
        within = within_reach(self.site, self.offered)
        threshold = threshold_at(self.flow, self.site, self.threshold)
        exclusive = self.decider.chances is Chances.EXCLUSIVE
        choose = likeliest if exclusive else _best_bound
        action = choose([(t, weighed[t]) for t in within], self._bound, threshold)
        return Decision(self.site, action, weighed)

    def _bound(self, tool: str) -> Bound | str:
        flow, at = self.flow, self.moment
        return bind(flow.bindings, flow.manifest, tool, at.seen, at.pending)


@dataclass(frozen=True, slots=True)
class Undecided:
    """A decision that waits for a System-One model's answers."""

    weighing: Weighing
    request: Request
    """What to ask."""

    def conclude(self, answer: Response | OracleError) -> Decision:
        """
        The decision, given the answers to `request`, or why there are none.

        It is about the moment as it was. Where the episode has gone on since, the
        answers are to be dropped, and the decision begun again.

        Raises:
            CannotDecide: as `decide` does.
        """
        site = self.weighing.site
        if isinstance(answer, OracleError):
            failed = HandBack.oracle_failed(answer)
            return Decision(site, failed, request=self.request)
        try:
            decision = self.weighing.decision(answer)
        except AnswerIncomplete:
            decision = Decision(site, HandBack.plain(Reason.ORACLE_INCOMPLETE))
        return replace(decision, request=self.request, response=answer)


def begin(
    flow: Flow, moment: Moment, decider: Decider, *, threshold: float = THRESHOLD
) -> Decision | Undecided:
    """
    The decision at `moment`, or what has to be asked first. Nobody is asked here.

    Args:
        threshold: As `decide` takes it.

    Raises:
        CannotDecide: as `decide` does.
        ValueError: the threshold is no number.
    """
    if math.isnan(threshold):
        raise ValueError("the threshold is no number")
    site = moment.site
    offered = offer(flow, site)
    if site is None or isinstance(offered, HandBack):
        assert isinstance(offered, HandBack)
        return Decision(site, offered)
    if (surprised := tripped(flow, moment.surprise)) is not None:
        return Decision(site, surprised)
    weighing = Weighing(flow, moment, decider, threshold, site, offered)
    request = decider.question(moment, offered)
    if request is None:
        return weighing.decision(None)
    return Undecided(weighing, request)


def decide(
    flow: Flow,
    moment: Moment,
    decider: Decider,
    *,
    threshold: float = THRESHOLD,
    oracle: Oracle | None = None,
    budget_s: float | None = None,
) -> Decision:
    """
    What the flow does at `moment`: a lookup it is sure enough of, or handing back.

    Args:
        threshold: The least probability of the whole call, arguments included, at
            which a lookup is made; a site's own threshold replaces it.
        oracle: Whom to ask, in this thread, where the decider asks. One that learned
            from the moment's task answers as it was without that.
        budget_s: How many seconds it may take; None leaves that to it.

    Raises:
        CannotDecide: the decider did not keep to the options, or to probabilities, or
            asks where there is no oracle.
        ValueError: the threshold is no number.
    """
    begun = begin(flow, moment, decider, threshold=threshold)
    if isinstance(begun, Decision):
        return begun
    asked = None if oracle is None else held_out(oracle, moment.task)
    return begun.conclude(answer(asked, begun.request, budget_s=budget_s))


def answer(
    oracle: Oracle | None, request: Request, *, budget_s: float | None = None
) -> Response | OracleError:
    """
    The answers to a request, or why there are none.

    Raises:
        CannotDecide: there is no oracle.
    """
    if oracle is None:
        raise CannotDecide(
            "the decider asks a System-One model, and there is none to ask",
            hint="name one with `--oracle`, or use `--decider habit`",
        )
    try:
        return ask(oracle, request, budget_s=budget_s)
    except OracleError as error:
        return error


def likeliest(
    weighed: list[tuple[str, float]], bind: Binder, threshold: float
) -> Lookup | HandBack:
    """The likeliest lookup where it is likely enough and binds, and no other one."""
    tool, p = max(weighed, key=lambda item: item[1], default=("", 0.0))
    if p <= 0:
        return HandBack.plain(Reason.NONE)
    if p < threshold:
        return HandBack.below(tool, p, threshold)
    bound = bind(tool)
    if isinstance(bound, str):
        return HandBack.unbound(tool, bound)
    if p * bound.chance < threshold:
        return HandBack.below_bound(tool, p, bound.chance, threshold)
    return Lookup(tool, bound.arguments, p, bound.chance)


def _best_bound(
    weighed: list[tuple[str, float]], bind: Binder, threshold: float
) -> Lookup | HandBack:
    best: Lookup | None = None
    unbound: HandBack | None = None
    for tool, p in weighed:
        if p < threshold or p <= 0:
            continue
        bound = bind(tool)
        if isinstance(bound, str):
            unbound = HandBack.unbound(tool, bound)
        elif best is None or p * bound.chance > best.p * best.chance:
            best = Lookup(tool, bound.arguments, p, bound.chance)
    if best is not None:
        if best.p * best.chance >= threshold:
            return best
        return HandBack.below_bound(best.tool, best.p, best.chance, threshold)
    if unbound is not None:
        return unbound
    tool, p = max(weighed, key=lambda item: item[1], default=("", 0.0))
    return HandBack.below(tool, p, threshold) if p > 0 else HandBack.plain(Reason.NONE)
