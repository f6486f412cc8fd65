"""Another rule, estimated from decisions that a flow explored."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stretto.evaluate.offpolicy import Estimate, Estimates, Target
from stretto.report.document import Document, Heading, Part, Prose, table

WHERE = (
    "A rule is estimated at the decisions in the log. The lookups that another decider "
    "would have made lead to decisions that are not there, and its detours lie mostly "
    "among them: with a changed decider, replay it instead. Turns are overstated, as "
    "each lookup is credited with its share of a turn and a turn is saved only whole."
)


class Evaluated(NamedTuple):
    """One metric of one target, by site and in all."""

    target: Target
    metric: str
    sites: Mapping[str, Estimates]
    total: Estimates


def evaluation_document(
    name: str, logged: int, evaluated: Sequence[Evaluated], *, min_ess: float
) -> Document:
    """The estimates from the log of that name."""
    parts: list[Part] = [Prose(f"{logged:,} decisions. Sums, ± one standard error.")]
    for metric in dict.fromkeys(each.metric for each in evaluated):
        found = [each for each in evaluated if each.metric == metric]
        parts += [Heading(metric.capitalize()), _table(found, min_ess)]
    parts.append(
        Prose(
            f"An estimate is refused where its weights are worth fewer than "
            f"{min_ess:g} decisions; the direct one needs no weights."
        )
    )
    return Document(f"Estimates from {name}", (*parts, Prose(WHERE)))


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
        f"{target.name}: {target.decider} at {target.threshold:g}", site, found.looks,
        found.unsupported, f"{found.ess:.1f}", _spelled(found.direct),
        *("refused" if refused else _spelled(each) for each in weighed),
    )  # fmt: skip


def _spelled(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    if estimate.error is None:
        return f"{estimate.value:.1f}"
    return f"{estimate.value:.1f} ± {estimate.error:.1f}"
