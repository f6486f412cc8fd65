"""Walks through flat graphs beside the settings' own replays: the same integers."""

from random import Random

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.evaluate.flat import Flat, Walkable, joined
from stretto.evaluate.growing import Grower
from stretto.evaluate.nodes import UNKNOWN
from stretto.evaluate.setting import Batch, Setting
from stretto.evaluate.sweep import Sweep
from stretto.models.spending import Spends, jax_spends, numpy_spends
from stretto.models.sweep import Incomplete, jax_walk, numpy_walk
from tests.evaluate.lessons import Lesson, steadily
from tests.evaluate.test_graph import drawn, sites
from tests.evaluate.test_spent import with_usage


def swept(seed: int, name: str, n_settings: int) -> tuple[Sweep, list[Setting]]:
    """A sweep that has grown for some random settings."""
    lesson = Lesson(seed, steady=seed % 2 == 0)
    measured = [*lesson.measured(3, n_orders=4), *lesson.named([steadily()])]
    measured = [with_usage(episode, Random(seed)) for episode in measured]
    chosen = drawn(lesson.flow, Random(seed), n_settings)
    return Sweep(Grower(lesson.flow, name), measured), chosen


@given(st.integers(0, 2**32), st.sampled_from(("habit", "reach")))
@settings(max_examples=40, deadline=None)
def test_numpys_walk_counts_what_settings_counted_as_the_graphs_grew(seed, name):
    sweep, chosen = swept(seed, name, 20)
    counted = sweep.counted(chosen)
    flat = sweep.flat()

    walkable = Walkable.of(flat)
    found = numpy_walk(walkable, walkable.levels(flat, Batch(chosen)))

    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, counted)


@pytest.mark.parametrize("tile", [2**21, 40])
def test_jaxs_walk_counts_what_numpys_does_tile_by_tile_or_at_once(tile):
    sweep, chosen = swept(4, "reach", 30)
    counted = sweep.counted(chosen)
    flat = sweep.flat()
    walkable = Walkable.of(flat)

    found = jax_walk(walkable, walkable.levels(flat, Batch(chosen)), tile=tile)

    assert flat.n_nodes > 10
    assert len(set(counted.sum(axis=1).tolist())) > 2
    np.testing.assert_array_equal(found, counted)
    assert not jax.config.jax_enable_x64


def assert_spent(found: Spends, sweep: Sweep, chosen: list[Setting]) -> None:
    """What was walked is what the graphs say, setting by setting."""
    for number, by in enumerate(sweep.spent(chosen)):
        each = by.prompt, by.completion, by.carried, by.again
        walked = found.prompt, found.completion, found.once, found.again
        for one, other in zip(walked, each, strict=True):
            assert one.dtype == np.int64
            np.testing.assert_array_equal(one[:, number], other)
        np.testing.assert_allclose(found.dollars[:, number], by.dollars, atol=1e-9)


@given(st.integers(0, 2**32), st.sampled_from(("habit", "reach")))
@settings(max_examples=20, deadline=None)
def test_numpys_walk_spends_what_settings_spend_in_the_graphs(seed, name):
    sweep, chosen = swept(seed, name, 12)
    sweep.counted(chosen)
    flat = sweep.flat()
    walkable = Walkable.of(flat)

    found = numpy_spends(walkable, walkable.levels(flat, Batch(chosen)))

    assert_spent(found, sweep, chosen)


@pytest.mark.parametrize("tile", [2**21, 40])
def test_jaxs_walk_spends_what_settings_spend_tile_by_tile_or_at_once(tile):
    sweep, chosen = swept(4, "reach", 30)
    sweep.counted(chosen)
    flat = sweep.flat()
    walkable = Walkable.of(flat)

    found = jax_spends(walkable, walkable.levels(flat, Batch(chosen)), tile=tile)

    assert (found.prompt > 0).any()
    assert (found.again != 0).any()
    assert_spent(found, sweep, chosen)


def test_what_fills_up_a_tile_takes_no_edge_of_its_own():
    sweep, _ = swept(4, "reach", 1)
    chosen = [Setting(2.0, {site: 0.0}) for site in sites(sweep.grower.flow)][:5]
    assert len(chosen) == 5
    counted = sweep.counted(chosen)
    flat = sweep.flat()
    walkable = Walkable.of(flat)

    found = jax_walk(walkable, walkable.levels(flat, Batch(chosen)))

    assert (flat.to == UNKNOWN).any()
    np.testing.assert_array_equal(found, counted)


@pytest.mark.parametrize("walk", [numpy_walk, jax_walk, numpy_spends, jax_spends])
def test_a_walk_off_the_edges_that_are_known_is_refused(walk):
    sweep, _ = swept(4, "reach", 1)
    sweep.counted([Setting(0.0)])
    flat = sweep.flat()
    walkable = Walkable.of(flat)

    with pytest.raises(Incomplete):
        walk(walkable, walkable.levels(flat, Batch([Setting(0.9)])))


@pytest.mark.parametrize("walk", [numpy_walk, jax_walk])
def test_no_setting_and_no_episode_are_walks_too(walk):
    sweep, chosen = swept(4, "reach", 4)
    sweep.counted(chosen)
    flat, empty = sweep.flat(), Flat.of([])
    for graphs, settings_, shape in (
        (flat, [], (0, 4)), (empty, chosen, (4, 0)), (empty, [], (0, 0)),
    ):  # fmt: skip
        walkable = Walkable.of(graphs)
        found = walk(walkable, walkable.levels(graphs, Batch(settings_)))
        assert (found.shape, found.dtype) == (shape, np.int64)


@pytest.mark.parametrize("walk", [numpy_spends, jax_spends])
def test_no_setting_and_no_episode_spend_nothing(walk):
    sweep, chosen = swept(4, "reach", 4)
    sweep.counted(chosen)
    flat, empty = sweep.flat(), Flat.of([])
    for graphs, settings_, shape in (
        (flat, [], (0, 4)), (empty, chosen, (4, 0)), (empty, [], (0, 0)),
    ):  # fmt: skip
        walkable = Walkable.of(graphs)
        found = walk(walkable, walkable.levels(graphs, Batch(settings_)))
        assert {each.shape for each in found} == {shape}


def test_no_float_is_compared_and_a_score_ties_with_its_own_threshold():
    sweep, _ = swept(4, "reach", 1)
    sweep.counted([Setting(0.0), Setting(2.0)])
    scores = sorted({s for graph in sweep.graphs for s in graph.nodes.score})
    chosen = [Setting(s) for s in scores]
    chosen += [Setting(float(np.nextafter(s, 2.0))) for s in scores]
    counted = sweep.counted(chosen)
    flat = sweep.flat()
    walkable = Walkable.of(flat)
    levels = walkable.levels(flat, Batch(chosen))

    assert levels.dtype == walkable.level.dtype == np.int32
    np.testing.assert_array_equal(numpy_walk(walkable, levels), counted)


def test_flat_graphs_joined_are_the_graphs_flattened_together():
    sweep, chosen = swept(6, "reach", 10)
    sweep.counted(chosen)
    graphs = [(graph.nodes, graph.is_counting) for graph in sweep.graphs]

    whole = joined([Flat.of(graphs[:1]), Flat.of(graphs[1:])])

    assert whole.sites == sweep.flat().sites
    for found, (nodes, _) in zip(whole.every(), graphs, strict=True):
        assert (found.first, found.adds, found.spent, found.site) == (
            nodes.first, nodes.adds, nodes.spent, nodes.site,
        )  # fmt: skip
        assert (found.score, found.order, found.came) == (
            nodes.score, nodes.order, nodes.came,
        )  # fmt: skip
        for one, other in (
            (found.make, nodes.make),
            (found.hand_back, nodes.hand_back),
        ):
            assert (one.to, one.adds, one.spent) == (other.to, other.adds, other.spent)
