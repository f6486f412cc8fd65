"""Several shares held against a bar: exact tails, Holm's steps, and worlds of nulls."""

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.evaluate.corrected import LEVEL, binomial_tail, evidence, holm
from stretto.flow.flow import Bar
from stretto.learn.promote import Tally, evidence_of


def test_the_tail_is_the_sum_over_all_that_could_have_come():
    for n in range(6):
        for k in range(n + 2):
            for p in (0.5, 0.3, 0.0, 1.0):
                ways = product((0, 1), repeat=n)
                exact = sum(
                    Fraction(p) ** sum(way) * (1 - Fraction(p)) ** (n - sum(way))
                    for way in ways
                    if sum(way) >= k
                )
                assert binomial_tail(k, n, p) == pytest.approx(float(exact), abs=1e-15)


def test_holms_steps_are_those_worked_by_hand():
    """4 × .01, 3 × .0125, 2 × .03, 1 × .2; the second is raised to the first."""
    found = holm({"d": 0.2, "a": 0.01, "c": 0.03, "b": 0.0125})

    assert found == pytest.approx({"a": 0.04, "b": 0.04, "c": 0.06, "d": 0.2})
    assert holm({"x": 0.6, "y": 0.7}) == {"x": 1.0, "y": 1.0}
    assert holm({}) == {}


@given(st.dictionaries(st.text("abc", max_size=3), st.floats(0, 1), max_size=6))
def test_holm_rejects_what_its_step_down_rejects(ps):
    rejected = set()
    for place, (name, p) in enumerate(sorted(ps.items(), key=lambda item: item[1])):
        if p * (len(ps) - place) > LEVEL:
            break
        rejected.add(name)

    assert {name for name, p in holm(ps).items() if p <= LEVEL} == rejected


def test_a_tasks_draw_depends_on_no_other_task():
    tasks = {f"t{i}": [i % 2 == 0, i % 3 == 0, True] for i in range(40)}

    whole = [evidence("site", {t: of}, 0.5).p < 1 for t, of in tasks.items()]

    assert evidence("site", tasks, 0.5).p == binomial_tail(sum(whole), 40, 0.5)
    assert 0 < sum(whole) < 40
    shares = [sum(of) / 3 for of in tasks.values()]
    assert evidence("site", tasks, 0.5).share == pytest.approx(sum(shares) / 40)


def test_the_lower_end_over_tasks_is_where_one_draw_in_twenty_lies():
    """Of 100 tasks, half of which use it: about 0.5 − 1.645 × 0.05."""
    found = evidence("site", {str(i): [i % 2 == 0] for i in range(100)}, 0.5)

    assert found.lower == pytest.approx(0.5 - 1.645 * sqrt(0.25 / 100), abs=0.011)
    assert evidence("site", {"one": [True]}, 0.5).lower is None


N_WORLDS, N_NULL = 400, 20


@pytest.fixture(scope="module")
def worlds() -> Callable[[Bar], float]:
    """
    In how many of 400 worlds a bar promotes a site that it should not.

    Each has 20 sites whose true share is the bar's lower bound, 12 tasks each, and a
    task's one to five lookups alike: whether the agent uses them is the task's doing.
    """
    random_ = random.Random(7)
    made = [
        {
            f"site{s}": Tally(
                0,
                {
                    f"task{t}": [random_.random() < 0.5] * random_.randint(1, 5)
                    for t in range(12)
                },
            )
            for s in range(N_NULL)
        }
        for _ in range(N_WORLDS)
    ]

    known = [evidence_of(sites, Bar()) for sites in made]

    def share(bar: Bar) -> float:
        wrong = 0
        for sites, found in zip(made, known, strict=True):
            wrong += any(t.record(bar, found[s]).promoted for s, t in sites.items())
        return wrong / N_WORLDS

    return share


def test_with_holm_worlds_without_a_good_site_seldom_promote_one(worlds):
    bar = Bar(min_used=0.5)

    plain, corrected = worlds(bar), worlds(Bar(min_used=0.5, holm=True))

    spread = 3 * sqrt(LEVEL * (1 - LEVEL) / N_WORLDS)
    assert corrected <= LEVEL + spread
    assert plain > 0.5


def test_with_holm_good_sites_among_the_nulls_are_still_promoted():
    random_ = random.Random(8)
    bar = Bar(holm=True)
    sites = {
        f"site{s}": Tally(
            0,
            {f"t{t}": [random_.random() < (0.95 if s < 5 else 0.5)] for t in range(40)},
        )
        for s in range(20)
    }
    found = evidence_of(sites, bar)

    promoted = {s for s, t in sites.items() if t.record(bar, found[s]).promoted}

    assert promoted == {f"site{s}" for s in range(5)}
