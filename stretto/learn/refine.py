"""
Which further predicates explain the agents' steps better? Offline, from a decision log.

Candidates are added one after the other, each time the one that raises the likelihood
of steps held out most, for as long as that is more than a parameter costs.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from stretto.episodes.site import Site
from stretto.flow.case import FIXED_FEATURES, Case
from stretto.flow.fitting import Fitter, Fitting
from stretto.flow.flow import Fit
from stretto.flow.judge import log_likelihood, log_odds, log_p, relative
from stretto.learn.decisionlog import Logged
from stretto.oracle.predicates import Predicate, favored

N_SITES, N_DECISIONS = 4, 6
"""How many sites, and decisions of each, are shown to whoever proposes predicates."""


class Score(NamedTuple):
    """How likely steps are under an arbiter of some predicates, in nats."""

    log_p: float
    """Of the steps fitted on, each held out."""
    targets: float
    """Of the targets' steps, which no fit learned from."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate, added to those kept before it."""

    id: str
    score: Score
    gain: float
    """Of the log probability, in nats."""
    answered: int
    """The decisions where the candidate was answered."""


@dataclass(frozen=True, slots=True)
class Hard:
    """A decision that even the refined arbiter finds unlikely."""

    episode: str
    task: str
    step: int
    key: str
    """That of the request, whose state says what the model was shown."""
    took: str
    log_p: float
    probabilities: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class HardSite:
    """A site that costs likelihood, and its least likely decisions, one a task."""

    site: str
    decisions: int
    surprise: float
    """In nats, all of its decisions together."""
    hardest: tuple[Hard, ...]


@dataclass(frozen=True, slots=True)
class Refinement:
    """What became of the candidates."""

    scored: int
    """The decisions whose likelihood counts."""
    targets: int
    """Those of the targets that are scored beside."""
    penalty: float
    """What a predicate has to gain to be kept, in nats."""
    before: Score
    rounds: tuple[tuple[Tried, ...], ...]
    """Round by round, the candidates tried, best first."""
    kept: tuple[Predicate, ...]
    """In the order they were added."""
    sites: tuple[HardSite, ...]
    """By surprise, most first."""

    @property
    def after(self) -> Score:
        """With the kept ones."""
        rounds = self.rounds[: len(self.kept)]
        return rounds[-1][0].score if rounds else self.before


def refine(
    decisions: Sequence[Logged],
    candidates: Sequence[Predicate],
    fit: Fitter,
    *,
    penalty: float | None = None,
    for_targets: bool = False,
) -> Refinement:
    """
    The candidates worth asking, by what they add to the predicates a log weighs.

    Args:
        decisions: At least one, all of the same features.
        penalty: What a predicate has to gain; ½·ln of the decisions scored if None, as
            BIC charges for a parameter. [Schwarz 1978]
        for_targets: Keep none that does not raise the targets' likelihood as well.
    """
    search = _Search(decisions, fit)
    if penalty is None:
        penalty = 0.5 * math.log(max(search.scored, 1))
    kept: list[Predicate] = []
    rounds: list[tuple[Tried, ...]] = []
    score = before = search.score([])
    while left := [candidate for candidate in candidates if candidate not in kept]:
        tried = [search.tried(kept, candidate, score) for candidate in left]
        worthy = [
            one
            for one in tried
            if one.gain > penalty
            and (not for_targets or one.score.targets > score.targets)
        ]
        best = max(reversed(worthy), key=lambda one: one.gain, default=None)
        rounds.append(tuple(sorted(tried, key=lambda t: (t is not best, -t.gain))))
        if best is None:
            break
        kept.append(next(candidate for candidate in left if candidate.id == best.id))
        score = best.score
    return Refinement(
        scored=search.scored,
        targets=search.targets,
        penalty=penalty,
        before=before,
        rounds=tuple(rounds),
        kept=tuple(kept),
        sites=search.hard_sites(kept),
    )


@dataclass(frozen=True, slots=True)
class _Search:
    decisions: Sequence[Logged]
    fit: Fitter

    @property
    def scored(self) -> int:
        return sum(d.case.fittable and d.case.covered for d in self.decisions)

    @property
    def targets(self) -> int:
        return sum(not d.case.fittable and d.case.covered for d in self.decisions)

    def score(self, added: Sequence[Predicate]) -> Score:
        cases, folds = self._fitted(added)
        return Score(
            log_likelihood((case for case in cases if case.fittable), folds),
            log_likelihood((case for case in cases if not case.fittable), folds),
        )

    def tried(
        self, kept: Sequence[Predicate], candidate: Predicate, before: Score
    ) -> Tried:
        score = self.score([*kept, candidate])
        answered = sum(candidate.id in decision.yes for decision in self.decisions)
        return Tried(candidate.id, score, score.log_p - before.log_p, answered)

    def hard_sites(self, kept: Sequence[Predicate]) -> tuple[HardSite, ...]:
        cases, folds = self._fitted(kept)
        by_site: dict[str, list[Hard]] = defaultdict(list)
        for decision, case in zip(self.decisions, cases, strict=True):
            if case.fittable and case.covered:
                by_site[case.features.site].append(_hard(decision, case, folds))
        sites = [_hard_site(site, hard) for site, hard in by_site.items()]
        ordered = sorted(sites, key=lambda site: (-site.surprise, site.site))
        return tuple(ordered[:N_SITES])

    def _fitted(self, added: Sequence[Predicate]) -> tuple[list[Case], tuple[Fit, ...]]:
        cases = [with_predicates(decision, added) for decision in self.decisions]
        n_weighed = len(cases[0].features.rows[0]) - FIXED_FEATURES
        return cases, self.fit(cases, n_weighed, Fitting(by_fold=True))


def with_predicates(decision: Logged, added: Sequence[Predicate]) -> Case:
    """A logged case with features of further predicates; 0 where none was answered."""
    case = decision.case
    seen = case.features
    tool = seen.site.removesuffix(_FAILED)
    rows = tuple(
        (*row, *(_leaning(decision, one, option, tool) for one in added))
        for option, row in zip(seen.options, seen.rows, strict=True)
    )
    return replace(case, features=replace(seen, rows=rows))


_FAILED = str(Site("", failed=True))


def _leaning(decision: Logged, one: Predicate, option: str, tool: str) -> float:
    yes = decision.yes.get(one.id)
    return 0.0 if yes is None or not favored(one, option, tool) else log_odds(yes)


def _hard(decision: Logged, case: Case, folds: Sequence[Fit]) -> Hard:
    seen = case.features
    shares = relative(folds[case.fold], seen)
    assert case.actual is not None
    return Hard(
        decision.episode,
        decision.task,
        decision.step,
        decision.key,
        seen.options[case.actual],
        log_p(case, folds),
        dict(zip(seen.options, shares, strict=True)),
    )


def _hard_site(site: str, hard: list[Hard]) -> HardSite:
    hardest: dict[str, Hard] = {}
    for one in sorted(hard, key=lambda one: one.log_p):
        hardest.setdefault(one.task, one)
    return HardSite(
        site,
        len(hard),
        0.0 - math.fsum(one.log_p for one in hard),
        tuple(hardest.values())[:N_DECISIONS],
    )
