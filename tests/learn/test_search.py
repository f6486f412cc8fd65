"""Searches: the grid, the front, and each setting's score as its replay has it."""

import json
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.errors import FormatError, VersionError
from stretto.evaluate.growing import Grower
from stretto.evaluate.intervals import difference_interval
from stretto.evaluate.replay import replay
from stretto.evaluate.rows import totals
from stretto.evaluate.setting import Setting
from stretto.evaluate.sweep import Sweep
from stretto.learn.search import (
    Scored,
    Scorer,
    area,
    by_coordinates,
    cheapest,
    front,
    plain,
)
from stretto.learn.search_file import read_search, search_json
from stretto.learn.searching import elsewhere, search
from stretto.learn.space import LEVELS, OFF, Choice, Space
from tests.claims import claim
from tests.evaluate.lessons import Lesson, steadily

SITES = ("find", "get", "user")


def scored(saved: int, detours: int, *levels: int) -> Scored:
    """A score of a choice that matters to nobody."""
    return Scored(Choice("habit", levels), saved, detours, saved + detours, 0)


def scorer(seed: int = 3) -> Scorer:
    """A scorer of a small flow over a few sessions."""
    lesson = Lesson(seed, steady=True)
    episodes = [*lesson.named([steadily(), steadily(2)]), *lesson.measured(4)]
    space = Space.of(lesson.flow)
    sweeps = {n: Sweep(Grower(lesson.flow, n), episodes) for n in space.deciders}
    return Scorer(space, sweeps)


@claim("search:space")
def test_genes_are_decoded_to_levels_as_published():
    space = Space(Setting(), ("a", "b", "c", "d"), ("arbiter", "habit"))

    choice = space.decoded([0.0, 0.236842, 0.5, 1.0, 0.49])

    assert choice.decider == "arbiter"
    assert space.thresholds(choice) == {"a": 0.1, "b": 0.3, "c": 0.55, "d": OFF}
    assert space.decoded([0.0, 0.0, 0.0, 0.0, 0.5]).decider == "habit"
    assert space.encoded(Choice("arbiter", (0, 1, 2, 18)))[-1] == 0.25
    assert space.encoded(Choice("habit", (0, 1, 2, 18)))[:2] == [0.5 / 19, 1.5 / 19]


@given(st.lists(st.integers(0, 18), min_size=3, max_size=3), st.booleans())
def test_a_choice_is_what_its_genes_are_decoded_to(levels, is_habit):
    space = Space(Setting(), SITES, ("reach", "habit"))
    choice = Choice("habit" if is_habit else "reach", tuple(levels))

    assert space.decoded(space.encoded(choice)) == choice


def test_a_choices_score_is_what_its_own_replay_comes_to():
    found = scorer()
    [decider] = {*found.space.deciders} - {"habit"} or {"habit"}
    sweep = found.sweeps[decider]
    levels = tuple((7 * n) % len(LEVELS) for n in range(len(found.space.sites)))
    choice = Choice(decider, levels)

    [each] = found.score([choice])

    setting = found.space.setting(choice)
    flow = setting.applied(sweep.grower.flow)
    sums = totals(replay(flow, sweep.episodes, decider=decider, threshold=0.3))
    assert each[1:] == (
        sums.turns_saved, sums.detours, sums.lookups, sums.episodes_with_detour,
    )  # fmt: skip


scores = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 18)), max_size=12
)


@given(scores)
def test_the_front_is_all_that_nothing_beats_each_pair_once(given_):
    every = [scored(*each) for each in given_]

    found = front(every)

    unbeaten = {s[1:3] for s in every if not any(o.beats(s) for o in every)}
    assert [s[1:3] for s in found] == sorted(unbeaten, reverse=True)
    assert all(s in every for s in found)


@given(scores)
def test_the_area_counts_the_squares_below_the_front(given_):
    found = front(scored(*each) for each in given_)

    squares = {
        (x, y)
        for s in found
        for x, y in product(range(s.detours, 7), range(s.turns_saved))
    }
    assert area(found, 7) == len(squares)


def test_the_chosen_has_the_fewest_detours_at_enough_turns():
    every = [scored(5, 4, 1), scored(6, 4, 2), scored(4, 1, 3), scored(9, 8, 4)]

    assert cheapest(every, 5) == every[1]
    assert cheapest(every, 10) is None


def test_no_change_of_one_site_is_a_gain_where_coordinates_stop():
    found = scorer()

    by_coordinates(found, prices=(1.0,))

    best = max(found.found.values(), key=lambda s: s.turns_saved - s.detours)
    worth = best.turns_saved - best.detours
    for site, level in product(range(len(found.space.sites)), range(len(LEVELS))):
        levels = list(best.choice.levels)
        levels[site] = level
        [other] = found.score([best.choice._replace(levels=tuple(levels))])
        assert other.turns_saved - other.detours <= worth


def test_a_plain_choice_scores_the_same_and_keeps_only_levels_that_matter():
    found = scorer()
    choice = Choice(found.space.deciders[0], (0,) * len(found.space.sites))
    [off] = found.score([choice])

    simple = plain(found, off)

    assert simple[1:] == off[1:]
    usual = LEVELS.index(0.3)
    assert usual in simple.choice.levels
    for site, level in enumerate(simple.choice.levels):
        if level != usual:
            levels = list(simple.choice.levels)
            levels[site] = usual
            [other] = found.score([simple.choice._replace(levels=tuple(levels))])
            assert other[1:] != off[1:]


def test_nsga_finds_no_setting_that_beats_the_joint_front_and_repeats_itself():
    nsga = pytest.importorskip("stretto.learn.nsga", reason="pymoo is an extra")
    methods = {
        "one site at a time": by_coordinates,
        "NSGA-II": lambda s: nsga.by_nsga(s, population=12, generations=4),
    }

    found, again = (search(scorer(), methods) for _ in range(2))

    assert found == again
    assert {s.choice.decider for s in found.seeds} <= {*scorer().space.deciders}
    assert found.chosen.turns_saved >= found.seeds[0].turns_saved
    assert not any(seed.beats(s) for seed in found.seeds for s in found.front)
    assert [share.search for share in found.shares] == [*methods]
    assert all(0 <= share.area <= 1 for share in found.shares)


def test_a_search_is_read_again_as_it_was_written(tmp_path: Path):
    space, path = scorer().space, tmp_path / "search.json"
    found = search(scorer(), {"one site at a time": by_coordinates})
    held_out = elsewhere(scorer(), found)
    path.write_text(json.dumps(search_json(space, found, held_out)))

    assert read_search(path, space) == found
    assert held_out.front == found.front
    assert held_out.chosen == found.chosen


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"stretto_search": 2}, VersionError, "reads version 1"),
        ({"sites": ["elsewhere"]}, FormatError, "are not the flow's"),
        ({"seeds": []}, FormatError, "at least one setting"),
        ({"chosen": {"decider": "coin"}}, FormatError, "should be "),
        ({"front": [{"decider": "habit", "thresholds": {}}]}, FormatError, "has no"),
    ],
)
def test_a_file_of_another_search_is_refused(tmp_path: Path, change, error, says):
    space, path = scorer().space, tmp_path / "search.json"
    found = search(scorer(), {"one site at a time": by_coordinates})
    path.write_text(json.dumps({**search_json(space, found, None), **change}))

    with pytest.raises(error, match=says):
        read_search(path, space)


def test_a_difference_keeps_a_tasks_episodes_together():
    tasks = ["a", "a", "b", "b"]

    assert difference_interval(tasks, [3, 0, 3, 0], [0, 1, 0, 1]) == (4.0, 4.0)
    assert difference_interval(["a", "a"], [1, 2], [0, 0]) is None
    low, high = difference_interval(list("abcd"), [4, 0, 0, 0], [0, 0, 0, 0])
    assert low == 0.0
    assert 4.0 < high <= 16.0
