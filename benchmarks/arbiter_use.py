"""
Why a likelier next step saves fewer turns, and whether reach means what it says.

    python -m benchmarks.arbiter_use

For each held-out decision of the shared retail and airline sessions, and each lookup on
offer there: what the habit, the arbiter with a model of one's own and reach make of
it, whether it came next, and whether it came before the next write. All three were
fitted without the decision's task.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.local_model import ARBITER, SEED, SHARED, as_choice, sessions_of
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Kind, Manifest, read_manifest
from stretto.episodes.tasks import fold
from stretto.episodes.vocabulary import RESPOND
from stretto.evaluate.calibration import calibration, expected_calibration_error
from stretto.evaluate.intervals import share_interval
from stretto.flow.deciders.arbiter import Asker
from stretto.flow.deciders.reach import ReachDecider
from stretto.flow.fitting import Fitting
from stretto.flow.flow import Flow
from stretto.flow.judge import judge
from stretto.flow.options import options
from stretto.learn.cases import before_steps
from stretto.learn.local import local_cases, local_flows
from stretto.markdown import table
from stretto.models.crossfit import fit
from stretto.models.local_folds import cross_fit
from stretto.oracle.local.case import Case
from stretto.oracle.predicates import shipped_predicates
from stretto.oracle.wording import shipped_wording

THRESHOLD = 0.3
EDGE = 1e-4
"""How close to 0 and 1 a chance is taken to come."""

Floats: TypeAlias = NDArray[np.float64]
Recalibrator: TypeAlias = Callable[[Floats, Floats], Callable[[Floats], Floats]]
"""Learns from chances and what came of them to say better chances."""


@dataclass(frozen=True, slots=True)
class Chance:
    """A lookup on offer at a decision."""

    task: str
    habit: float
    arbiter: float
    reach: float
    next: bool
    used: bool
    """Whether the agent made it, with whatever arguments, before its next write."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """A decision before the networks are asked."""

    case: Case
    reach: Mapping[str, float]
    used: frozenset[str]


@click.command()
@click.option("--domain", "domains", multiple=True, default=["retail", "airline"])
def main(domains: Sequence[str]) -> None:
    """Measure each domain, and print its tables."""
    for domain in domains:
        found = chances_of(domain)
        click.echo(f"\n{domain}: {len(found):,} lookups on offer\n")
        _show_kinds(found)
        _show_reach(found)


def chances_of(domain: str) -> list[Chance]:
    """Every lookup on offer at a held-out decision whose step was on offer."""
    manifest = read_manifest(SHARED / "manifests" / f"{domain}.json")
    sessions = [*sessions_of(domain)]
    flows = local_flows(sessions, manifest)
    ahead = [one for e in sessions for one in _ahead(e, flows, manifest)]
    members = cross_fit([one.case for one in ahead], seed=SEED).members
    covered = [
        one for one in ahead if one.case.taken in one.case.offered[fold(one.case.task)]
    ]
    choices = [
        as_choice(one.case, members[str(fold(one.case.task))], ARBITER)
        for one in covered
    ]
    fits = fit(choices, len(shipped_predicates()), Fitting(by_fold=True))
    return [
        Chance(
            one.case.task,
            one.case.habit[lookup],
            p[lookup],
            one.reach[lookup],
            one.case.taken == lookup,
            lookup in one.used,
        )
        for one, choice in zip(covered, choices, strict=True)
        for p in [judge(fits[choice.fold], choice.features)]
        for lookup in sorted(one.reach)
    ]


def _ahead(
    episode: Episode, flows: Sequence[Flow], manifest: Manifest
) -> Iterator[Ahead]:
    """The decisions of an episode, as `local_cases` finds them, with what followed."""
    flow = flows[fold(episode.task_or_id)]
    assert flow.reach is not None
    reach, steps, chances = ReachDecider(flow, flow.reach), list[str](), []
    for moment, call, _ in before_steps(Asker.of(flow), episode):
        steps.append(RESPOND if call is None else call.tool)
        site = moment.site
        if site is not None and any(options(other, site) for other in flows):
            offered = options(flow, site)
            p = dict(reach.weigh(moment, offered)) if offered else {}
            p.pop(RESPOND, None)
            chances.append((len(steps) - 1, p))
    later, before_write = frozenset[str](), []
    for step in reversed(steps):
        writes = step != RESPOND and manifest.kind(step) is Kind.WRITE
        later = frozenset() if writes else later | {step}
        before_write.append(later)
    before_write.reverse()
    cases = local_cases([episode], flows, shipped_wording())
    for case, (place, p) in zip(cases, chances, strict=True):
        yield Ahead(case, p, before_write[place])


def _show_kinds(found: Sequence[Chance]) -> None:
    """Which lookups the habit and the arbiter are for, and what came of them."""
    kinds: Mapping[str, Callable[[Chance], bool]] = {
        "habit": lambda c: c.habit >= THRESHOLD,
        "arbiter": lambda c: c.arbiter >= THRESHOLD,
        "reach": lambda c: c.reach >= THRESHOLD,
        "both habit and arbiter": lambda c: min(c.habit, c.arbiter) >= THRESHOLD,
        "habit, not arbiter": lambda c: c.arbiter < THRESHOLD <= c.habit,
        "arbiter, not habit": lambda c: c.habit < THRESHOLD <= c.arbiter,
    }
    rows = []
    for name, kind in kinds.items():
        of = [c for c in found if kind(c)]
        shares = [[c.next for c in of], [c.used for c in of]]
        means = [np.mean([getattr(c, by) for c in of]) for by in ("habit", "arbiter")]
        rows.append(
            (
                name,
                f"{len(of):,}",
                *(f"{mean:.1%}" for mean in means),
                *(_share(of, hits) for hits in shares),
                f"{sum(c.used and not c.next for c in of):,}",
            )
        )
    heads = (
        f"{THRESHOLD} or more by", "lookups", "habit, mean", "arbiter, mean",
        "came next", "came before a write", "later, not next",
    )  # fmt: skip
    click.echo(table(heads, rows, right={*range(1, len(heads))}))


def _show_reach(found: Sequence[Chance]) -> None:
    """Reach as it is and recalibrated on the other folds."""
    p = np.array([c.reach for c in found])
    used = np.array([c.used for c in found], float)
    folds = np.array([fold(c.task) for c in found])
    tasks = [c.task for c in found]
    before = _losses(p, used)
    rows = []
    for name, learn in RECALIBRATORS.items():
        after = np.empty_like(p)
        for out in sorted(set(folds.tolist())):
            after[folds == out] = learn(p[folds != out], used[folds != out])(
                p[folds == out]
            )
        less = (before - _losses(after, used)).tolist()
        within = share_interval(tasks, less, [1.0] * len(less))
        assert within is not None
        off = expected_calibration_error(
            calibration(zip(after.tolist(), used > 0, strict=True))
        )
        near = (after >= THRESHOLD) & (after < THRESHOLD + 0.2)
        above = after >= THRESHOLD
        rows.append(
            (
                name,
                f"{np.mean(_losses(after, used)):.4f}",
                f"{np.mean(less):+.4f} [{within.low:+.4f}, {within.high:+.4f}]",
                f"{off:.3f}",
                f"{after[near].mean():.1%} · {used[near].mean():.1%}",
                f"{above.sum():,}",
            )
        )
    heads = (
        "reach", "log loss", "gain", "ECE", "0.3 to 0.5: said · came", "0.3 or more",
    )  # fmt: skip
    click.echo("")
    click.echo(table(heads, rows, right={*range(1, len(heads))}))


def _share(of: Sequence[Chance], hits: Sequence[bool]) -> str:
    within = share_interval([c.task for c in of], hits, [1.0] * len(of))
    interval = "" if within is None else f" [{within.low:.1%}, {within.high:.1%}]"
    return f"{np.mean(hits):.1%}{interval}"


def _losses(p: Floats, used: Floats) -> Floats:
    p = np.clip(p, EDGE, 1 - EDGE)
    return -(used * np.log(p) + (1 - used) * np.log1p(-p))


def _as_it_is(_: Floats, __: Floats) -> Callable[[Floats], Floats]:
    return lambda p: p


def _platt(p: Floats, used: Floats) -> Callable[[Floats], Floats]:
    """A line in the log-odds."""
    return _logistic(lambda p: np.c_[np.log(p) - np.log1p(-p), np.ones(len(p))])(
        p, used
    )


def _beta(p: Floats, used: Floats) -> Callable[[Floats], Floats]:
    """A line in log p and log (1 − p)."""
    return _logistic(lambda p: np.c_[np.log(p), -np.log1p(-p), np.ones(len(p))])(
        p, used
    )


def _logistic(told: Callable[[Floats], Floats]) -> Recalibrator:
    def learn(p: Floats, used: Floats) -> Callable[[Floats], Floats]:
        x = told(np.clip(p, EDGE, 1 - EDGE))
        at = np.zeros(x.shape[1])
        for _ in range(50):
            said = 1 / (1 + np.exp(-x @ at))
            bend = (x * (said * (1 - said))[:, None]).T @ x + EDGE * np.eye(len(at))
            at += np.linalg.solve(bend, x.T @ (used - said) - EDGE * at)
        return lambda p: 1 / (1 + np.exp(-told(np.clip(p, EDGE, 1 - EDGE)) @ at))

    return learn


def _isotonic(p: Floats, used: Floats) -> Callable[[Floats], Floats]:
    """The best rising steps, each at the mean of its pool."""
    at, place = np.unique(p, return_inverse=True)
    sums, sizes = np.bincount(place, used), np.bincount(place).astype(float)
    pools: list[list[float]] = []
    for low, total, size in zip(at, sums, sizes, strict=True):
        pools.append([low, total, size])
        while len(pools) > 1 and pools[-2][1] * size >= pools[-1][1] * pools[-2][2]:
            _, total, size = pools.pop()
            pools[-1][1] += total
            pools[-1][2] += size
            size = pools[-1][2]
    edges = np.array([low for low, *_ in pools])
    means = np.array([total / size for _, total, size in pools])
    return lambda p: means[np.maximum(np.searchsorted(edges, p, "right") - 1, 0)]


RECALIBRATORS: Mapping[str, Recalibrator] = {
    "as it is": _as_it_is,
    "a line in the log-odds": _platt,
    "beta": _beta,
    "isotonic": _isotonic,
}


if __name__ == "__main__":
    main()
