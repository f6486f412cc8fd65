import threading

import jax.numpy as jnp

from stretto.models.precision import float64


def test_arrays_are_float64_inside_and_float32_after():
    with float64():
        assert jnp.zeros(()).dtype == "float64"
    assert jnp.zeros(()).dtype == "float32"


def test_a_decorated_function_works_in_float64():
    assert float64()(jnp.zeros)(()).dtype == "float64"


def test_a_thread_started_inside_has_to_open_the_block_itself():
    found = []
    with float64():
        thread = threading.Thread(target=lambda: found.append(jnp.zeros(()).dtype))
        thread.start()
        thread.join()

    assert found == ["float32"]
