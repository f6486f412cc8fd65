"""What the agent did after a call, whatever came before it."""

from collections import defaultdict

from stretto.episodes.site import Site
from stretto.episodes.step import Outcome
from stretto.episodes.vocabulary import parse
from stretto.flow.flow import Flow
from stretto.habit.backoff import Counts


def after(flow: Flow, site: Site) -> Counts:
    """
    The steps counted after a call at `site`, over all features and longer histories.

    Empty where training saw no such call, or the habit counts no history at all. A call
    that ended its episode has no step after it.
    """
    action = flow.vocab.id(site.tool)
    outcome = Outcome.ERROR if site.failed else Outcome.OK
    by_action: dict[int, float] = defaultdict(float)
    total = 0.0
    levels = flow.habit.base.levels
    for (code,), counts in levels[1].items() if len(levels) > 1 else ():
        symbol = parse(code)
        if symbol is None or (symbol.action, symbol.outcome) != (action, outcome):
            continue
        total += counts.total
        for id, n in counts.by_action.items():
            by_action[id] += n
    return Counts(dict(by_action), total)


def sites_seen(flow: Flow) -> tuple[Site, ...]:
    """The sites training saw a step after, and those that offer a lookup, sorted."""
    sites = set(flow.sites.next)
    levels = flow.habit.base.levels
    for (code,) in levels[1] if len(levels) > 1 else ():
        symbol = parse(code)
        if symbol is None or not 1 <= symbol.action <= len(flow.vocab.tools):
            continue
        if symbol.outcome in (Outcome.OK, Outcome.ERROR):
            tool = flow.vocab.tools[symbol.action - 1]
            sites.add(Site(tool, symbol.outcome is Outcome.ERROR))
    return tuple(sorted(sites))
