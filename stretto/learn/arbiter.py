"""A flow with an arbiter: the habit from some tasks, its weighing from the others."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeAlias

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest
from stretto.episodes.tasks import N_FOLDS, Split, learn_split
from stretto.errors import NothingToLearn
from stretto.flow.decide import answer
from stretto.flow.deciders.arbiter import Asker
from stretto.flow.fitting import PUBLISHED, Fitter, Fitting
from stretto.flow.flow import Flow
from stretto.learn.cases import (
    Answered,
    AskedStep,
    alone,
    answered,
    steps_asked,
)
from stretto.learn.learn import Learned, learn
from stretto.learn.settings import Settings
from stretto.learn.survey import Survey, survey
from stretto.oracle.answer import NoulAnswer, Response
from stretto.oracle.omit import Omission
from stretto.oracle.oracle import Oracle
from stretto.oracle.predicates import Predicate, shipped_predicates
from stretto.oracle.question import Request
from stretto.oracle.wording import Wording

AskAll: TypeAlias = Callable[[Sequence[Request]], Oracle]
"""
Asks many requests, some of which may be the same, and gives what has their answers.

Given back as it is, an oracle is asked one request at a time.
"""

Candidates: TypeAlias = Mapping[str, Mapping[str, float]]
"""The probability of yes to each candidate predicate, by the step's request's key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arbitration:
    """How an arbiter is learned."""

    model: str
    """The System-One model that is asked, by name."""
    ask: AskAll
    fit: Fitter
    fitting: Fitting = PUBLISHED
    wording: Wording | None = None
    """The words it is asked in; those that come with stretto if None."""
    omit: tuple[Omission, ...] = ()
    """What is left out of what it is shown."""
    predicates: tuple[Predicate, ...] | None = None
    """What is asked besides; the predicates that come with stretto if None."""
    weighs_predicates: bool = True
    candidates: tuple[Predicate, ...] = ()
    """Predicates that are asked, each alone, and not weighed: for `refine`."""
    refits_habit: bool = False
    """Whether all but the fit is learned again from both sides of the split."""


class Arbitrated(NamedTuple):
    """A flow with an arbiter, and how that came about."""

    learned: Learned
    split: Split
    steps: tuple[AskedStep, ...]
    """The held-out steps that were asked about."""
    answered: tuple[Answered, ...]
    """Those of them that were answered, and so are cases."""
    candidates: Candidates

    @property
    def flow(self) -> Flow:
        """The flow."""
        return self.learned.flow

    @property
    def fitted_on(self) -> tuple[Answered, ...]:
        """The cases but those of targets."""
        return tuple(one for one in self.answered if one.case.fittable)

    @property
    def tasks(self) -> frozenset[str]:
        """The tasks of those."""
        return frozenset(one.asked.task for one in self.fitted_on)

    @property
    def fold_sizes(self) -> tuple[int, ...]:
        """How many of the cases fitted on each fold holds out."""
        folds = [one.case.fold for one in self.fitted_on]
        return tuple(folds.count(fold) for fold in range(N_FOLDS))


def learn_arbitrated(
    episodes: Iterable[Episode],
    manifest: Manifest,
    settings: Settings,
    how: Arbitration,
    *,
    split: Split | None = None,
    surveyed: Survey | None = None,
    contracts: Mapping[str, str] | None = None,
    conventions: str | None = None,
) -> Arbitrated:
    """
    A flow decided by an arbiter.

    The habit is learned from the tasks of one side of the split, and is the prior at
    the steps of the other side's, whether their sessions succeeded or not.

    Args:
        episodes: Gone through several times, in the same order each time.
        split: The tasks of both sides, as published ones have it; if None, 30% of those
            that the settings learn from are held out, drawn by their names.
        surveyed: As `learn` takes it.

    Raises:
        NothingToLearn: as `learn` does; or there is one task alone to split, or no
            held-out step was answered.
        NoConvergence: a fit did not end at its mode, or chains did not mix.
    """
    found = surveyed or survey(episodes, settings)
    split = split or _split(found)
    learn_on = partial(
        learn, episodes, manifest, contracts=contracts, conventions=conventions
    )
    learned = learn_on(replace(settings, tasks=frozenset(split.train).__contains__))
    prior = asking(learned.flow, how)
    asker = Asker.of(prior, how.wording, how.omit)
    held_out = frozenset(split.held_out)
    steps = tuple(
        step
        for episode in episodes
        if episode.task_or_id in held_out
        for step in steps_asked(prior, asker, episode)
    )
    beside = requests_alone(asker, steps, how.candidates)
    oracle = how.ask([*(step.request for step in steps), *beside.values()])
    done = _answered(prior, steps, oracle, settings.targets)
    if how.refits_habit:
        learned = learn_on(settings, surveyed=found)
    flow = _fitted(asking(learned.flow, how), done, how)
    learned, candidates = replace(learned, flow=flow), yes_alone(beside, oracle)
    return Arbitrated(learned, split, steps, done, candidates)


class Place(NamedTuple):
    """A candidate before a step."""

    step: str
    """The key of the step's own request."""
    candidate: str


def requests_alone(
    asker: Asker, steps: Sequence[AskedStep], candidates: Sequence[Predicate]
) -> Mapping[Place, Request]:
    """
    Each candidate asked before each step.

    It is asked alone about the same state, so that no other answer changes with it.
    """
    return {
        Place(one.request.key, candidate.id): alone(asker, one, candidate)
        for one in steps
        for candidate in candidates
    }


def yes_alone(requests: Mapping[Place, Request], oracle: Oracle) -> Candidates:
    """What was answered to candidates asked alone."""
    found: dict[str, dict[str, float]] = {}
    for (step, id), request in requests.items():
        response = answer(oracle, request)
        if isinstance(response, Response):
            for yes in response.answers.values():
                if isinstance(yes, NoulAnswer):
                    found.setdefault(step, {})[id] = yes.noul
    return found


def _split(found: Survey) -> Split:
    split = learn_split([*found.tasks])
    if split is None:
        raise NothingToLearn(
            "an arbiter is fitted on tasks held out, and there are fewer than two",
            hint="record more tasks, or adopt an arbiter with `--arbiter-from FILE`",
        )
    return split


def _answered(
    prior: Flow, steps: Sequence[AskedStep], oracle: Oracle, targets: Collection[str]
) -> tuple[Answered, ...]:
    done = tuple(answered(prior, steps, oracle, targets=targets))
    if not any(one.case.fittable for one in done):
        raise NothingToLearn(
            f"none of the {len(steps)} held-out steps with options was answered",
            hint="`stretto ask` says why; `--habit-only` learns without asking",
        )
    return done


def asking(flow: Flow, how: Arbitration) -> Flow:
    """`flow` with the questions that are asked."""
    predicates = shipped_predicates() if how.predicates is None else how.predicates
    weighed = predicates if how.weighs_predicates else ()
    return replace(flow, predicates=predicates, weighed=weighed, model=how.model)


def _fitted(flow: Flow, done: Sequence[Answered], how: Arbitration) -> Flow:
    cases = [one.case for one in done]
    n_cases = sum(case.fittable for case in cases)
    provenance = replace(flow.provenance, arbiter_cases=n_cases)
    fits = how.fit(cases, len(flow.weighed), how.fitting)
    return replace(flow, provenance=provenance, folds=fits)
