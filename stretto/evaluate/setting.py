"""A setting: where a flow may act, and how sure of a lookup it has to be there."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from stretto.flow.decide import THRESHOLD
from stretto.flow.flow import Bar, Flow, Promotion, SiteRecord
from stretto.flow.options import MAX_THRESHOLD

OFF = 2.0
"""The threshold of a site that is switched off."""


@dataclass(frozen=True, slots=True)
class Setting:
    """
    What a replay can be told without learning anything anew.

    Raises:
        ValueError: a threshold is no number.
    """

    threshold: float = THRESHOLD
    """As `decide` takes it: in force at the sites that have none of their own."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """By site; above 1 switches the flow off there."""
    promoted: frozenset[str] | None = None
    """The sites the flow may act at; None for every one."""

    def __post_init__(self) -> None:
        for threshold in (self.threshold, *self.thresholds.values()):
            if math.isnan(threshold):
                raise ValueError("a threshold is no number")

    @classmethod
    def of(cls, flow: Flow, threshold: float = THRESHOLD) -> "Setting":
        """That of a flow as it stands, served at a threshold."""
        promoted = None
        if flow.promoted is not None:
            sites = flow.promoted.sites.items()
            promoted = frozenset(site for site, record in sites if record.promoted)
        return cls(threshold, dict(flow.thresholds), promoted)

    def at(self, site: str) -> float:
        """The least score that is acted on at a site; infinite where none is."""
        if self.promoted is not None and site not in self.promoted:
            return math.inf
        own = self.thresholds.get(site)
        if own is None:
            return self.threshold
        return math.inf if own > MAX_THRESHOLD else own

    def applied(self, flow: Flow) -> Flow:
        """The flow with this setting's sites and thresholds for its own."""
        promoted = None
        if self.promoted is not None:
            record = SiteRecord(0, 0, 0, 0, 0.0, True)
            promoted = Promotion(Bar(), dict.fromkeys(self.promoted, record))
        return replace(flow, thresholds=dict(self.thresholds), promoted=promoted)


def open_flow(flow: Flow) -> Flow:
    """The flow free to act at every site, whatever it holds of settings."""
    return Setting().applied(flow)


class Batch:
    """Settings that are replayed together."""

    def __init__(self, settings: Sequence[Setting]) -> None:
        self.settings = tuple(settings)
        self._at: dict[str, NDArray[np.float64]] = {}

    def at(self, site: str) -> NDArray[np.float64]:
        """By setting: the least score it acts on at a site."""
        found = self._at.get(site)
        if found is None:
            least = [setting.at(site) for setting in self.settings]
            found = self._at[site] = np.array(least, np.float64)
        return found


class Floors:
    """By site: the least score that any setting so far acts on."""

    def __init__(self) -> None:
        self.known: dict[str, float] = {}
        """Those of the sites that came up."""
        self._batch = Batch(())

    def admit(self, batch: Batch) -> bool:
        """Whether what was built on the floors so far holds for these settings too."""
        self._batch = batch
        low = [s for s, floor in self.known.items() if self._lowest(s) < floor]
        if low:
            self.known.clear()
        return not low

    def at(self, site: str) -> float:
        """The floor of a site; infinite where no setting acts."""
        floor = self.known.get(site)
        if floor is None:
            floor = self.known[site] = self._lowest(site)
        return floor

    def _lowest(self, site: str) -> float:
        return float(np.min(self._batch.at(site), initial=math.inf))
