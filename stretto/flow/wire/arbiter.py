"""What a flow file and an arbiter file share: provenance, questions and fits."""

from collections.abc import Sequence

from stretto.canonical import Json
from stretto.files import Node
from stretto.flow.flow import Fit, Provenance, Rates, SiteRate
from stretto.flow.wire.pairs import at_most, pairs_json, read_pairs, texts
from stretto.oracle.predicates import Predicate, read_predicates

MAX_UNIX_MS = 253_402_300_799_999
"""The last millisecond of the year 9999, UTC."""

N_FIXED_WEIGHTS = 5
"""Habit, one question, split questions and handing back; reliability comes last."""


def read_provenance(node: Node) -> Provenance:
    """Where a file came from."""
    conventions = node.get("conventions")
    return Provenance(
        node["stretto"].text(),
        texts(node["sources"]),
        node["habit_episodes"].integer(),
        node["arbiter_cases"].integer(),
        node["compiled_unix_ms"].integer(0, MAX_UNIX_MS),
        None if conventions is None else conventions.text(),
    )


def provenance_json(provenance: Provenance) -> Json:
    """Where a file came from."""
    known: dict[str, Json] = {
        "stretto": provenance.stretto,
        "sources": list(provenance.sources),
        "habit_episodes": provenance.habit_episodes,
        "arbiter_cases": provenance.arbiter_cases,
        "compiled_unix_ms": provenance.compiled_unix_ms,
    }
    if provenance.conventions is not None:
        known["conventions"] = provenance.conventions
    return known


def read_weighed(
    node: Node | None, predicates: tuple[Predicate, ...]
) -> tuple[Predicate, ...]:
    """Those of the questions that the arbiter weighs."""
    weighed = read_predicates(node)
    for predicate in weighed:
        if node is not None and predicate not in predicates:
            node.fail(f"weighs `{predicate.id}`, which is not among `predicates`")
    return weighed


def read_fit(node: Node, weighed: tuple[Predicate, ...]) -> Fit:
    """One fit, with a weight for each feature of an option."""
    n_weights = N_FIXED_WEIGHTS + len(weighed)
    weights, rates = node["weights"].array(n_weights), node["rates"]
    draws = node.get("draws")
    return Fit(
        _numbers(weights),
        Rates(
            read_pairs(rates["sites"], Node.text, _read_rate),
            rates["agree"].number(0, 1),
            rates["cover"].number(0, 1),
        ),
        ()
        if draws is None
        else tuple(_numbers(draw.array(n_weights)) for draw in draws.array()),
    )


def fit_json(fit: Fit) -> Json:
    """One fit."""
    known: dict[str, Json] = {
        "weights": [float(weight) for weight in fit.weights],
        "rates": {
            "sites": pairs_json(
                fit.rates.sites,
                lambda site: site,
                lambda rate: [float(n) for n in rate],
            ),
            "agree": float(fit.rates.agree),
            "cover": float(fit.rates.cover),
        },
    }
    if fit.draws:
        known["draws"] = [[float(weight) for weight in draw] for draw in fit.draws]
    return known


def _numbers(nodes: Sequence[Node]) -> tuple[float, ...]:
    return tuple(node.number() for node in nodes)


def _read_rate(node: Node) -> SiteRate:
    decisions, agreed, covered = (n.number(0) for n in node.array(3))
    at_most(node, max(agreed, covered), decisions, "decisions")
    return SiteRate(decisions, agreed, covered)
