"""What `benchmarks.deciders` measures, and the rows of its tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stretto.evaluate.paired import Estimate, Sums
from stretto.evaluate.rows import Totals
from stretto.evaluate.setting import OFF
from stretto.flow.decide import THRESHOLD

HABIT = "habit"
THRESHOLDS = tuple(round(0.05 + 0.01 * place, 2) for place in range(91))
"""Those a threshold is chosen among: 0.05 to 0.95."""

STEP = ("agreement", "log loss", "log loss offered", "ECE")
TURNS = ("turns saved", "share saved", "lookups", "detours")
SHARES = {"agreement", "share saved"}
COUNTS = {"turns saved", "lookups", "detours"}
MORE_IS_BETTER = {"agreement", "turns saved", "share saved"}


@dataclass(frozen=True, slots=True)
class Case:
    """What is learned from, and what is measured on."""

    domain: str
    agent: str = ""
    """The agent left out and measured on; empty for the split of tasks alone."""

    def __str__(self) -> str:
        return f"{self.domain}, {self.agent} never seen" if self.agent else self.domain


@dataclass(frozen=True, slots=True)
class Measured:
    """One decider on the test sessions."""

    first: Sums
    """At the threshold 0.3."""
    threshold: float
    """The one chosen on training tasks."""
    chosen: Sums
    """At that."""
    every: Mapping[float, Totals]
    """By threshold: what the sessions come to."""

    def at(self, is_chosen: bool) -> tuple[float, Sums]:
        """A threshold, and the sums at it."""
        return (self.threshold, self.chosen) if is_chosen else (THRESHOLD, self.first)


@dataclass(frozen=True, slots=True)
class Found:
    """A case, measured."""

    case: Case
    learned: int
    """The sessions of the training tasks, failures included."""
    learned_tasks: int
    succeeded: int
    """Those of them that the habit is learned from."""
    cases: int
    """The decisions the arbiter with `local` was fitted on."""
    sessions: int
    """Those measured on."""
    tasks: int
    deciders: Mapping[str, Measured]
    """The habit first."""

    def beyond(self, name: str, measure: str, *, is_chosen: bool = False) -> Estimate:
        """How much larger a decider's measure is than the habit's, of its kind."""
        _, sums = self.deciders[name].at(is_chosen)
        _, habit = self.deciders[HABIT].at(is_chosen)
        return sums.beyond(habit, measure)


def within(at: Mapping[float, Totals], allowed: int) -> float:
    """
    The threshold that saves the most turns with no more than so many detours.

    Of equals that of the fewest detours, and then the highest; off where there is none.
    """
    may = [
        (t.turns_saved, -t.detours, v) for v, t in at.items() if t.detours <= allowed
    ]
    return max(may)[2] if may else OFF


def rows(
    found: Found, measures: Sequence[str], *, is_chosen: bool = False
) -> Iterator[list[str]]:
    """Each decider's measures, and then each one's beyond the habit's."""
    for name, measured in found.deciders.items():
        _, sums = measured.at(is_chosen)
        yield [name, *(spelled(sums.estimate(m), m) for m in measures)]
    for name in found.deciders:
        if name != HABIT:
            beyond = [found.beyond(name, m, is_chosen=is_chosen) for m in measures]
            cells = map(lambda e, m: spelled(e, m, sign="+"), beyond, measures)
            yield [f"{name} − {HABIT}", *cells]


def spelled(estimate: Estimate, measure: str, *, sign: str = "") -> str:
    """A value and its interval, in the measure's own digits."""

    def one(value: float) -> str:
        if measure in SHARES:
            text = f"{100 * value:{sign}.1f}"
        else:
            text = f"{value:{sign},.0f}" if measure in COUNTS else f"{value:{sign}.3f}"
        return text if text.strip("+-0.") else text.lstrip("+-")

    unit = "%" if measure in SHARES and not sign else ""
    value = (one(estimate.value) + unit).replace("-", "−")
    if (interval := estimate.interval) is None:
        return value
    low, high = (one(bound).replace("-", "−") for bound in interval)
    return f"{value} [{low}, {high}]"


def verdict(found: Sequence[Found], name: str, measure: str, *, is_chosen: bool) -> str:
    """In how many cases a decider is better than the habit, and in how many worse."""
    better = worse = 0
    for one in found:
        interval = one.beyond(name, measure, is_chosen=is_chosen).interval
        if interval is not None:
            above, below = interval.low > 0, interval.high < 0
            is_more_better = measure in MORE_IS_BETTER
            better += above if is_more_better else below
            worse += below if is_more_better else above
    return f"{better} · {worse}"
