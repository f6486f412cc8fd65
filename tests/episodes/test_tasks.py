"""Tasks hashed, folded, sampled and split as the published files have them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.episodes.tasks import (
    fold,
    learn_split,
    rank,
    sample_tasks,
    task_group,
)
from stretto.files import read_json
from tests.claims import claim
from tests.conftest import shared


def training_tasks(domain: str) -> list[str]:
    split = read_json(shared(f"splits/{domain}.json"))
    return [task.text() for task in split["train"].array()]


@pytest.mark.parametrize(
    ("task", "hashed", "held_out_in"),
    [
        ("", 1469598103934665603, 3),
        ("0", 4953216133211441449, 4),
        ("1", 4953215033699813238, 3),
        ("9", 4953223829792838926, 1),
        ("27", 11170501579848408476, 1),
        ("101", 4593261846225431641, 1),
        ("abc", 16242233503745875709, 4),
    ],
)
def test_a_task_has_the_published_hash_and_fold(task, hashed, held_out_in):
    assert task_group(task) == hashed
    assert fold(task) == held_out_in


@claim("sample:mixed")
def test_ranks_are_salted():
    assert rank("train-sample", "27") == 5103692465073396347
    assert rank("learn-split", "27") == 18038134697930291631


@claim("sample:mixed", "sample:retail-five", "sample:airline-five")
@pytest.mark.parametrize(
    ("domain", "share", "drawn"),
    [
        ("retail", 0.04, "15 88 99"),
        ("retail", 0.0676, "15 24 76 88 99"),
        ("retail", 0.1351, "15 24 58 75 76 82 88 89 99 107"),
        ("airline", 0.1667, "1 15 38 41 42"),
    ],
)
def test_a_share_of_the_training_tasks_is_the_published_one(domain, share, drawn):
    assert sample_tasks(training_tasks(domain), share) == drawn.split()


def test_a_share_keeps_the_order_of_the_tasks():
    assert sample_tasks(["a", "b", "c", "d", "e"], 0.5) == ["a", "d", "e"]


@claim("cold:split")
@pytest.mark.parametrize(
    ("tasks", "held_out"),
    [("15 24 76 88 99", "15 99"), ("1 15 38 41 42", "1 38"), ("a b c d e", "b e")],
)
def test_a_split_holds_out_the_published_tasks(tasks, held_out):
    split = learn_split(tasks.split())

    assert split.held_out == held_out.split()
    assert split.train == [t for t in tasks.split() if t not in held_out.split()]


task_lists = st.lists(st.text(max_size=3), unique=True, max_size=20)


@claim("sample:nested")
@given(task_lists, st.floats(0, 1), st.floats(0, 1))
def test_a_smaller_share_is_part_of_a_larger_one(tasks, one, other):
    smaller, larger = sorted([one, other])

    assert set(sample_tasks(tasks, smaller)) <= set(sample_tasks(tasks, larger))


@given(task_lists)
def test_a_split_puts_every_task_on_one_side_and_some_on_each(tasks):
    split = learn_split(tasks)

    if len(tasks) < 2:
        assert split is None
    else:
        assert sorted(split.train + split.held_out) == sorted(tasks)
        assert split.train
        assert split.held_out


def test_a_task_with_a_broken_character_still_has_a_fold():
    assert fold("\ud83d") in range(5)
