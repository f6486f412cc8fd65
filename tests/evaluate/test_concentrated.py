from dataclasses import replace

import numpy as np
import pytest

from stretto.evaluate.concentrated import Savings, concentrated, savings
from stretto.evaluate.replay import replay
from stretto.evaluate.setting import Setting
from stretto.habit.concentration import equally_likely, grid, quantiles
from stretto.habit.encode import encode
from stretto.habit.prequential import prequential
from tests.toys import TOY, taught, walked

LATER = (*TOY, walked("E3", "rfcR"), walked("E4", "fggR"))
ALPHAS = (0.01, 1.0, 100.0)


def test_a_flow_at_another_concentration_is_the_flow_learned_with_it() -> None:
    flow = taught(TOY).flow

    for alpha in ALPHAS:
        assert concentrated(flow, alpha) == taught(TOY, alpha=alpha).flow


def test_a_flow_without_reach_counts_has_none_at_any_concentration() -> None:
    assert concentrated(replace(taught(TOY).flow, reach=None), 2.0).reach is None


@pytest.mark.parametrize("decider", ["habit", "reach"])
def test_each_saving_is_that_of_a_replay_of_the_flow_learned_with_it(
    decider: str,
) -> None:
    thresholds = (0.2, 0.6)

    found = savings(
        taught(TOY).flow, LATER, ALPHAS, [*map(Setting, thresholds)], decider=decider
    )

    expected = [
        [
            [
                row.turns_saved
                for row in replay(
                    taught(TOY, alpha=a).flow, LATER, decider=decider, threshold=t
                )
            ]
            for t in thresholds
        ]
        for a in ALPHAS
    ]
    np.testing.assert_array_equal(found.saved, expected)
    rows = replay(taught(TOY).flow, LATER)
    assert found.turns.tolist() == [row.turns for row in rows]
    assert not np.array_equal(found.saved[0], found.saved[-1])


def test_the_interval_is_over_concentrations_and_no_share_is_mixed_in() -> None:
    saved = np.array([[[1, 1], [0, 0]], [[2, 2], [0, 0]], [[1, 1], [4, 4]]])
    found = Savings(np.array([5, 5]), saved)

    assert found.share().tolist() == [0.2, 0.4, 0.2]
    low, high = found.interval(1)
    assert (low, high) == (0.0, pytest.approx(0.95 * 0.8))


def test_sessions_without_a_turn_save_nothing() -> None:
    found = savings(taught(TOY).flow, [], ALPHAS)

    assert found.share().tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("alphas", [(), (1.0, 0.0), (float("nan"),), (float("inf"),)])
def test_what_is_no_concentration_is_refused(alphas: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="numbers above 0"):
        savings(taught(TOY).flow, TOY, alphas)


def test_equally_likely_values_are_the_posteriors_quantiles() -> None:
    flow = taught(TOY).flow
    data = prequential([encode(e, flow.vocab, flow.map) for e in TOY], flow.vocab.size)
    posterior = grid(data)

    assert equally_likely(data, 1) == [posterior.median]
    ten = equally_likely(data, 10)
    assert ten[0] == posterior.low
    assert ten[-1] == posterior.high
    assert ten == sorted(ten)
    assert quantiles(data, [0.5]) == [posterior.median]
