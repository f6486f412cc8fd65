import json
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings

from stretto.episodes.vocabulary import START
from stretto.flow.wire import read_flow
from stretto.habit.backoff import Counts, fit_habit
from tests.claims import claim
from tests.conftest import shared
from tests.habit import literal
from tests.habit.strategies import VOCAB_SIZE, alphas, encoded_episodes, histories
from tests.habit.toy import (
    CANCEL,
    E1,
    E2,
    END,
    FIND,
    FIND_FAILED,
    FOUND,
    GET,
    GET_FAILED,
    GOT,
    REPLY,
    RESPOND,
)

TOY = fit_habit([E1, E2], alpha=1.0, vocab_size=5)


def test_the_toy_counts_what_came_next_at_each_length():
    level0, level1, level2 = TOY.base.levels

    assert level0[()] == Counts({RESPOND: 5.0, FIND: 2.0, GET: 3.0, CANCEL: 1.0}, 11.0)
    assert level1[(GOT,)] == Counts({GET: 1.0, RESPOND: 2.0}, 3.0)
    assert level2[(FOUND, GOT)] == Counts({GET: 1.0, RESPOND: 1.0}, 2.0)
    assert level2[(START, START)] == Counts({RESPOND: 2.0}, 2.0)


@claim("habit:backoff", "habit:formula", "habit:unseen")
@pytest.mark.parametrize(
    ("history", "action", "base", "with_top"),
    [
        ([REPLY, FOUND, GOT], GET, Fraction(79, 180), Fraction(259, 540)),
        ([REPLY, FOUND, GOT], RESPOND, Fraction(193, 360), Fraction(553, 1080)),
        ([GOT, GOT], RESPOND, Fraction(193, 240), Fraction(433, 480)),
        ([GET_FAILED, GOT], GET, Fraction(19, 60), Fraction(19, 60)),
        ([FIND_FAILED], GET, Fraction(4, 15), Fraction(4, 15)),
    ],
)
def test_the_toy_predicts_what_the_worked_example_says(history, action, base, with_top):
    assert TOY.base.chance(history, [action]) == [pytest.approx(float(base), rel=1e-15)]
    assert TOY.chance(history, [action]) == [pytest.approx(float(with_top), rel=1e-15)]
    assert TOY.predict(history)[action] == TOY.chance(history, [action])[0]


def test_evidence_counts_the_steps_after_the_longest_context():
    assert TOY.evidence([REPLY, FOUND, GOT]) == 2.0
    assert TOY.evidence([END, FOUND, GOT]) == 2.0
    assert TOY.evidence([]) == 2.0
    assert TOY.evidence([GET_FAILED, GOT]) == 0.0
    assert TOY.base.evidence([GOT, GOT]) == 1.0


def test_a_habit_of_order_zero_looks_at_no_history():
    habit = fit_habit([E1, E2], order=0, alpha=1.0, vocab_size=5)

    assert habit.base.chances([GOT]) == habit.base.chances([FOUND, REPLY])
    assert habit.evidence([GOT]) == 11.0


@claim("habit:backoff", "habit:formula")
@settings(max_examples=60, deadline=None)
@given(encoded_episodes(weighted=True), histories, alphas)
def test_a_habit_counts_and_predicts_as_the_literal_walk_does(encoded, history, alpha):
    base = fit_habit(encoded, alpha=alpha, vocab_size=VOCAB_SIZE).base
    levels = literal.fit(encoded, 2)

    for found, expected in zip(base.levels, levels, strict=True):
        assert {c: counts.total for c, counts in found.items()} == expected.total
        assert {
            (c, action): n
            for c, counts in found.items()
            for action, n in counts.by_action.items()
        } == expected.by_action
    assert base.chances(history) == [
        literal.chance(levels, history, action, alpha, VOCAB_SIZE)
        for action in range(VOCAB_SIZE)
    ]


@settings(max_examples=60, deadline=None)
@given(encoded_episodes(weighted=True), histories, alphas)
def test_the_probabilities_of_a_habit_sum_to_one(encoded, history, alpha):
    habit = fit_habit(encoded, alpha=alpha, vocab_size=VOCAB_SIZE)

    assert sum(habit.predict(history)) == pytest.approx(1.0)
    assert sum(habit.predict(history, group=2)) == pytest.approx(1.0)
    assert min(habit.predict(history)) > 0.0


@settings(max_examples=60, deadline=None)
@given(encoded_episodes(weighted=True), histories)
def test_only_the_actions_asked_for_are_given_in_their_order(encoded, history):
    habit = fit_habit(encoded, alpha=2.0, vocab_size=VOCAB_SIZE)
    everything = habit.predict(history)

    assert habit.chance(history, [3, 0, 3]) == [everything[a] for a in (3, 0, 3)]
    assert habit.chance(history, []) == []


@settings(max_examples=40, deadline=None)
@given(encoded_episodes())
def test_the_order_of_the_episodes_changes_no_unweighted_habit(encoded):
    forward = fit_habit(encoded, alpha=1.0, vocab_size=VOCAB_SIZE)

    assert fit_habit(encoded[::-1], alpha=1.0, vocab_size=VOCAB_SIZE) == forward


@settings(max_examples=40, deadline=None)
@given(encoded_episodes(weighted=True))
def test_a_shorter_context_counts_what_its_longer_ones_count(encoded):
    levels = fit_habit(encoded, alpha=1.0, vocab_size=VOCAB_SIZE).base.levels

    for shorter, longer in pairwise(levels):
        for context, counts in shorter.items():
            parts = [n.total for c, n in longer.items() if c[1:] == context]
            assert counts.total == pytest.approx(sum(parts))


def test_only_the_groups_own_episodes_count_in_its_top_layer():
    habit = fit_habit([E1, E2._replace(group=2)], alpha=1.0, vocab_size=5)

    assert habit.top[(2, (FOUND, GOT))] == Counts({RESPOND: 1.0}, 1.0)
    assert habit.chance([FOUND, GOT], [RESPOND], group=2) > habit.chance(
        [FOUND, GOT], [RESPOND], group=1
    )
    assert habit.chance([FOUND, GOT], [GET], group=7) == habit.base.chance(
        [FOUND, GOT], [GET]
    )


def test_a_symbol_of_another_episode_never_enters_a_context():
    habit = fit_habit([E1, E2], alpha=1.0, vocab_size=5)

    assert (END, REPLY) not in habit.base.levels[2]


@pytest.mark.parametrize("name", ["airline-reach", "shop", "retail-5-sessions"])
def test_a_habit_read_from_a_published_file_predicts_what_its_counts_say(name):
    path = shared(f"reference/flows/{name}.flow.json")
    written = json.loads(path.read_text())["habit"]
    habit = read_flow(path).habit
    base = written["base"]
    levels = [_literal(level) for level in base["levels"]]
    top = _literal([context, counts] for (_, context), counts in written["top"])

    for history in [*habit.base.levels[2], *habit.base.levels[1], (), (END, END)]:
        for action, p in enumerate(habit.predict(history)):
            expected = literal.chance(
                levels, history, action, base["alpha"], base["vocab_size"]
            )
            seen = literal.context(history, 2)
            if seen in top.total:
                n = top.by_action.get((seen, action), 0.0)
                expected = (n + written["beta"] * expected) / (
                    top.total[seen] + written["beta"]
                )
            assert p == expected


def _literal(pairs):
    level = literal.Level({}, {})
    for context, counts in pairs:
        level.total[tuple(context)] = counts["total"]
        for action, n in counts["by_action"]:
            level.by_action[(tuple(context), action)] = n
    return level
