"""What is counted in learning beside counts read straight off their definitions."""

import math
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest, read_manifest
from stretto.flow.wire import flow_json
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.traces.reader import read
from tests.conftest import shared
from tests.evaluate.sessions import MANIFEST, episodes
from tests.learn import literal

seeds = st.integers(0, 2**32)


def assert_learned_alike(
    training: list[Episode], manifest: Manifest, chosen: Settings
) -> dict:
    """The flow's file, which holds what the literal counts come to."""
    file = flow_json(learn(training, manifest, chosen).flow)
    alpha, fields = file["habit"]["base"]["alpha"], file["map"]["fields"]
    expected = literal.learn(
        training, manifest, fields, alpha, half_life=chosen.half_life
    )
    for part in ("vocab", "map", "group", "habit", "sites", "reach"):
        assert file[part] == expected[part], part
    if chosen.surprise is not None:
        gate = literal.gate(expected, training, alpha, chosen.surprise, chosen.window)
        found = file.get("surprise", {"threshold": None})["threshold"]
        assert found == gate or math.isclose(found, gate, rel_tol=1e-12)
    return file


@given(seeds, st.sampled_from((None, 1.0, 2.5)))
@settings(max_examples=40, deadline=None)
def test_the_counts_of_random_sessions_are_the_ones_defined(
    seed: int, half_life: float | None
):
    training = episodes(seed, 6)
    training += episodes(seed + 1, 1, unanswered=1.0)
    chosen = Settings(alpha=1.0, features=False, half_life=half_life)
    if literal.chosen(training):
        assert_learned_alike(training, MANIFEST, chosen)


@given(seeds, st.sampled_from((0.01, 0.5, 0.8, 1.0)), st.sampled_from((1, 2, 5)))
@settings(max_examples=20, deadline=None)
def test_the_gate_of_random_sessions_is_the_one_defined(
    seed: int, quantile: float, window: int
):
    training = episodes(seed, 8)
    chosen = Settings(alpha=1.0, features=False, surprise=quantile, window=window)
    if literal.chosen(training):
        assert_learned_alike(training, MANIFEST, chosen)


@pytest.mark.parametrize("n", [30, pytest.param(114, marks=pytest.mark.slow)])
def test_the_counts_of_retail_sessions_with_features_are_the_ones_defined(n: int):
    manifest = read_manifest(shared("manifests/retail.json"))
    path = shared(
        "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"
    )

    file = assert_learned_alike(
        list(islice(read([path]), n)), manifest, Settings(alpha=3.0, surprise=0.8)
    )

    assert file["map"]["fields"]
