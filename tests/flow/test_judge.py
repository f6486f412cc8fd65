import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.episodes.site import Site
from stretto.flow.arbiter_file import read_arbiter
from stretto.flow.flow import Fit, Rates, SiteRate
from stretto.flow.judge import features, judge, log_odds
from stretto.flow.rates import count_rates, coverage, reliability, without
from stretto.oracle.next_step import NextStep
from tests.claims import claim
from tests.conftest import shared
from tests.flow.worked_arbiter import AGAIN, CASES, OPTIONS, WEIGHTS, answered

FIT = Fit(WEIGHTS, count_rates(CASES))

probabilities = st.floats(0, 1)
triples = st.tuples(probabilities, probabilities, probabilities)


@claim("arbiter:logit")
def test_the_worked_cases_have_the_features_that_were_worked_out():
    first, second, _ = (case.features for case in CASES)

    assert first.options == OPTIONS
    assert first.rows[0] == pytest.approx((-0.5108, -0.6931, -0.5798, 0, 0), abs=5e-5)
    assert second.rows[0][4] == pytest.approx(-1.3863, abs=5e-5)
    assert second.rows[2][3] == 1
    assert [OPTIONS[case.features.pick] for case in CASES] == [
        "get_order",
        "respond",
        "respond",
    ]


@claim("arbiter:reliability", "folds:shrinkage")
def test_a_site_starts_from_ten_decisions_at_the_overall_rate():
    rates = count_rates(CASES)

    assert rates.agree == pytest.approx(2 / 3)
    assert reliability(rates, "get_user") == pytest.approx(0.696970, abs=5e-7)
    assert reliability(rates, "get_order") == pytest.approx(0.638889, abs=5e-7)
    assert log_odds(reliability(rates, "get_user")) == pytest.approx(0.8329, abs=5e-5)
    assert reliability(rates, "never seen") == rates.agree
    assert coverage(rates, "get_order") == 1


def test_rates_without_any_case_take_the_model_to_be_right_half_of_the_time():
    assert count_rates([]) == Rates({}, agree=0.5, cover=1.0)
    assert count_rates([replace(CASES[0], fittable=False)]).agree == 0.5


def test_a_case_left_out_of_its_rates_leaves_those_of_the_others():
    for left in CASES:
        others = [case for case in CASES if case is not left]
        found = without(count_rates(CASES), left)
        for measure in (reliability, coverage):
            site = left.features.site
            assert measure(found, site) == pytest.approx(
                measure(count_rates(others), site)
            )


@claim("arbiter:logit", "folds:choice")
def test_the_worked_cases_are_judged_as_worked_out():
    first, third = judge(FIT, CASES[0].features), judge(FIT, CASES[2].features)

    assert [*first] == [*third] == [*OPTIONS]
    assert [*first.values()] == pytest.approx((0.687626, 0.097470, 0.214904), abs=2e-6)
    assert [*third.values()] == pytest.approx((0.206538, 0.419094, 0.374368), abs=2e-6)


@claim("arbiter:coverage")
def test_what_the_options_leave_is_a_step_that_was_not_offered():
    rates = Rates({"get_user": SiteRate(10, 5, 6)}, agree=0.5, cover=0.9)

    weighed = judge(Fit(WEIGHTS, rates), CASES[0].features)

    assert sum(weighed.values()) == pytest.approx((6 + 10 * 0.9) / 20)
    assert max(weighed, key=weighed.__getitem__) == "get_order"


@claim("arbiter:reliability", "shipped:rates")
def test_the_shipped_retail_arbiter_weighs_its_sites_as_published():
    shipped = read_arbiter(shared("reference/arbiters/retail.json"))
    rates = shipped.fitted.rates

    trust = reliability(rates, "get_order_details")
    assert trust == pytest.approx(0.712235, abs=5e-7)
    assert log_odds(trust) == pytest.approx(0.906263, abs=5e-7)
    assert coverage(rates, "get_order_details") == pytest.approx(0.999944, abs=5e-7)
    assert reliability(rates, "another domain's site") == rates.agree


@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_a_shipped_arbiter_prefers_what_both_the_habit_and_the_model_prefer(domain):
    shipped = read_arbiter(shared(f"reference/arbiters/{domain}.json"))
    site = Site(next(iter(shipped.fitted.rates.sites)), False)
    options = {site.tool: 0.8, "zz": 0.1, "respond": 0.1}
    yes = {p.id: 0.9 if p.favors != "hand_back" else 0.1 for p in shipped.weighed}
    sure = NextStep(options, site.tool, options, yes)

    weighed = judge(shipped.fitted, features(site, options, sure, shipped.weighed))

    assert max(weighed, key=weighed.__getitem__) == site.tool
    assert weighed[site.tool] > 0.8


def test_a_predicate_left_unanswered_and_an_option_left_out_say_nothing():
    answer = replace(answered((0.5, 0.1, 0.4), 0.7, (0.8, 0.2), 0.9, "respond"), yes={})
    prior = {"get_order": 0.6, "respond": 0.4}

    seen = features(Site("get_order", False), prior, answer, [AGAIN])

    assert [row[4] for row in seen.rows] == [0, 0, 0]
    assert seen.rows[1][0] == math.log(1e-6)
    split = dict(list(answer.split.items())[:1])
    bare = features(Site("x", False), prior, replace(answer, split=split), [AGAIN])
    assert [row[2] for row in bare.rows[1:]] == [0, 0]


@given(triples, triples, triples, probabilities, st.sampled_from(OPTIONS))
def test_whatever_was_answered_the_options_share_what_the_site_covers(
    prior, one, split, yes, pick
):
    weighed, ones, splits = (
        dict(zip(OPTIONS, three, strict=True)) for three in (prior, one, split)
    )
    answer = NextStep(ones, pick, splits, {"again": yes})
    seen = features(Site("get_order", True), weighed, answer, [AGAIN])

    judged = judge(FIT, seen)

    assert all(0 <= p <= 1 for p in judged.values())
    assert sum(judged.values()) == pytest.approx(coverage(FIT.rates, seen.site))


@given(st.permutations(range(3)))
def test_the_order_in_which_options_were_answered_changes_nothing(order):
    answer = answered((0.2, 0.3, 0.5), 0.6, (0.3, 0.7), 0.6, "respond")
    shuffled = {OPTIONS[i]: answer.one[OPTIONS[i]] for i in order}
    prior = dict(zip(OPTIONS, (0.4, 0.2, 0.4), strict=True))

    found = features(
        Site("get_order", False), prior, replace(answer, one=shuffled), [AGAIN]
    )

    assert found.rows == CASES[2].features.rows
    assert found.pick == CASES[2].features.pick


def test_draws_are_averaged_as_probabilities_and_not_as_weights():
    up, down = (3.0, 0, 0, 0, 0, 0), (-1.0, 0, 0, 0, 0, 0)
    seen = CASES[0].features
    apart = [judge(replace(FIT, weights=w), seen) for w in (up, down)]

    together = judge(replace(FIT, draws=(up, down)), seen)

    for option in OPTIONS:
        mean = (apart[0][option] + apart[1][option]) / 2
        assert together[option] == pytest.approx(mean)
