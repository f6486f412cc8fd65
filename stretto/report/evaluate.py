"""Another rule, estimated from decisions that a flow explored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stretto.evaluate.chained import Chained
from stretto.evaluate.logged import Target
from stretto.evaluate.offpolicy import Estimate, Estimates
from stretto.report.document import Document, Heading, Part, Prose, table

REACHED = (
    "By decision, a rule is estimated at the decisions in the log, and nowhere that it "
    "would have led to itself. Where it parts from the log, which is counted, what "
    "would have followed is not in the numbers; of another decider's detours that is "
    "most."
)
CHAINS = (
    "Along sessions only what the rule would have taken from the beginning on counts, "
    "weighed by how unlikely that was, so that what follows the rule's own lookups is "
    "in it: in the mean that is what a replay of the rule counts. It is refused for a "
    "rule that hands back where the flow would not, as exploring never does that."
)
SHADOW = (
    "A flow in shadow looks nothing up and decides nothing behind its own lookups, so "
    "that no chain of it is in the log."
)
TURNS = (
    "Turns are overstated, as each lookup is credited with its share of a turn and a "
    "turn is saved only whole."
)
LIVE = (
    "Lookups were made in these sessions. One that was made counts as used if the "
    "agent made the call all the same, or passed on or wrote what it brought; one "
    "whose use left no such trace counts as a detour. What else could have been looked "
    "up has no label, so that nothing is estimated directly."
)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One metric of one target, by site and in all."""

    target: Target
    metric: str
    sites: Mapping[str, Estimates]
    total: Estimates
    chains: Chained | None = None
    """None of a flow in shadow."""
    replayed: float | None = None
    """What a replay of the target comes to, in the same labels."""


def evaluation_document(
    name: str,
    logged: int,
    evaluated: Sequence[Evaluated],
    *,
    min_ess: float,
    is_live: bool = False,
) -> Document:
    """
    The estimates from the log of that name.

    Args:
        is_live: Whether lookups were made in served sessions.
    """
    parts: list[Part] = [Prose(f"{logged:,} decisions. Sums, ± one standard error.")]
    if is_live:
        parts.append(Prose(LIVE))
    for metric in dict.fromkeys(each.metric for each in evaluated):
        found = [each for each in evaluated if each.metric == metric]
        parts += [Heading(metric.capitalize()), _rules(found, min_ess)]
        parts += [_table(found, min_ess)]
        parts += [Prose(TURNS)] if metric == "turns" else []
    parts.append(
        Prose(
            f"An estimate is refused where its weights are worth fewer than "
            f"{min_ess:g} decisions; the direct one needs no weights."
        )
    )
    has_chains = any(each.chains is not None for each in evaluated)
    parts += [Prose(REACHED), Prose(CHAINS if has_chains else SHADOW)]
    return Document(f"Estimates from {name}", tuple(parts))


def _rules(evaluated: Sequence[Evaluated], min_ess: float) -> Part:
    """Of each rule what it parts at, its sums with chains, and a replay's beside."""
    has_chains = evaluated[0].chains is not None
    is_replayed = evaluated[0].replayed is not None
    headers = (
        "rule", "acts", "parts", "by decision",
        *(["along sessions"] if has_chains else []),
        *(["replayed"] if is_replayed else []),
    )  # fmt: skip
    rows = [
        (
            _rule(each.target), each.total.looks, each.total.parted,
            "refused" if each.total.is_refused(min_ess) else _spelled(each.total.snips),
            *([_chain(each.chains, min_ess)] if each.chains is not None else []),
            *([f"{each.replayed:.1f}"] if each.replayed is not None else []),
        )
        for each in evaluated
    ]  # fmt: skip
    return table(headers, rows)


def _chain(found: Chained, min_ess: float) -> str:
    return "refused" if found.is_refused(min_ess) else _spelled(found.snips)


def _table(evaluated: Sequence[Evaluated], min_ess: float) -> Part:
    headers = (
        "rule", "site", "acts", "unsupported", "worth", "direct", "IPS", "SNIPS", "DR",
    )  # fmt: skip
    rows = [
        _row(each.target, site, found, min_ess)
        for each in evaluated
        for site, found in [("all", each.total), *each.sites.items()]
    ]
    return table(headers, rows, text=2)


def _row(
    target: Target, site: str, found: Estimates, min_ess: float
) -> tuple[object, ...]:
    weighed = [found.ips, found.snips, found.dr]
    refused = found.is_refused(min_ess)
    return (
        _rule(target), site, found.looks, found.unsupported, f"{found.ess:.1f}",
        _spelled(found.direct),
        *("refused" if refused else _spelled(each) for each in weighed),
    )  # fmt: skip


def _rule(target: Target) -> str:
    return f"{target.name}: {target.decider} at {target.threshold:g}"


def _spelled(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    if estimate.error is None:
        return f"{estimate.value:.1f}"
    return f"{estimate.value:.1f} ± {estimate.error:.1f}"
