"""A flow run as a stochastic policy: would sessions like these come from it?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from stretto.evaluate.decisions import Scored

N_RUNS = 1000
SEED = 0


@dataclass(frozen=True, slots=True)
class OptionSpread:
    """How often an option was taken at a site: by the agents, and in simulated runs."""

    site: str
    option: str
    recorded: int
    mean: float
    low: float
    """The 5% point of the simulated runs."""
    high: float
    """The 95% point."""

    @property
    def within(self) -> bool:
        """Whether the record lies between the two points."""
        return self.low <= self.recorded <= self.high


@dataclass(frozen=True, slots=True)
class Simulation:
    """A flow's decisions at the recorded sites, drawn from its probabilities."""

    decisions: int
    runs: int
    seed: int
    log_p: float
    """Of the recorded steps, in nats."""
    log_p_runs: tuple[float, ...]
    """Of each simulated run, scored as the record is."""
    options: tuple[OptionSpread, ...]
    """By site, most decided first, then by option."""

    @property
    def tail(self) -> float:
        """The share of runs no likelier than the record: near 0, it is surprising."""
        if not self.runs:
            return 1.0
        return sum(p <= self.log_p for p in self.log_p_runs) / self.runs


def simulate(
    decisions: Iterable[Scored], *, runs: int = N_RUNS, seed: int = SEED
) -> Simulation:
    """
    The recorded decisions beside `runs` draws of each from the flow's probabilities.

    The draws are made at the recorded histories: each decision is drawn as if the
    agent had acted as recorded up to it.
    """
    groups: dict[str, list[Scored]] = {}
    for decision in decisions:
        groups.setdefault(str(decision.site), []).append(decision)
    generator = np.random.default_rng(seed)
    totals = np.zeros(runs)
    spreads: list[OptionSpread] = []
    recorded = 0.0
    for site, scored in sorted(groups.items(), key=lambda g: (-len(g[1]), g[0])):
        counts: dict[str, np.ndarray] = {}
        for decision in scored:
            recorded += decision.log_p
            names = list(decision.probabilities)
            p = np.fromiter(decision.probabilities.values(), float)
            drawn = generator.choice(len(names), size=runs, p=p / p.sum())
            totals += np.log(p)[drawn]
            for index, name in enumerate(names):
                counts.setdefault(name, np.zeros(runs))
                counts[name] += drawn == index
        spreads += _spreads(site, scored, counts)
    n = sum(map(len, groups.values()))
    return Simulation(n, runs, seed, recorded, tuple(totals.tolist()), tuple(spreads))


def _spreads(
    site: str, scored: list[Scored], counts: Mapping[str, np.ndarray]
) -> Iterable[OptionSpread]:
    for option, drawn in sorted(counts.items()):
        low, high = np.quantile(drawn, [0.05, 0.95])
        recorded = sum(decision.actual == option for decision in scored)
        mean = float(drawn.mean())
        if recorded or mean >= 0.5:
            yield OptionSpread(site, option, recorded, mean, float(low), float(high))
