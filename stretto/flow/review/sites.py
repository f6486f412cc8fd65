"""What a flow may look up after each call, and what it would do by the habit alone."""

from typing import NamedTuple

from stretto.binding.bind import Bound
from stretto.binding.byname import CHANCE
from stretto.binding.chance import chance, pooled_chance
from stretto.binding.pick import Mention, Pick
from stretto.canonical import number
from stretto.episodes.site import Site
from stretto.flow.decide import likeliest, offer
from stretto.flow.decision import HandBack
from stretto.flow.flow import Flow
from stretto.flow.options import options, threshold_at, within_reach
from stretto.flow.pooled import NONE, called, pooled, sites_seen
from stretto.habit.backoff import Counts


class OptionReview(NamedTuple):
    """A lookup that a site offers."""

    tool: str
    seen: int
    """How often the agent made it next in training."""
    share: float
    """Of the steps after such a call, those that were this lookup."""
    chance: float | None
    """That its arguments are the agent's, whatever the user mentioned."""
    unbound: str | None
    """Why it cannot be made, where its arguments have nowhere to come from."""


class Alone(NamedTuple):
    """What the habit alone would do at a site, by its shares and pooled chances."""

    makes: str | None
    code: str
    """`makes`, or the code of the reason for handing back."""
    text: str


class SiteReview(NamedTuple):
    """A site that offers lookups."""

    site: str
    calls: float
    """The calls there that training saw a step after."""
    threshold: float
    lookups: tuple[OptionReview, ...]
    """The likeliest first."""
    alone: Alone


def review_sites(flow: Flow, threshold: float) -> tuple[SiteReview, ...]:
    """The sites that offer a lookup, sorted."""
    steps = pooled(flow.habit.base)
    sites = set(flow.sites.next)
    if flow.sites.every_read:
        sites.update(sites_seen(flow, steps))
    reviews = (
        _review(flow, site, steps.get(called(flow, site), NONE), threshold)
        for site in sorted(sites)
    )
    return tuple(review for review in reviews if review.lookups)


def expected(flow: Flow, tool: str) -> Bound | str:
    """A lookup's chance over all its picks, without their values; or why none binds."""
    recipe = flow.bindings.recipe(tool)
    if recipe is None:
        docs = flow.manifest.docs.get(tool)
        by_name = docs is not None and docs.args
        return Bound({}, CHANCE if by_name else 1.0, Mention.NONE)
    for slot in recipe.slots:
        if not slot.sources:
            return f"{slot.argument} has no source"
    if recipe.required or recipe.constants:
        return Bound({}, pooled_chance(flow.bindings, tool), Mention.NONE)
    pick = Pick({}, Mention.PICKED)
    return Bound({}, chance(flow.bindings, tool, pick), Mention.PICKED)


def _review(flow: Flow, site: Site, steps: Counts, threshold: float) -> SiteReview:
    limit = threshold_at(flow, site, threshold)
    lookups = _options(flow, site, steps)
    alone = _alone(flow, site, lookups, limit)
    return SiteReview(str(site), steps.total, limit, lookups, alone)


def _options(flow: Flow, site: Site, steps: Counts) -> tuple[OptionReview, ...]:
    seen = flow.sites.next.get(site, {})
    reviews = []
    for tool in options(flow, site):
        bound = expected(flow, tool)
        made = steps.by_action.get(flow.vocab.id(tool), 0.0)
        reviews.append(
            OptionReview(
                tool,
                seen.get(tool, 0),
                made / steps.total if steps.total else 0.0,
                None if isinstance(bound, str) else bound.chance,
                bound if isinstance(bound, str) else None,
            )
        )
    return tuple(sorted(reviews, key=lambda r: (-r.share, -r.seen, r.tool)))


def _alone(
    flow: Flow, site: Site, reviews: tuple[OptionReview, ...], threshold: float
) -> Alone:
    """The habit's rule, with a site's shares in place of a session's probabilities."""
    offered = offer(flow, site)
    if isinstance(offered, HandBack):
        return Alone(None, offered.code.value, offered.text)
    allowed = within_reach(site, offered)
    shares = [(r.tool, r.share) for r in reviews if r.tool in allowed]
    action = likeliest(shares, lambda tool: expected(flow, tool), threshold)
    if isinstance(action, HandBack):
        return Alone(None, action.code.value, action.text)
    text = (
        f"{action.tool} at {action.p:.2f}, times {action.chance:.2f} for its "
        f"arguments, at least {number(threshold).removesuffix('.0')}"
    )
    return Alone(action.tool, "makes", text)
