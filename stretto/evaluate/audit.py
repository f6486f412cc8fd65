"""How well a flow's probabilities fit recorded sessions, before it is trusted."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stretto.episodes.episode import Episode
from stretto.evaluate.calibration import (
    Bin,
    calibration,
    expected_calibration_error,
)
from stretto.evaluate.decisions import Scored, decisions
from stretto.flow.deciders.decider import decider as decider_of
from stretto.flow.deciders.protocol import Decider, default_name
from stretto.flow.decision import NO_ANSWER, Reason
from stretto.flow.flow import Flow
from stretto.oracle.oracle import Oracle

N_SURPRISING = 10
"""How many of the most surprising episodes an audit names."""


@dataclass(frozen=True, slots=True)
class SiteFit:
    """The decisions at one site."""

    site: str
    decisions: int
    agreement: float
    mean_log_p: float
    """In nats a decision."""


@dataclass(frozen=True, slots=True)
class EpisodeFit:
    """The decisions of one episode."""

    episode: str
    task: str
    decisions: int
    mean_log_p: float
    """In nats a decision."""


@dataclass(frozen=True, slots=True)
class Audit:
    """A flow's fit to recorded sessions. Log probabilities are in nats."""

    domain: str
    decider: str
    served_by: str
    """The decider the flow is served with when none is named."""
    episodes: int
    decisions: int
    log_p: float
    """Of all the agents' own steps together: at most 0."""
    agreement: float
    """The share of decisions whose likeliest option is what the agent did."""
    expected_agreement: float
    """The mean probability of the agent's step."""
    ece: float
    offered: int
    """The decisions whose step was among the site's own options."""
    log_p_offered: float
    """As `log_p`, over those alone."""
    log_p_among: float
    """Over those alone, and among the site's own options: without `other`."""
    skipped: Mapping[Reason, int]
    """The points where the flow hands back before weighing anything, by reason."""
    calibration: tuple[Bin, ...]
    sites: tuple[SiteFit, ...]
    """By decisions, most first, then by name."""
    surprising: tuple[EpisodeFit, ...]
    """The episodes of the lowest mean log probability, lowest first."""

    @property
    def unanswered(self) -> int:
        """The decisions that a System-One model had no answer for."""
        return sum(n for code, n in self.skipped.items() if code in NO_ANSWER)

    @property
    def mean_log_p(self) -> float:
        """Per decision; 0 where there are none."""
        return self.log_p / self.decisions if self.decisions else 0.0

    @property
    def mean_log_p_offered(self) -> float:
        """Per decision whose step was on offer; 0 where there are none."""
        return self.log_p_offered / self.offered if self.offered else 0.0

    @property
    def mean_log_p_among(self) -> float:
        """The same without `other`; 0 where there are none."""
        return self.log_p_among / self.offered if self.offered else 0.0


@dataclass(slots=True)
class _Tally:
    """Running sums, so that an audit holds no episode longer than it scores it."""

    scored: int = 0
    agreed: int = 0
    log_p: float = 0.0
    p: float = 0.0

    def add(self, decision: Scored) -> None:
        self.scored += 1
        self.agreed += decision.agreed
        self.log_p += decision.log_p
        self.p += decision.p_actual


@dataclass(slots=True)
class _Sums:
    total: _Tally = field(default_factory=_Tally)
    offered: _Tally = field(default_factory=_Tally)
    log_p_among: float = 0.0
    sites: dict[str, _Tally] = field(default_factory=lambda: defaultdict(_Tally))
    tops: list[tuple[float, bool]] = field(default_factory=list)
    skipped: Counter[Reason] = field(default_factory=Counter)

    def add(self, point: Scored | Reason) -> None:
        if isinstance(point, Reason):
            self.skipped[point] += 1
            return
        self.total.add(point)
        self.sites[str(point.site)].add(point)
        if point.offered:
            self.offered.add(point)
            self.log_p_among += point.log_p_among
        self.tops.append((point.probabilities[point.top], point.agreed))


def audit(
    flow: Flow,
    episodes: Iterable[Episode],
    *,
    decider: str | Decider | None = None,
    oracle: Oracle | None = None,
) -> Audit:
    """
    The fit of a flow's probabilities to what the agents of `episodes` did.

    Args:
        decider: Whose probabilities, or the name of whose; by default the arbiter's,
            or the habit's in a flow without one.
        oracle: Whom to ask, where the decider asks.

    Raises:
        UnknownPlugin: no installed package provides that decider.
        CannotDecide: the flow does not hold what the decider needs.
    """
    if decider is None or isinstance(decider, str):
        decider = decider_of(flow, decider or audited_by(flow))
    sums, fits = _Sums(), []
    n_episodes = 0
    for episode in episodes:
        n_episodes += 1
        points = list(decisions(flow, decider, episode, oracle=oracle))
        for point in points:
            sums.add(point)
        scored = [point for point in points if isinstance(point, Scored)]
        if scored:
            fits.append(_episode_fit(episode, scored))
    return _audit(flow, decider, n_episodes, sums, fits)


def audited_by(flow: Flow) -> str:
    """Whose probabilities are audited where nobody is named."""
    return "arbiter" if flow.folds else "habit"


def _episode_fit(episode: Episode, scored: Sequence[Scored]) -> EpisodeFit:
    mean = sum(decision.log_p for decision in scored) / len(scored)
    return EpisodeFit(episode.id, episode.task, len(scored), mean)


def _audit(
    flow: Flow, decider: Decider, episodes: int, sums: _Sums, fits: list[EpisodeFit]
) -> Audit:
    total = sums.total
    n = max(total.scored, 1)
    bins = calibration(sums.tops)
    sites = [
        SiteFit(name, t.scored, t.agreed / t.scored, t.log_p / t.scored)
        for name, t in sums.sites.items()
    ]
    return Audit(
        domain=flow.manifest.domain,
        decider=decider.name,
        served_by=default_name(flow),
        episodes=episodes,
        decisions=total.scored,
        log_p=total.log_p,
        agreement=total.agreed / n,
        expected_agreement=total.p / n,
        ece=expected_calibration_error(bins),
        offered=sums.offered.scored,
        log_p_offered=sums.offered.log_p,
        log_p_among=sums.log_p_among,
        skipped=dict(sorted(sums.skipped.items())),
        calibration=bins,
        sites=tuple(sorted(sites, key=lambda s: (-s.decisions, s.site))),
        surprising=tuple(sorted(fits, key=lambda f: f.mean_log_p)[:N_SURPRISING]),
    )
