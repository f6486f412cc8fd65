"""The rule: take a lookup when it and its arguments are likely enough, or hand back."""

import math
from collections.abc import Callable

from stretto.binding.bind import Bound, bind
from stretto.episodes.site import Site
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


def decide(
    flow: Flow, moment: Moment, decider: Decider, *, threshold: float = THRESHOLD
) -> Decision:
    """
    What the flow does at `moment`: a lookup it is sure enough of, or handing back.

    Args:
        threshold: The least probability of the whole call, arguments included, at
            which a lookup is made; a site's own threshold replaces it.

    Raises:
        CannotDecide: the decider did not keep to the options, or to probabilities.
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
    weighed = decider.weigh(moment, offered)
    check_options(weighed, offered)

    def bound(tool: str) -> Bound | str:
        return bind(flow.bindings, flow.manifest, tool, moment.seen, moment.pending)

    allowed = [(tool, weighed[tool]) for tool in within_reach(site, offered)]
    choose = likeliest if decider.chances is Chances.EXCLUSIVE else _best_bound
    action = choose(allowed, bound, threshold_at(flow, site, threshold))
    return Decision(site, action, weighed)


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
