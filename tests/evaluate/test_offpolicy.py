"""Estimates of another rule: the worked example, and the truth where all is known."""

import math
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.evaluate.logged import Labels, Logged, Option, Target
from stretto.evaluate.offpolicy import Estimate, evaluate
from stretto.flow.deciders.protocol import Chances
from tests.claims import claim

USED, UNUSED = Labels(1.0, 1.0, 0.0, 1.0), Labels(1.0, 0.0, 1.0, 0.0)
AT = Target("same", "habit", 0.3, Chances.EXCLUSIVE)


def decision(
    taken: str | None, propensity: float, o: Labels, p: Labels = UNUSED, **changes
) -> Logged:
    """A decision between `o`, which is likelier, and `p`."""
    options = (Option("o", 0.6, 0.6, 1.0, o), Option("p", 0.3, 0.3, 1.0, p))
    logged = Logged("site", "habit", 0.1, "o", taken, propensity, options)
    return replace(logged, **changes)


def unlikely() -> tuple[Option, ...]:
    """Options at which the target hands back."""
    return (Option("o", 0.2, 0.2, 1.0, USED), Option("p", 0.1, 0.1, 1.0, UNUSED))


EXAMPLE = [
    decision("o", 0.9, USED),
    decision("p", 0.1, USED),
    decision("o", 0.9, UNUSED),
    decision("o", 0.9, USED, options=unlikely()),
]


@claim("off-policy:estimates")
def test_the_worked_example_comes_to_its_published_numbers():
    sites, total = evaluate(EXAMPLE, AT, "used")

    assert sites == {"site": total}
    assert (total.looks, total.unsupported) == (3, 0)
    assert total.direct.value == 2
    assert total.ips.value == pytest.approx(1.1111, abs=5e-5)
    assert total.ips.error == pytest.approx(1.1111, abs=5e-5)
    assert total.snips is not None
    assert total.snips.value == pytest.approx(1.5)
    assert total.dr.value == pytest.approx(1.6296, abs=5e-5)
    assert total.ess == pytest.approx(2)
    assert total.is_refused(10)
    assert not total.is_refused(2)


def test_every_look_is_a_lookup_and_the_site_sums_add_up():
    other = [replace(each, site="elsewhere") for each in EXAMPLE]

    sites, total = evaluate([*EXAMPLE, *other], AT, "lookups")

    assert total.direct.value == total.looks == 6
    assert total.ips.value == pytest.approx(sum(s.ips.value for s in sites.values()))
    errors = [s.dr.error or 0.0 for s in sites.values()]
    assert total.dr.error == pytest.approx(math.hypot(*errors))


def test_the_habits_rule_reads_the_habits_probabilities_and_reach_the_best_bound():
    options = (
        Option("o", 0.45, 0.1, 0.6, USED),
        Option("p", 0.40, 0.5, 0.9, USED),
        Option("q", 0.90, 0.1, None, USED),
    )
    logged = decision("o", 1.0, USED, options=options, decider="reach", epsilon=0.0)

    habit = replace(AT, decider="habit")
    reach = Target("reach", "reach", 0.3, Chances.INDEPENDENT)
    assert habit.acts(logged) == "p"
    assert reach.acts(logged) == "p"
    assert replace(reach, threshold=0.37).acts(logged) is None
    assert replace(habit, threshold=0.46).acts(logged) is None
    unbound = replace(AT, decider="reach")
    assert unbound.acts(logged) is None


def test_a_lookup_that_the_flow_could_not_have_taken_is_unsupported():
    logged = decision("o", 1.0, UNUSED, epsilon=0.0)
    target = replace(AT, decider="habit")
    options = (Option("o", 0.6, 0.2, 1.0, UNUSED), Option("p", 0.3, 0.7, 1.0, USED))
    logged = replace(logged, decider="reach", options=options)

    _, total = evaluate([logged], target, "used")

    assert (total.looks, total.unsupported, total.ess) == (1, 1, 0.0)
    assert total.snips is None
    assert total.is_refused(1)
    assert total.ips == Estimate(0.0, None)
    assert total.dr.value == 0.0


def test_nothing_to_look_up_is_nothing_estimated_and_not_refused():
    sites, total = evaluate(EXAMPLE, replace(AT, threshold=0.99), "detours")

    assert sites == {}
    assert (total.looks, total.direct.value) == (0, 0)
    assert not total.is_refused(10)


WORLDS = st.lists(
    st.tuples(
        st.lists(st.floats(0.05, 1.0), min_size=3, max_size=3),
        st.lists(st.sampled_from([USED, UNUSED]), min_size=3, max_size=3),
        st.booleans(),
    ),
    min_size=1,
    max_size=3,
)


@given(WORLDS, st.floats(0.05, 0.9), st.sampled_from(["used", "detours", "turns"]))
def test_over_all_that_exploring_could_draw_ips_means_the_truth(world, epsilon, metric):
    """A toy whose draws are all known, so that an expectation is a sum."""
    truth = 0.0
    drawn = []
    for ps, labels, is_handing_back in world:
        options = tuple(
            Option(tool, p / 4, p / 4, 1.0, label)
            for tool, p, label in zip("abc", ps, labels, strict=True)
        )
        best = max(options, key=lambda o: o.p)
        greedy = None if is_handing_back else best.tool
        others = [o for o in options if o.tool != greedy]
        total = sum(o.p for o in others)
        ways = [(greedy, 1 - epsilon)]
        ways += [(o.tool, epsilon * o.p / total) for o in others]
        base = Logged("site", "habit", epsilon, greedy, None, 1.0, options)
        drawn.append([replace(base, taken=t, propensity=q) for t, q in ways])
        truth += getattr(best.labels, metric)
    target = replace(AT, threshold=0.0)

    ips = 0.0
    for log in product(*drawn):
        chance = math.prod(each.propensity for each in log)
        _, found = evaluate(log, target, metric)
        assert found.direct.value == truth
        assert found.dr.value == pytest.approx(literal_dr(log, target, metric))
        ips += chance * found.ips.value

    assert ips == pytest.approx(truth, abs=1e-9)


def literal_dr(log, target: Target, metric: str) -> float:
    """Σ m(act) + w·(v − m(taken)), with m the mean label of what was taken."""
    value = 0.0
    for each in log:
        act = target.acts(each)
        same = [getattr(e.option(act).labels, metric) for e in log if e.taken == act]
        m = sum(same) / len(same) if same else getattr(UNUSED, metric)
        value += m
        if each.taken == act:
            value += (getattr(each.option(act).labels, metric) - m) / each.propensity
    return value


@given(WORLDS, st.floats(0.05, 0.9))
def test_the_propensities_of_all_that_could_be_taken_sum_to_one(world, epsilon):
    for ps, labels, _ in world:
        options = tuple(
            Option(tool, p / 4, p / 4, 1.0, label)
            for tool, p, label in zip("abc", ps, labels, strict=True)
        )
        logged = Logged("site", "habit", epsilon, "a", "a", 1 - epsilon, options)

        assert sum(map(logged.chance_to_take, "abc")) == pytest.approx(1.0)
