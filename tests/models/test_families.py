"""A flow's families as NumPyro distributions."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import pytest
from numpyro.contrib.control_flow import scan

from stretto.flow.run import predictives
from stretto.models.families import Decide, Outcome, tables
from stretto.models.precision import float64
from tests.toys import TOY, taught

FLOW = taught(TOY).flow


@pytest.fixture(scope="module")
def found():
    """The toy flow's tables, in the precision a user's model has by default."""
    return tables(FLOW)


def test_the_tables_are_the_flows_predictives(found):
    expected = predictives(FLOW)
    assert found.names == ("respond", "find", "get", "cancel")
    for number in range(5):
        for failed in (False, True):
            log_p = [expected.decide(number, failed).log_prob(n) for n in range(5)]
            row = np.asarray(found.log_p)[number, int(failed)]
            assert list(row) == pytest.approx(log_p, rel=1e-6)
        p_ok = float(np.asarray(found.p_ok)[number])
        assert p_ok == pytest.approx(expected.outcome(number).p, rel=1e-6)


def test_the_tables_are_as_precise_as_jax_is_set_to(found):
    assert found.log_p.dtype == jnp.float32
    with float64():
        assert tables(FLOW).p_ok.dtype == jnp.float64


def test_whole_arrays_of_calls_are_decided_at_once(found):
    prev, failed = jnp.array([2, 1, 0]), jnp.array([False, False, True])

    log_p = jax.jit(lambda t: t.decide(prev, failed).log_prob(jnp.array([2, 0, 2])))

    assert np.exp(log_p(found)) == pytest.approx([2 / 5, 1 / 4, 0])


@pytest.mark.slow
def test_draws_come_up_as_often_as_they_should(found):
    drawn = found.decide(jnp.array(2), jnp.array(False)).sample(
        jax.random.key(0), (4000,)
    )
    went = found.outcome(jnp.array([2])).sample(jax.random.key(1), (4000,))

    assert (drawn.dtype, went.dtype) == (jnp.int32, jnp.bool_)
    assert np.bincount(drawn, minlength=5) / 4000 == pytest.approx(
        [0.6, 0, 0.4, 0, 0], abs=0.03
    )
    assert float(went.mean()) == pytest.approx(0.8, abs=0.03)


def test_a_row_may_be_changed_and_differentiated(found):
    def log_p(by):
        row = found.row(jnp.array([2]), jnp.array([False])).at[:, 0].add(-by)
        return Decide(jax.nn.log_softmax(row)).log_prob(jnp.array([2]))[0]

    slope = jax.grad(log_p)(0.0)

    assert float(slope) == pytest.approx(3 / 5)


@pytest.mark.slow
def test_the_distributions_go_through_a_scan(found):
    """A table kept as a leaf would be copied to every step, and break here."""

    def model(n):
        def step(prev, _):
            d = numpyro.sample("d", found.decide(prev, jnp.array(False)))
            ok = numpyro.sample("ok", found.outcome(d))
            return d.astype(prev.dtype), ok

        return scan(step, jnp.array(1, dtype=jnp.int32), None, length=n)

    trace = numpyro.handlers.trace(
        numpyro.handlers.seed(model, jax.random.key(0))
    ).get_trace(4)

    assert trace["d"]["value"].shape == (4,)
    assert trace["d"]["fn"].row.shape == (4, 5)
    assert trace["d"]["fn"].log_prob(trace["d"]["value"]).shape == (4,)


def test_shapes_broadcast():
    row = jnp.log(jnp.array([[0.25, 0.75], [0.5, 0.5]]))

    assert Decide(row).batch_shape == (2,)
    assert Decide(row).log_prob(jnp.array([[0, 1], [1, 1], [0, 0]])).shape == (3, 2)
    assert Outcome(jnp.array([0.25, 0.5])).log_prob(jnp.array(True)).shape == (2,)
