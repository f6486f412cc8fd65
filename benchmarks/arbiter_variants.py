"""
What other arbiters would gain on real sessions: folds, intercepts and a nest.

    python -m benchmarks.arbiter_variants

Prints, for the shared retail and airline sessions and for the test tasks of each, how
much less a variant's log loss is than the published arbiter's, fitted without the
task's fold. All see the same decisions, answered by the same networks, of which none
learned from the decision's task.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import click
import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import logsumexp
from jaxtyping import Array, Float

from benchmarks.local_model import ARBITER, SEED, SHARED, as_choice, sessions_of
from stretto.episodes.manifest import read_manifest
from stretto.episodes.tasks import N_FOLDS, fold, rank
from stretto.episodes.vocabulary import RESPOND
from stretto.evaluate.intervals import share_interval
from stretto.files import read_json
from stretto.flow.case import FIXED_FEATURES, Case
from stretto.flow.fitting import Fitting
from stretto.flow.flow import Fit
from stretto.flow.judge import log_odds, log_p
from stretto.flow.rates import reliability
from stretto.learn.local import local_cases, local_flows
from stretto.markdown import table
from stretto.models.arbiter import FLATNESS, NEVER, Evidence, Prior, Side
from stretto.models.cases import choices
from stretto.models.crossfit import fit
from stretto.models.descent import descend
from stretto.models.local_folds import cross_fit
from stretto.models.precision import float64
from stretto.oracle.predicates import shipped_predicates
from stretto.oracle.wording import shipped_wording

N_WEIGHED = len(shipped_predicates())
BY_FOLD = Fitting(by_fold=True)

NEST_SD = 0.5
"""The spread of the prior of the nest's log λ, around 0: no nest."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What an arbiter sees of a decision, and whose it is."""

    case: Case
    task: str
    agent: str


Losses: TypeAlias = Sequence[float]
"""Minus the log probability of each decision's step, in nats."""


@click.command()
@click.option("--domain", "domains", multiple=True, default=["retail", "airline"])
def main(domains: Sequence[str]) -> None:
    """Measure each domain, and print its tables."""
    for domain in domains:
        found = decisions_of(domain)
        split = read_json(SHARED / "splits" / f"{domain}.json")
        test = {task.text() for task in split["test"].array()}
        _show(domain, found)
        _show(f"{domain}, test tasks", [one for one in found if one.task in test])


def decisions_of(domain: str) -> list[Decision]:
    """A domain's decisions, each answered by the network that left its fold out."""
    sessions = [*sessions_of(domain)]
    manifest = read_manifest(SHARED / "manifests" / f"{domain}.json")
    flows = local_flows(sessions, manifest)
    cases = local_cases(sessions, flows, shipped_wording())
    members = cross_fit(cases, seed=SEED).members
    return [
        Decision(
            as_choice(case, members[str(fold(case.task))], ARBITER),
            case.task,
            case.agent,
        )
        for case in cases
        if case.taken in case.offered[fold(case.task)]
    ]


def published(decisions: Sequence[Decision]) -> Losses:
    """The arbiter as it ships, fitted without the task's fold."""
    return _losses([one.case for one in decisions])


def drawn_again(decisions: Sequence[Decision], *, salt: str) -> Losses:
    """Plain folds of another hash: what which tasks are together is worth by chance."""
    tasks = {one.task for one in decisions}
    return _refolded(decisions, {task: rank(salt, task) % N_FOLDS for task in tasks})


def by_decisions(decisions: Sequence[Decision]) -> Losses:
    """Folds of tasks that hold about as many decisions each."""
    sizes = Counter(one.task for one in decisions)
    counts = {task: np.array([n]) for task, n in sizes.items()}
    return _refolded(decisions, balanced(counts))


def by_agents(decisions: Sequence[Decision]) -> Losses:
    """Folds of tasks that hold about as many tasks, and decisions of each agent."""
    agents = sorted({one.agent for one in decisions})
    place = {agent: i for i, agent in enumerate(agents)}
    counts: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(len(agents) + 1))
    for one in decisions:
        counts[one.task][place[one.agent]] += 1
        counts[one.task][-1] = 1
    total = np.sum([*counts.values()], axis=0)
    return _refolded(decisions, balanced({t: n / total for t, n in counts.items()}))


def balanced(counts: Mapping[str, np.ndarray]) -> dict[str, int]:
    """
    Each task's fold: largest first, to where the sum of squares grows the least.

    Equals go by the published rank of the task, and to the first fold.
    """
    sums = np.zeros((N_FOLDS, len(next(iter(counts.values())))))
    found = {}
    for task in sorted(counts, key=lambda t: (-counts[t].sum(), rank("folds", t))):
        added = sums + counts[task]
        grown = np.sum(added**2 - sums**2, axis=1)
        found[task] = int(np.argmin(grown))
        sums[found[task]] += counts[task]
    return found


def intercepts(decisions: Sequence[Decision], *, sd: float) -> Losses:
    """A weight of handing back for each site, of this prior's spread."""
    sites = sorted({one.case.features.site for one in decisions})
    told = [_with_site(one.case, sites, sd) for one in decisions]
    return _losses(told, N_WEIGHED + len(sites))


def nested(decisions: Sequence[Decision]) -> Losses:
    """
    Lookups share a nest of dissimilarity λ, and handing back stands beside it.

    λ is fitted with the weights; at 1 there is no nest.
    """
    cases = [one.case for one in decisions]
    fits = fit(cases, N_WEIGHED, BY_FOLD)
    with float64():
        seen = choices(cases, FIXED_FEATURES + N_WEIGHED)
        losses = np.zeros(len(cases))
        for out, fitted in enumerate(fits):
            held = np.array([case.fold == out for case in cases])
            data = seen.seen(_side(cases, fitted, ~held, len(seen.actual)))
            at = _nest(data, jnp.array([*fitted.weights, 0.0]))
            log_ps = np.asarray(nest_log_p(at, data))[: len(cases)]
            losses[held] = -log_ps[held]
            click.echo(f"nested, without fold {out}: λ {float(jnp.exp(at[-1])):.2f}")
    return losses.tolist()


def nest_log_p(at: Float[Array, " parameter"], data: Evidence) -> Float[Array, " case"]:
    """The log probability of each step; the last parameter is log λ."""
    spread = jnp.exp(at[-1])
    scores = jnp.where(data.offered, data.rows @ at[:-1], NEVER)
    back = data.rows[..., FIXED_FEATURES - 1] > 0
    within = jnp.where(data.offered & ~back, scores / spread, NEVER)
    inclusive = logsumexp(within, axis=-1)
    alone = jnp.sum(jnp.where(back, scores, 0.0), axis=-1)
    either = jnp.logaddexp(alone, spread * inclusive)
    taken = jnp.arange(len(data.actual)), data.actual
    lookup = spread * inclusive + within[taken] - inclusive
    return jnp.where(back[taken], alone, lookup) - either


@jax.jit
def _nest(
    data: Evidence, start: Float[Array, " parameter"]
) -> Float[Array, " parameter"]:
    def loss(at: Float[Array, " parameter"]) -> Float[Array, ""]:
        fits = jnp.where(data.counted, nest_log_p(at, data), 0.0)
        ridge = jnp.sum(at[:-1] ** 2) + (at[-1] / NEST_SD) ** 2
        return ridge / 2 - jnp.sum(fits)

    return descend(loss, start, FLATNESS * jnp.sum(data.counted)).at


def _side(cases: Sequence[Case], fitted: Fit, counts: np.ndarray, n: int) -> Side:
    trust, counted = np.zeros(n), np.zeros(n, bool)
    counted[: len(cases)] = counts
    trust[: len(cases)] = [
        log_odds(reliability(fitted.rates, case.features.site)) for case in cases
    ]
    prior = Prior(jnp.zeros(len(fitted.weights)), jnp.array(1.0))
    return Side(jnp.array(trust), jnp.array(counted), prior)


def _with_site(case: Case, sites: Sequence[str], sd: float) -> Case:
    seen = case.features
    rows = tuple(
        (*row, *(sd * (option == RESPOND and seen.site == site) for site in sites))
        for option, row in zip(seen.options, seen.rows, strict=True)
    )
    return replace(case, features=replace(seen, rows=rows))


def _refolded(decisions: Sequence[Decision], folds: Mapping[str, int]) -> Losses:
    sizes = Counter(folds[one.task] for one in decisions)
    click.echo(f"folds drawn: {[sizes[i] for i in range(N_FOLDS)]} decisions by fold")
    return _losses([replace(one.case, group=folds[one.task]) for one in decisions])


def _losses(cases: Sequence[Case], n_weighed: int = N_WEIGHED) -> Losses:
    fits = fit(cases, n_weighed, BY_FOLD)
    return [-log_p(case, fits) for case in cases]


VARIANTS: Mapping[str, Callable[[Sequence[Decision]], Losses]] = {
    "plain folds, drawn again": partial(drawn_again, salt="one"),
    "plain folds, drawn a third time": partial(drawn_again, salt="two"),
    "folds of as many decisions": by_decisions,
    "folds of as many of each agent's": by_agents,
    "intercepts of sites, sd 0.1": partial(intercepts, sd=0.1),
    "intercepts of sites, sd 0.3": partial(intercepts, sd=0.3),
    "intercepts of sites, sd 1": partial(intercepts, sd=1.0),
    "a nest of the lookups": nested,
}

REDRAWN = ("plain folds, drawn again", "plain folds, drawn a third time")
BALANCED = ("folds of as many decisions", "folds of as many of each agent's")


def _rows(decisions: Sequence[Decision]) -> Iterator[tuple[str, str, str]]:
    """Each variant beside the published fit, and balanced folds beside redrawn ones."""
    before = published(decisions)
    yield "published", f"{np.mean(before):.4f}", ""
    losses = {name: variant(decisions) for name, variant in VARIANTS.items()}
    for name, after in losses.items():
        yield name, f"{np.mean(after):.4f}", _gain(decisions, before, after)
    again = np.mean([losses[name] for name in REDRAWN], axis=0).tolist()
    for name in BALANCED:
        after = losses[name]
        gain = _gain(decisions, again, after)
        yield f"{name}, beside redrawn ones", f"{np.mean(after):.4f}", gain


def _gain(decisions: Sequence[Decision], before: Losses, after: Losses) -> str:
    less = np.subtract(before, after).tolist()
    tasks, ones = [one.task for one in decisions], [1.0] * len(decisions)
    within = share_interval(tasks, less, ones)
    interval = "" if within is None else f" [{within.low:+.4f}, {within.high:+.4f}]"
    return f"{np.mean(less):+.4f}{interval}"


def _show(title: str, decisions: Sequence[Decision]) -> None:
    sizes = Counter(one.case.fold for one in decisions)
    by_fold = [sizes[i] for i in range(N_FOLDS)]
    click.echo(f"\n{title}: {len(decisions):,} decisions, by fold {by_fold}\n")
    heads = ("arbiter", "log loss", "gain")
    click.echo(table(heads, [*_rows(decisions)], right={1, 2}))


if __name__ == "__main__":
    main()
