"""How long it takes to encode, to fit, to choose features, and to predict."""

import gzip
import json

import jax
import numpyro
import pytest
from numpyro import distributions as dist
from numpyro import handlers

from benchmarks.beside import beside
from benchmarks.synthetic import VOCAB_SIZE, episodes
from stretto.habit.backoff import fit_habit
from stretto.habit.concentration import grid
from stretto.habit.encode import encode
from stretto.habit.features import NO_FEATURES
from stretto.habit.prequential import prequential
from stretto.habit.reach import fit_reach
from stretto.habit.select import select
from tests.conftest import shared
from tests.habit import literal
from tests.habit.published import HABITS, sessions
from tests.habit.test_select import literal_selection

FITTED = {"alpha": 5.0, "vocab_size": VOCAB_SIZE}
OPTIONS = (0, 3, 5, 8, 13)


@pytest.fixture(scope="module")
def few():
    return episodes(750)


@pytest.fixture(scope="module")
def retail():
    return sessions(HABITS["retail"])


def parse_retail():
    """What reading the same sessions costs before anything is learned from them."""
    (file,) = HABITS["retail"].files
    with gzip.open(shared(file), "rt") as lines:
        text = list(lines)
    return lambda: [json.loads(line) for line in text]


def test_encoding_real_sessions_beside_parsing_them(benchmark, retail):
    beside(
        benchmark,
        lambda: [encode(e, retail.vocab, NO_FEATURES) for e in retail.used],
        baseline=parse_retail(),
        named="json.loads of the file's lines",
    )


def test_fitting_real_sessions_beside_parsing_them(benchmark, retail):
    encoded = retail.encoded
    beside(
        benchmark,
        lambda: fit_habit(encoded, alpha=5.0, vocab_size=retail.vocab.size),
        baseline=parse_retail(),
        named="json.loads of the file's lines",
    )


def test_fitting_a_habit_beside_the_literal_walk(benchmark, few):
    beside(
        benchmark,
        lambda: fit_habit(few, **FITTED),
        baseline=lambda: literal.fit(few, 2),
        named="the literal walk, without a top layer",
    )


def test_fitting_reach_beside_the_literal_walk(benchmark, few):
    beside(
        benchmark,
        lambda: fit_reach(few, {3, 8}, **FITTED),
        baseline=lambda: literal.fit_reach(few, {3, 8}, 2),
        named="the literal walk",
    )


def test_choosing_features_beside_the_literal_search(benchmark):
    read = sessions(HABITS["airline"])
    alpha = grid(prequential(read.encoded, read.vocab.size)).median
    beside(
        benchmark,
        lambda: select(read.used, read.vocab, alpha=alpha),
        baseline=lambda: literal_selection(read, alpha),
        named="the literal search",
    )


def test_a_live_prediction_beside_the_literal_walk(benchmark, few):
    habit = fit_habit(few, **FITTED)
    levels = literal.fit(few, 2)
    history = few[0].symbols[:9]
    beside(
        benchmark,
        lambda: habit.chance(history, OPTIONS),
        baseline=lambda: [
            literal.chance(levels, history, a, 5.0, VOCAB_SIZE) for a in OPTIONS
        ],
        named="the literal walk, without a top layer",
    )


def test_a_live_prediction_beside_numpyros_handlers(benchmark, few):
    habit = fit_habit(few, **FITTED)
    history = few[0].symbols[:9]
    probs = jax.numpy.asarray(habit.predict(history))

    def decide():
        return numpyro.sample("decide", dist.CategoricalProbs(probs))

    def handled():
        return handlers.trace(handlers.seed(decide, 7)).get_trace()

    handled()
    beside(
        benchmark,
        lambda: habit.chance(history, OPTIONS),
        baseline=handled,
        named="NumPyro's seed and trace, not compiled",
        bar=100,
    )
