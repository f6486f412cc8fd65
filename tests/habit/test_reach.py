import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.habit.backoff import Counts, fit_habit
from stretto.habit.reach import before_writes, fit_reach
from tests.claims import claim
from tests.habit import literal
from tests.habit.strategies import VOCAB_SIZE, encoded_episodes, histories
from tests.habit.toy import (
    CANCEL,
    E1,
    E2,
    FIND,
    FOUND,
    GET,
    GOT,
    REPLY,
    RESPOND,
    WRITES,
)

TOY = fit_reach([E1, E2], WRITES, alpha=1.0, vocab_size=5)


@claim("reach:counts")
def test_the_toy_counts_what_came_before_the_next_write():
    level0, level1, level2 = TOY.levels

    assert level0[()] == Counts({RESPOND: 10.0, FIND: 4.0, GET: 7.0}, 11.0)
    assert level1[(FOUND,)] == Counts({RESPOND: 2.0, GET: 2.0}, 2.0)
    assert level2[(GOT, REPLY)] == Counts({}, 1.0)


@claim("reach:formula")
def test_the_toy_reaches_what_the_worked_example_says():
    habit = fit_habit([E1, E2], alpha=1.0, vocab_size=5)

    assert TOY.chance([REPLY, FOUND], [GET]) == [pytest.approx(43 / 45)]
    assert habit.chance([REPLY, FOUND], [GET]) == [pytest.approx(394 / 405)]
    assert TOY.chance([FOUND, GOT], [GET]) == [pytest.approx(7 / 15)]
    assert habit.chance([FOUND, GOT], [GET]) == [pytest.approx(259 / 540)]


def test_a_write_ends_the_steps_before_it_and_has_no_action_of_its_own():
    walk = [FIND, CANCEL, GET, GET, RESPOND]

    assert [set(ahead) for ahead in before_writes(walk, WRITES)] == [
        {FIND},
        set(),
        {GET, RESPOND},
        {GET, RESPOND},
        {RESPOND},
    ]


@claim("reach:counts", "reach:formula")
@settings(max_examples=60, deadline=None)
@given(
    encoded_episodes(weighted=True), histories, st.sets(st.integers(0, VOCAB_SIZE - 1))
)
def test_reach_counts_and_answers_as_the_literal_walk_does(encoded, history, writes):
    reach = fit_reach(encoded, writes, alpha=3.0, vocab_size=VOCAB_SIZE)
    levels = literal.fit_reach(encoded, writes, 2)

    for found, expected in zip(reach.levels, levels, strict=True):
        assert {c: counts.total for c, counts in found.items()} == expected.total
        assert {
            (c, action): n
            for c, counts in found.items()
            for action, n in counts.by_action.items()
        } == expected.by_action
    assert reach.chances(history) == [
        literal.chance(levels, history, action, 3.0, VOCAB_SIZE)
        for action in range(VOCAB_SIZE)
    ]


@settings(max_examples=60, deadline=None)
@given(encoded_episodes(), histories)
def test_without_writes_an_action_is_reached_at_least_as_often_as_it_comes_next(
    encoded, history
):
    reach = fit_reach(encoded, (), alpha=1.0, vocab_size=VOCAB_SIZE)
    habit = fit_habit(encoded, alpha=1.0, vocab_size=VOCAB_SIZE)

    for reached, next_ in zip(
        reach.chances(history), habit.base.chances(history), strict=True
    ):
        assert next_ <= reached + 1e-12
        assert reached <= 1.0
