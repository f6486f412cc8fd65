import math
from dataclasses import replace
from random import Random

import pytest

from stretto.flow.case import Case, Features
from stretto.learn.decisionlog import Logged
from stretto.learn.refine import refine, with_predicates
from stretto.oracle.predicates import Lookup, Predicate
from tests.claims import claim
from tests.models import newton

TELLING = Predicate("telling", "any_lookup", "?", "yes", "no")
NOISE = Predicate("noise", "any_lookup", "?", "yes", "no")
TWIN = replace(TELLING, id="twin")
ASIDE = Predicate("aside", Lookup("nowhere"), "?", "yes", "no")


def decisions(seed, n, *, targets=0):
    """Steps that the telling predicate knows of, and nothing else does."""
    random = Random(seed)
    return [one(random, i, fittable=i >= targets) for i in range(n + targets)]


def one(random, i, *, fittable):
    goes_on = random.random() < 0.5
    yes = 0.85 if goes_on else 0.15
    if random.random() < 0.1:
        yes = 1 - yes
    rows = tuple((random.gauss(0, 0.3), 0.0, 0.0, float(o == 1)) for o in range(2))
    seen = Features("get (error)", ("get", "respond"), rows, random.randrange(2))
    case = Case(seen, i % 30, 0 if goes_on else 1, fittable)
    answers = {"telling": yes, "twin": yes, "noise": random.random(), "aside": 0.9}
    return Logged(f"e{i}", f"t{i % 30}", "agent", i, f"k{i}", case, answers)


@claim("refine:loop")
def test_a_candidate_is_kept_where_it_gains_more_than_a_parameter_costs():
    found = refine(decisions(1, 150), [NOISE, TELLING], newton.fitter)

    assert found.kept == (TELLING,)
    assert found.scored == 150
    assert found.penalty == pytest.approx(0.5 * math.log(150))
    assert [one.id for one in found.rounds[0]] == ["telling", "noise"]
    assert found.rounds[0][0].gain > found.penalty > found.rounds[1][0].gain
    assert found.after.log_p == pytest.approx(
        found.before.log_p + found.rounds[0][0].gain
    )


def test_the_likelihoods_are_those_of_newton_and_loops():
    logged = decisions(2, 60, targets=10)

    found = refine(logged, [TELLING], newton.fitter)

    for added, score in (([], found.before), ([TELLING], found.rounds[0][0].score)):
        cases = [with_predicates(one, added) for one in logged]
        own = targets = 0.0
        for fold in range(5):
            w, (sites, agree, _) = newton.fit(
                cases, 5 + len(added), lambda case, fold=fold: case.fold != fold
            )
            for case in cases:
                if case.fold == fold:
                    p = newton.softmax(newton.rows(case, sites, agree) @ w)
                    value = math.log(max(p[case.actual], 1e-12))
                    own += value * case.fittable
                    targets += value * (not case.fittable)
        assert score.log_p == pytest.approx(own, abs=1e-9)
        assert score.targets == pytest.approx(targets, abs=1e-9)


def test_of_two_that_gain_alike_the_last_is_kept():
    assert refine(decisions(3, 80), [TELLING, TWIN], newton.fitter).kept == (TWIN,)


def test_a_penalty_above_every_gain_keeps_none():
    found = refine(decisions(3, 80), [TELLING], newton.fitter, penalty=1e6)

    assert found.kept == ()
    assert found.after == found.before


def test_a_candidate_that_does_not_help_the_targets_can_be_refused():
    logged = decisions(4, 120, targets=40)
    misled = [
        replace(one, yes={"telling": abs(one.yes["telling"] - (not one.case.fittable))})
        for one in logged
    ]

    assert refine(misled, [TELLING], newton.fitter).kept == (TELLING,)
    assert refine(misled, [TELLING], newton.fitter, for_targets=True).kept == ()
    assert refine(logged, [TELLING], newton.fitter, for_targets=True).kept == (TELLING,)


def test_a_predicate_bears_on_what_it_favors_and_an_unanswered_one_on_nothing():
    logged = decisions(5, 1)[0]
    unanswered = replace(logged, yes={})

    assert [row[-1] for row in with_predicates(logged, [ASIDE]).features.rows] == [0, 0]
    again = Predicate("telling", "same_lookup", "?", "yes", "no")
    rows = with_predicates(logged, [again]).features.rows
    assert abs(rows[0][-1]) == pytest.approx(math.log(0.85 / 0.15))
    assert rows[1][-1] == 0
    rows = with_predicates(unanswered, [again]).features.rows
    assert [row[-1] for row in rows] == [0, 0]


def test_the_hardest_decisions_are_shown_one_a_task_worst_first():
    found = refine(decisions(6, 150), [], newton.fitter)

    [site] = found.sites
    assert site.site == "get (error)"
    assert site.surprise == pytest.approx(-found.before.log_p)
    assert len(site.hardest) == len({one.task for one in site.hardest}) == 6
    log_p = [one.log_p for one in site.hardest]
    assert log_p == sorted(log_p)
