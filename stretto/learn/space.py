"""What a search chooses among: a level for each site's threshold, and the decider."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from stretto.evaluate.setting import OFF, Setting
from stretto.flow.deciders.protocol import default_name
from stretto.flow.flow import Flow

LEVELS = (*(round(0.1 + 0.05 * level, 2) for level in range(18)), OFF)
"""The thresholds a site may have: 0.10 to 0.95, and off."""

SEEDS = ((0, 0.3), (-1, 0.3), (-1, 0.9))
"""Settings by hand, as a decider and one threshold everywhere."""


class Choice(NamedTuple):
    """A decider, and a level for every site."""

    decider: str
    levels: tuple[int, ...]
    """Places in `LEVELS`, by site."""


@dataclass(frozen=True, slots=True)
class Space:
    """The choices for one flow."""

    base: Setting
    """What the flow's own thresholds and promotions are."""
    sites: tuple[str, ...]
    deciders: tuple[str, ...]
    """The one the flow asks for first."""

    @classmethod
    def of(cls, flow: Flow) -> "Space":
        """Every site the flow may act at; its own decider, and the habit alone."""
        sites = tuple(sorted({*map(str, flow.sites.next), *flow.thresholds}))
        deciders = tuple(dict.fromkeys((default_name(flow), "habit")))
        return cls(Setting.of(flow), sites, deciders)

    @property
    def seeds(self) -> tuple[Choice, ...]:
        """The settings by hand."""
        found = (self.everywhere(self.deciders[i], theta) for i, theta in SEEDS)
        return tuple(dict.fromkeys(found))

    def everywhere(self, decider: str, threshold: float) -> Choice:
        """One threshold, of `LEVELS`, at every site."""
        return Choice(decider, (LEVELS.index(threshold),) * len(self.sites))

    def decoded(self, genes: Sequence[float]) -> Choice:
        """The choice of genes between 0 and 1: one for each site, then the decider."""
        *sites, who = genes
        top = len(LEVELS) - 1
        levels = tuple([min(top, int(len(LEVELS) * gene)) for gene in sites])
        place = min(len(self.deciders) - 1, int(len(self.deciders) * who))
        return Choice(self.deciders[place], levels)

    def encoded(self, choice: Choice) -> list[float]:
        """Genes that are decoded to the choice."""
        levels = [(level + 0.5) / len(LEVELS) for level in choice.levels]
        who = (self.deciders.index(choice.decider) + 0.5) / len(self.deciders)
        return [*levels, who]

    def thresholds(self, choice: Choice) -> Mapping[str, float]:
        """By site."""
        levels = [LEVELS[level] for level in choice.levels]
        return dict(zip(self.sites, levels, strict=True))

    def setting(self, choice: Choice) -> Setting:
        """The choice as replays take it; sites not promoted stay as they are."""
        return replace(self.base, thresholds=self.thresholds(choice))
