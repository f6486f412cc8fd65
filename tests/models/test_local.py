"""A local model's network and its fit, fold by fold."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.tasks import fold
from stretto.evaluate.local import HABIT, LOCAL, compare, judged
from stretto.models.local import Network, fit
from stretto.models.local_batch import Known, known, rows, told
from stretto.models.local_folds import EPOCHS, CrossFitted, cross_fit
from stretto.models.precision import float64
from stretto.oracle.local.case import Case
from stretto.oracle.local.clues import clues
from stretto.oracle.local.file import ALL, PLACES, Gain, LocalModel, local_bytes
from stretto.oracle.local.measure import scored
from tests.oracle.local.models import PROVENANCE, net_of
from tests.oracle.local.sessions import desk_cases
from tests.oracle.local.test_clues import OPTIONS, desk

N_TASKS = 30


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return desk_cases(N_TASKS, repeats=2)


@pytest.fixture(scope="module")
def fitted(cases) -> CrossFitted:
    return cross_fit(cases, seed=7)


def file_of(found: CrossFitted) -> bytes:
    return local_bytes(LocalModel(found.members, PROVENANCE))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([(), ("L107",), ("L107", "L108")]))
def test_the_network_in_equinox_gives_the_scores_of_the_one_in_numpy(seed, loans):
    seen = clues(desk(*loans), OPTIONS)
    net = net_of(seen, seed)
    vocabulary = Known(net.words.numbers, net.marks.numbers)
    everything = frozenset(OPTIONS)
    case = Case("t", "a", "s", seen, tuple(OPTIONS), (everything,), "respond", {})
    data = rows([case], [told(case)], vocabulary, 0)
    with float64():
        nothing = np.zeros((1, net.words.rows.shape[1] + 1))
        network = Network(
            jnp.asarray(np.vstack([nothing[:, 1:], net.words.rows])),
            jnp.asarray(np.vstack([nothing, net.marks.rows])),
        )
        found = network(data.words[0], data.marks[0])

    assert np.asarray(found) == pytest.approx(net.scores(seen), abs=1e-9)


def test_the_same_sessions_and_seed_give_the_same_bytes(cases, fitted):
    assert file_of(cross_fit(cases, seed=7)) == file_of(fitted)
    assert file_of(cross_fit(cases, seed=8)) != file_of(fitted)


@pytest.mark.parametrize("out", [0, 3])
def test_no_network_depends_on_the_fold_it_leaves_out(cases, fitted, out):
    other_words = tuple(range(1, 40))
    changed = [
        replace(
            case,
            clues=case.clues._replace(words=other_words, pending=5),
            taken="respond" if case.taken != "respond" else case.options[0],
        )
        if fold(case.task) == out
        else case
        for case in cases
    ]

    found = cross_fit(changed, seed=7)

    assert same(found, fitted, str(out))
    assert not same(found, fitted, ALL)
    assert [same(found, fitted, place) for place in PLACES].count(True) == 1


def same(one: CrossFitted, other: CrossFitted, place: str) -> bool:
    """Whether two trainings agree, bit by bit, on all that a place's network holds."""
    members = [found.members[place] for found in (one, other)]
    tables = [(m.net.words, m.net.marks) for m in members]
    return members[0].calibration == members[1].calibration and all(
        np.array_equal(a.numbers, b.numbers) and np.array_equal(a.rows, b.rows)
        for a, b in zip(*tables, strict=True)
    )


def test_it_learns_what_the_words_say_and_the_habit_cannot(cases, fitted):
    found = compare(judged(fitted.members, cases))

    gain, interval = found.gains[LOCAL]
    assert interval is not None
    assert Gain(*interval).low > 0
    assert gain == pytest.approx(
        found.scores[HABIT].log_loss - found.scores[LOCAL].log_loss
    )
    assert found.scores[LOCAL].agreement > 0.9 > found.scores[HABIT].agreement


def test_every_decision_is_judged_by_what_left_its_task_out(cases, fitted):
    judgements = judged(fitted.members, cases)
    by_fold = [c for out in range(5) for c in cases if fold(c.task) == out]

    assert len(judgements) == len(cases)
    for case, judgement in list(zip(by_fold, judgements, strict=True))[::10]:
        out = fold(case.task)
        row = scored(fitted.members[str(out)].net, [case], out)[0]
        best = case.options[int(row.argmax())]
        assert judgement.top(LOCAL) == best


def test_a_number_that_few_tasks_have_is_not_known(cases):
    tolds = [told(case) for case in cases]
    tasks = [case.task for case in cases]

    vocabulary = known(tolds, tasks)

    for number in vocabulary.words:
        having = {t for t, of in zip(tasks, tolds, strict=True) if number in of.words}
        assert len(having) >= 3  # a tenth of the thirty
    rare = {n for of in tolds for n in of.words.tolist()} - {*vocabulary.words.tolist()}
    assert rare


def test_a_fit_shows_its_network_after_each_pass(cases):
    tolds = [told(case) for case in cases]
    shown = []

    last = fit(cases, tolds, offering=5, seed=1, epochs=3, after=shown.append)
    two = fit(cases, tolds, offering=5, seed=1, epochs=2)

    assert len(shown) == 3
    assert np.array_equal(shown[1].marks.rows, two.marks.rows)
    assert np.array_equal(shown[2].marks.rows, last.marks.rows)


def test_passes_are_between_one_and_the_most_there_may_be(fitted):
    assert fitted.epochs.keys() == {*PLACES}
    assert all(1 <= epochs <= EPOCHS for epochs in fitted.epochs.values())


def test_training_leaves_jaxs_precision_as_it_was(fitted):
    assert fitted.members[ALL].net.marks.rows.dtype == np.float64
    assert jnp.zeros(1).dtype == jnp.float32
    assert not jax.config.jax_enable_x64
