"""Learning curves: nested draws of tasks, and flows replayed on the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.episodes.tasks import sample_tasks
from stretto.evaluate.replay import replay
from stretto.evaluate.rows import totals
from stretto.learn.curve import curve, drawn, sizes_up_to
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from tests.evaluate.sessions import MANIFEST, episodes

TASKS = [f"t{n}" for n in range(20)]


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 5))
def test_a_draw_of_fewer_tasks_is_part_of_one_of_more(n, m, draw):
    fewer, more = (drawn(TASKS, size, draw) for size in sorted((n, m)))

    assert {*fewer} <= {*more}
    assert len(fewer) == min(n, m)
    assert fewer == [task for task in TASKS if task in fewer]


def test_the_first_draw_is_the_published_sample_and_others_differ():
    assert drawn(TASKS, 5, 0) == sample_tasks(TASKS, 0.25)
    assert len({tuple(drawn(TASKS, 5, draw)) for draw in range(6)}) > 1


@pytest.mark.parametrize(
    ("n", "sizes"), [(1, [1]), (2, [1, 2]), (5, [1, 2, 4, 5]), (8, [1, 2, 4, 8])]
)
def test_sizes_double_and_end_with_every_task(n, sizes):
    assert sizes_up_to(n) == sizes


def test_a_lesson_is_the_flow_learned_from_its_tasks_replayed_on_the_others():
    every = episodes(7, 12)
    held_out = every[8:]
    tasks = [episode.task for episode in every[:8]]

    lessons = list(
        curve(every, MANIFEST, tasks, held_out, sizes=[1, 8], draws=2,
              thresholds=[0.1, 0.3])
    )  # fmt: skip

    assert [(lesson.tasks, lesson.draw) for lesson in lessons] == [
        (1, 0), (1, 1), (8, 0),
    ]  # fmt: skip
    flow = learn(every, MANIFEST, Settings(tasks={*tasks}.__contains__)).flow
    for threshold, found in lessons[-1].at.items():
        assert found == totals(replay(flow, held_out, threshold=threshold))


def test_tasks_without_a_success_teach_nothing_and_save_nothing():
    every = episodes(7, 12)
    failed = next(e for e in every if e.reward == 0.0)
    others = [e for e in every if e is not failed]

    [lesson] = curve(
        every, MANIFEST, [failed.task], others, sizes=[1], draws=1, thresholds=[0.3]
    )

    assert (lesson.learned_from, lesson.at) == (0, {})
