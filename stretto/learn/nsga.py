"""pymoo's NSGA-II over a search's choices."""

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.duplicate import ElementwiseDuplicateElimination
from pymoo.core.individual import Individual
from pymoo.core.problem import Problem
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.optimize import minimize

from stretto.learn.search import Scorer
from stretto.learn.space import Space


def by_nsga(
    scorer: Scorer, *, population: int = 64, generations: int = 40, seed: int = 25
) -> None:
    """
    Score the choices of an evolutionary search for the whole front. [Deb et al. 2002]

    It begins with the settings by hand, the rest drawn uniformly. Genes that are
    decoded to the same choice are one individual.

    Args:
        population: At least as many as there are settings by hand.
        generations: The first counts.
        seed: The same seed gives the same search.
    """
    space = scorer.space
    seeds = np.array([space.encoded(choice) for choice in space.seeds])
    n = max(population, len(seeds), 2)
    rest = np.random.default_rng(seed).random((n - len(seeds), seeds.shape[1]))
    algorithm = NSGA2(
        pop_size=n,
        sampling=np.concatenate([seeds, rest]),
        crossover=SBX(eta=15),
        mutation=PM(eta=20),
        eliminate_duplicates=_SameChoice(space),
    )
    minimize(_Sweep(scorer), algorithm, ("n_gen", generations), seed=seed)


class _Sweep(Problem):
    def __init__(self, scorer: Scorer) -> None:
        super().__init__(n_var=len(scorer.space.sites) + 1, n_obj=2, xl=0.0, xu=1.0)
        self.scorer = scorer

    def _evaluate(
        self,
        genes: NDArray[np.float64],
        out: dict[str, object],
        *_: object,
        **__: object,
    ) -> None:
        scored = self.scorer.score(map(self.scorer.space.decoded, genes.tolist()))
        out["F"] = np.array([(-s.turns_saved, s.detours) for s in scored], float)


class _SameChoice(ElementwiseDuplicateElimination):
    def __init__(self, space: Space) -> None:
        super().__init__()
        self.space = space

    def is_equal(self, one: Individual, other: Individual) -> bool:
        """Whether two individuals are the same choice."""
        return self.space.decoded(one.X.tolist()) == self.space.decoded(
            other.X.tolist()
        )
