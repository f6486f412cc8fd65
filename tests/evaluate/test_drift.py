"""Drift: what is followed, where it changed, and which sites moved."""

from dataclasses import replace
from math import log

import pytest

from stretto.episodes.site import Site
from stretto.errors import StrettoError
from stretto.evaluate.drift import By, Moved, Series, drift
from tests.toys import TOY, taught, walked

FLOW = taught(TOY).flow
OLD, NEW = "rfgR", "rcccR"


def sessions(*walks: str):
    return [walked(f"s{n}", walk) for n, walk in enumerate(walks)]


def test_the_three_series_are_of_a_sessions_steps():
    found = drift(FLOW, sessions(*["rfgR"] * 10))
    habit = FLOW.habit
    # the toy's own figures: reply, find ⇒ get and then a reply that ends it
    p = [habit.predict(())[0], 0.0, 0.0, 0.0]
    history: list[int] = []
    for at, (action, symbol) in enumerate(
        [(0, 8192), (2, 2 * 16384), (3, 3 * 16384), (0, 0)]
    ):
        p[at] = habit.predict(history)[action]
        history.append(symbol)

    assert found.values[Series.SURPRISE][0] == pytest.approx(
        sum(-log(one) for one in p) / 4
    )
    assert set(found.values[Series.DISAGREEMENT]) == {0.0}
    assert set(found.values[Series.NOVELTY]) == {0.0}
    assert found.alarms == ()


def test_steps_no_training_session_made_are_new_where_they_follow_a_tool():
    flow = taught([walked("a", "rfgR")] * 2).flow
    found = drift(flow, sessions(*["rfcR"] * 9, "rcR"))

    assert found.values[Series.NOVELTY] == (0.5,) * 9 + (0.0,)


def test_a_session_without_a_step_after_a_tool_has_no_value_there():
    found = drift(FLOW, sessions(*["rR"] * 9, ""))

    assert found.values[Series.NOVELTY] == (None,) * 10
    assert found.values[Series.SURPRISE][-1] is None


@pytest.mark.parametrize("online", [False, True])
def test_an_agent_that_changes_is_found_to_from_that_session_on(online):
    found = drift(FLOW, sessions(*[OLD] * 20, *[NEW] * 8), online=online)
    surprise = [a for a in found.alarms if a.series is Series.SURPRISE]

    assert [a.start for a in surprise] == [20]
    assert surprise[0].found == 22
    assert surprise[0].before < surprise[0].after


def test_the_sites_that_moved_are_new_ones_first_and_then_by_how_much():
    walks = [*["rfgR"] * 20, *["rfccR"] * 8]
    found = drift(FLOW, sessions(*walks))
    [alarm] = [a for a in found.alarms if a.series is Series.SURPRISE]
    sites = [moved.site for moved in alarm.moved]

    assert sites == [Site("cancel", False), Site("find", False)]
    assert alarm.moved[0] == Moved(
        Site("cancel", False), None, pytest.approx(alarm.moved[0].after)
    )
    assert alarm.moved[1].before < alarm.moved[1].after


def test_sessions_that_hold_nothing_do_not_shift_where_a_change_is_placed():
    walks = [*[OLD] * 20, *[NEW] * 8]
    gaps = sessions(*walks)
    gaps.insert(15, walked("gap", ""))
    gaps.insert(22, replace(walked("gap2", ""), events=()))
    found = drift(FLOW, gaps)

    assert {a.start for a in found.alarms if a.series is Series.SURPRISE} == {21}
    assert len(found.sessions) == 30


def test_nine_sessions_are_too_few():
    with pytest.raises(StrettoError, match="needs 10 sessions, and there are 9"):
        drift(FLOW, sessions(*[OLD] * 9))


def test_sessions_that_hold_nothing_do_not_shift_where_next_steps_part():
    gaps = sessions(*[OLD] * 20, *[NEW] * 8)
    gaps.insert(15, walked("gap", ""))
    found = drift(FLOW, gaps)

    assert found.parting is not None
    assert found.parting.start == 21
    [row] = found.parting.parted
    assert (row.site, row.action, row.before, row.since) == (None, "cancel", 0.0, 0.5)


def test_what_is_asked_says_what_is_an_alarm():
    same = drift(FLOW, sessions(*[OLD] * 20))
    other = drift(FLOW, sessions(*[OLD] * 20, *[NEW] * 8))
    strict = replace(other, level=0.0001)
    steps_alone = replace(other, alarms=())

    assert not any(same.is_alarm(by) for by in By)
    assert all(other.is_alarm(by) for by in By)
    assert [by for by in By if strict.is_alarm(by)] == [By.SERIES, By.ANY]
    assert [by for by in By if steps_alone.is_alarm(by)] == [By.STEPS, By.ANY]


def test_of_twelve_sessions_it_is_not_told_whether_next_steps_part():
    assert drift(FLOW, sessions(*[OLD] * 12)).parting is None
