"""Do probabilities mean what they say? Tenths, and the expected calibration error."""

from collections.abc import Iterable
from dataclasses import dataclass

N_BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """The decisions whose top probability lies in one tenth."""

    low: float
    """The tenth's lower edge."""
    decisions: int
    mean_p: float
    """The mean top probability; 0 where there are no decisions."""
    agreement: float
    """The share of decisions whose top option was the agent's step."""


def calibration(decisions: Iterable[tuple[float, bool]]) -> tuple[Bin, ...]:
    """
    The tenths of the top probability, all ten of them.

    Args:
        decisions: Each decision's top probability, and whether the agent took it.
    """
    sums = [[0, 0.0, 0] for _ in range(N_BINS)]
    for p, agreed in decisions:
        tenth = sums[min(N_BINS - 1, int(N_BINS * p))]
        tenth[0] += 1
        tenth[1] += p
        tenth[2] += agreed
    return tuple(
        Bin(i / N_BINS, int(n), total / n if n else 0.0, agreed / n if n else 0.0)
        for i, (n, total, agreed) in enumerate(sums)
    )


def expected_calibration_error(bins: Iterable[Bin]) -> float:
    """Σ (n_b / N) · |mean top probability − agreement|, 0 for no decisions."""
    bins = list(bins)
    n = sum(b.decisions for b in bins)
    if not n:
        return 0.0
    return sum(b.decisions * abs(b.mean_p - b.agreement) for b in bins) / n
