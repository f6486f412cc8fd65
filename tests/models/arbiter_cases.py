"""Decisions drawn from an arbiter, and their arrays made by loops."""

from random import Random

import jax.numpy as jnp
import numpy as np

from stretto.episodes.tasks import N_FOLDS
from stretto.flow.case import Case, Features
from stretto.flow.judge import log_odds
from stretto.models.arbiter import Prior, Side
from stretto.models.cases import choices
from tests.models import newton

TRUE = (0.4, 0.8, 0.5, -0.3, 0.6, 0.9, 0.7)
"""The weights of two predicates; where there are others, all of theirs are 0.6."""


def drawn(seed, n, *, n_tasks=40, n_sites=5, n_options=4, n_weighed=2):
    """Cases drawn from an arbiter; some steps are not offered, some teach nothing."""
    random = Random(seed)
    right = [random.uniform(0.3, 0.9) for _ in range(n_sites)]
    return [
        one(random, right, random.randrange(2, n_options + 1), n_tasks, n_weighed)
        for _ in range(n)
    ]


def one(random, right, n_options, n_tasks, n_weighed):
    site, pick = random.randrange(len(right)), random.randrange(n_options)
    rows = [
        [random.gauss(-1, 1) for _ in range(3)]
        + [float(option == n_options - 1)]
        + [random.gauss(0, 1) for _ in range(n_weighed)]
        for option in range(n_options)
    ]
    weights = TRUE if n_weighed == 2 else (*TRUE[:4], *[0.6] * n_weighed, TRUE[-1])
    scores = [
        np.dot(weights, [*row, log_odds(right[site]) * (i == pick)])
        for i, row in enumerate(rows)
    ]
    p = newton.softmax(np.array(scores))
    actual = random.choices(range(n_options), p)[0]
    return Case(
        Features(
            f"site{site}",
            (*(f"o{i}" for i in range(n_options - 1)), "respond"),
            tuple(map(tuple, rows)),
            pick,
        ),
        group=random.randrange(n_tasks) * 7919,
        actual=None if random.random() < 0.05 else actual,
        fittable=random.random() < 0.95,
    )


def arrays(cases, n_weighed, *, by_fold=False):
    """The cases, and five sides: all of them on every case, or each without a fold."""
    data = choices(cases, 4 + n_weighed)
    trust = np.zeros((N_FOLDS, len(data.actual)))
    counted = np.zeros(trust.shape, bool)
    for fold in range(N_FOLDS):
        own = [c for c in cases if c.fittable and not (by_fold and c.fold == fold)]
        sites, agree, _ = newton.rates(own)
        for i, case in enumerate(cases):
            n, agreed, _ = sites.get(case.features.site, (0, 0, 0))
            trust[fold, i] = log_odds((agreed + 10 * agree) / (n + 10))
            learns = case.fittable and case.covered
            counted[fold, i] = learns and not (by_fold and case.fold == fold)
    prior = Prior(jnp.zeros((N_FOLDS, 5 + n_weighed)), jnp.ones(N_FOLDS))
    return data, Side(jnp.array(trust), jnp.array(counted), prior)
