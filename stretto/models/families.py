"""
A flow's two families as NumPyro distributions, for models of one's own.

`tables` reads them off a flow; inside a model, `decide` and `outcome` give the
distribution after each call. Indexing works on arrays and under `jit`.
"""

import jax
import jax.numpy as jnp
import numpy as np
from equinox import Module
from jax import random
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray
from numpyro import distributions as dist
from numpyro.distributions import constraints

from stretto.flow.flow import Flow
from stretto.flow.run import families, numbers
