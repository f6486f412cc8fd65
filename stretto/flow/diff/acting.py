"""Changes in where a flow acts: its sites, thresholds, promotion and surprise gate."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from stretto.counted import counted
from stretto.flow.diff.change import Change, Listed, NeedsReview, keyed
from stretto.flow.flow import Flow, SiteRecord, Surprise
from stretto.flow.options import MAX_THRESHOLD
from stretto.flow.review import Review
from stretto.flow.review.sites import OptionReview, SiteReview
from stretto.markdown import shortest

Reviews: TypeAlias = tuple[Review, Review]
"""Of the flow before and of the one after."""


def acting_changes(
    before: Flow, after: Flow, reviews: Reviews, tolerance: float
) -> Iterator[Change]:
    """What changed in where the flow acts."""
    old, new = ({site.site: site for site in review.sites} for review in reviews)
    had, has = _learned(before, reviews[0]), _learned(after, reviews[1])
    yield from _every_read(before, after)
    for site in sorted({*old, *new}):
        yield from _lookups(site, had.get(site, {}), has.get(site, {}), tolerance)
        yield from _acts(site, old.get(site), new.get(site))
    yield from _thresholds(before, after, reviews[0].run.threshold)
    yield from _promotion(before, after)
    yield from _surprise(before, after)


def _every_read(before: Flow, after: Flow) -> Iterator[Change]:
    if after.sites.every_read and not before.sites.every_read:
        text = "is on: every read-only tool is on offer after every call"
        yield Change(NeedsReview.EVERY_READ_ON, "every_read", text, False, True)
    if before.sites.every_read and not after.sites.every_read:
        text = "is off: sites offer what training saw there"
        yield Change(Listed.EVERY_READ_OFF, "every_read", text, True, False)


def _lookups(
    site: str,
    old: Mapping[str, OptionReview],
    new: Mapping[str, OptionReview],
    tolerance: float,
) -> Iterator[Change]:
    def changed(
        tool: str, was: OptionReview | None, is_: OptionReview | None
    ) -> Change | None:
        if is_ is None:
            text = f"does not offer {tool} any more"
            return Change(Listed.LOOKUP_REMOVED, site, text, tool, None)
        if was is None:
            seen = counted(is_.seen, "time")
            text = f"offers {tool}, a share of {is_.share:.2f}, seen {seen}"
            return Change(NeedsReview.LOOKUP_ADDED, site, text, None, tool)
        if moved(was.share, is_.share, tolerance):
            text = f"gives {tool} a share of {is_.share:.2f}, gave {was.share:.2f}"
            return Change(Listed.SHARE_MOVED, site, text, was.share, is_.share)
        return None

    yield from keyed(old, new, changed)


def _learned(flow: Flow, review: Review) -> dict[str, dict[str, OptionReview]]:
    """Each site's lookups that training saw, also where every read is offered."""
    seen = {str(site): counts for site, counts in flow.sites.next.items()}
    return {
        site.site: {
            lookup.tool: lookup
            for lookup in site.lookups
            if lookup.tool in seen.get(site.site, ())
        }
        for site in review.sites
    }


def _acts(
    site: str, old: SiteReview | None, new: SiteReview | None
) -> Iterator[Change]:
    was = None if old is None else old.alone.makes
    makes = None if new is None else new.alone.makes
    if makes is not None and new is not None and makes != was:
        instead = "" if was is None else f" instead of {was}"
        text = f"the habit alone acts{instead}: {new.alone.text}"
        yield Change(NeedsReview.SITE_ACTS, site, text, was, makes)
    if makes is None and was is not None:
        why = "it offers nothing" if new is None else new.alone.text
        text = f"the habit alone hands back now: {why}"
        yield Change(Listed.SITE_STOPS, site, text, was, None)


def _thresholds(before: Flow, after: Flow, served: float) -> Iterator[Change]:
    for site in sorted({*before.thresholds, *after.thresholds}):
        old = before.thresholds.get(site, served)
        new = after.thresholds.get(site, served)
        if old == new or min(old, new) > MAX_THRESHOLD:
            continue
        limits = f"has threshold {shortest(new)}, had {shortest(old)}"
        if old > MAX_THRESHOLD:
            text = f"is switched on, at {shortest(new)}"
            yield Change(NeedsReview.SWITCHED_ON, site, text, old, new)
        elif new > MAX_THRESHOLD:
            text = "is switched off"
            yield Change(Listed.SWITCHED_OFF, site, text, old, new)
        elif new < old:
            yield Change(NeedsReview.THRESHOLD_LOWERED, site, limits, old, new)
        else:
            yield Change(Listed.THRESHOLD_RAISED, site, limits, old, new)


def _promotion(before: Flow, after: Flow) -> Iterator[Change]:
    if before.promoted is None and after.promoted is None:
        return
    if after.promoted is None:
        text = "is lifted: the flow may act at every site"
        yield Change(NeedsReview.PROMOTION_LIFTED, "promoted", text)
        return
    if before.promoted is None:
        sites = sum(record.promoted for record in after.promoted.sites.values())
        text = f"limits the flow to {sites} sites"
        yield Change(Listed.PROMOTION_ADDED, "promoted", text)
        return

    def changed(
        site: str, old: SiteRecord | None, new: SiteRecord | None
    ) -> Change | None:
        was = old is not None and old.promoted
        if (is_ := new is not None and new.promoted) == was:
            return None
        if is_ and new is not None:
            text = f"is promoted: {new.used} of {new.lookups} lookups used"
            return Change(NeedsReview.SITE_PROMOTED, site, text, was, is_)
        text = "is not promoted any more"
        return Change(Listed.SITE_DEMOTED, site, text, was, is_)

    yield from keyed(before.promoted.sites, after.promoted.sites, changed)


def _surprise(before: Flow, after: Flow) -> Iterator[Change]:
    old, new = before.surprise, after.surprise
    if old == new:
        return
    text = f"{_gate(new)}, {_gate(old)} before"
    if new is None:
        yield Change(NeedsReview.SURPRISE_LIFTED, "surprise", text)
    elif old is None:
        yield Change(Listed.SURPRISE_ADDED, "surprise", text)
    elif new.threshold > old.threshold or new.window > old.window:
        yield Change(NeedsReview.SURPRISE_LOOSENED, "surprise", text)
    else:
        yield Change(Listed.SURPRISE_TIGHTENED, "surprise", text)


def _gate(gate: Surprise | None) -> str:
    if gate is None:
        return "never hands back"
    return f"hands back above {shortest(gate.threshold)} nats over {gate.window} steps"


def moved(old: float, new: float, tolerance: float) -> bool:
    """Whether a share or a chance moved by at least the tolerance."""
    return old != new and abs(new - old) >= tolerance - 1e-9
