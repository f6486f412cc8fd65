"""The concentrations of several deployments, with a prior that is learned from all."""

import sys
from collections.abc import Mapping
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
from numpyro import distributions as dist
from numpyro.infer import MCMC, NUTS

from stretto import read
from stretto.episodes.vocabulary import Vocabulary
from stretto.habit.encode import encode
from stretto.habit.features import NO_FEATURES
from stretto.habit.prequential import prequential
from stretto.models.concentration import Evidence, evidence, log_evidence
from stretto.models.precision import float64


def counted(folder: Path) -> Evidence:
    """What the sessions of one deployment say about its concentration."""
    episodes = list(read([folder]))
    turns = [turn for episode in episodes for turn in episode.turns]
    vocab = Vocabulary.of(call.tool for turn in turns for call in turn.calls)
    encoded = [encode(episode, vocab, NO_FEATURES) for episode in episodes]
    return evidence(prequential(encoded, vocab.size))


def pooled(deployments: Mapping[str, Evidence]) -> None:
    """Each log α is Normal around a centre that the deployments share."""
    centre = numpyro.sample("centre", dist.Normal(0.0, 2.0))
    spread = numpyro.sample("spread", dist.HalfNormal(1.0))
    for name, data in deployments.items():
        apart = numpyro.sample(f"apart/{name}", dist.Normal())
        alpha = jnp.exp(centre + spread * apart)
        numpyro.deterministic(f"α/{name}", alpha)
        numpyro.factor(f"evidence/{name}", log_evidence(alpha, data))


with float64():
    deployments = {folder: counted(Path(folder)) for folder in sys.argv[1:]}
    chain = MCMC(
        NUTS(pooled, target_accept_prob=0.95),
        num_warmup=300,
        num_samples=1000,
        progress_bar=False,
    )
    chain.run(jax.random.key(0), deployments)
for name in deployments:
    low, median, high = np.quantile(chain.get_samples()[f"α/{name}"], [0.05, 0.5, 0.95])
    print(f"{name}: α {median:.1f} [{low:.1f}, {high:.1f}]")
