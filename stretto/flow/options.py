"""What a site offers, and at which threshold."""

from stretto.episodes.manifest import Kind
from stretto.episodes.site import Site
from stretto.flow.flow import Flow

MAX_THRESHOLD = 1.0
"""A site's threshold above this switches the flow off there."""


def options(flow: Flow, site: Site) -> tuple[str, ...]:
    """The lookups a flow may make at a site, sorted; empty where it knows none."""
    if flow.sites.every_read:
        return flow.sites.reads
    offered = flow.sites.next.get(site, ())
    return tuple(sorted(t for t in offered if flow.manifest.kind(t) is Kind.READ))


def every_option(flow: Flow) -> frozenset[str]:
    """The lookups that a flow may make at any of its sites."""
    if flow.sites.every_read:
        return frozenset(flow.sites.reads)
    return frozenset(tool for site in flow.sites.next for tool in options(flow, site))


def within_reach(site: Site, offered: tuple[str, ...]) -> tuple[str, ...]:
    """
    The options that may be chosen: with several servers, those of the site's own.

    A tool learned across servers is named `SERVER::TOOL`.
    """
    server, mark, _ = site.tool.partition("::")
    if not mark:
        return offered
    return tuple(tool for tool in offered if tool.startswith(f"{server}::"))


def threshold_at(flow: Flow, site: Site, served: float) -> float:
    """The threshold in force at a site: its own, or the one the flow is served at."""
    return flow.thresholds.get(str(site), served)


def is_promoted(flow: Flow, site: Site) -> bool:
    """Whether a flow may act at a site; one never promoted may act everywhere."""
    if flow.promoted is None:
        return True
    record = flow.promoted.sites.get(str(site))
    return record is not None and record.promoted
