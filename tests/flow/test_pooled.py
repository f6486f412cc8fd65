"""The steps after a call, over all features of its result and all longer histories."""

import math

from hypothesis import given, settings

from stretto.episodes.site import Site
from stretto.episodes.step import Outcome
from stretto.episodes.vocabulary import parse
from stretto.flow.flow import Flow
from stretto.flow.pooled import Called, called, pooled, sites_seen
from stretto.habit.backoff import Backoff
from tests.flow.maximal import MAXIMAL, ORDER, USER
from tests.flow.strategies import flows

STEPS = pooled(MAXIMAL.habit.base)


def test_features_are_added_up_and_failures_kept_apart() -> None:
    ok, failed = (STEPS[called(MAXIMAL, Site(USER, f))] for f in (False, True))

    assert (ok.total, ok.by_action) == (10.0, {MAXIMAL.vocab.id(ORDER): 8.0})
    assert (failed.total, failed.by_action) == (1.0, {MAXIMAL.vocab.id(USER): 1.0})


def test_the_sites_seen_are_the_calls_with_a_step_after_them() -> None:
    assert sites_seen(MAXIMAL, STEPS) == (
        Site(ORDER, False),
        Site(USER, False),
        Site(USER, True),
    )


def test_a_habit_without_history_has_nothing_after_any_call() -> None:
    assert pooled(Backoff(0, 1.0, 3, ({},))) == {}


@settings(max_examples=10, deadline=None)
@given(flows())
def test_every_step_after_a_call_is_counted_once(flow: Flow) -> None:
    levels = flow.habit.base.levels
    calls = {
        code: counts
        for (code,), counts in (levels[1].items() if len(levels) > 1 else ())
        if (symbol := parse(code)) is not None and symbol.outcome <= Outcome.ERROR
    }
    steps = pooled(flow.habit.base)

    assert {*steps} == {Called(code // 16384, code // 4096 % 4 == 1) for code in calls}
    assert math.isclose(
        math.fsum(counts.total for counts in steps.values()),
        math.fsum(counts.total for counts in calls.values()),
    )
