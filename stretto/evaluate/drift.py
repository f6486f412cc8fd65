"""Has the agent changed since the flow was learned?"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import log
from typing import NamedTuple

from stretto.episodes.episode import Episode
from stretto.episodes.site import Site
from stretto.episodes.step import Outcome, Step, steps
from stretto.errors import StrettoError
from stretto.evaluate.alike import Cell, Parting, next_steps, parting
from stretto.evaluate.changepoints import MIN_BEFORE, Change, Prior, changes
from stretto.evaluate.forecast import Forecaster
from stretto.flow.flow import Flow
from stretto.habit.encode import encode

WINDOW = 10
"""The longest run of sessions that counts as recent."""


LEVEL = 0.05
"""How often sessions that go on alike may be said to part."""


class By(StrEnum):
    """What may say that the agent has changed."""

    SERIES = "series"
    """A change in one of the three series, as published."""
    STEPS = "steps"
    """Next steps that part."""
    ANY = "any"


class Series(StrEnum):
    """What is followed from session to session."""

    SURPRISE = "surprise"
    """Mean −ln p of the agent's steps under the habit, in nats."""
    DISAGREEMENT = "disagreement"
    """The share of steps whose likeliest action was not done."""
    NOVELTY = "novelty"
    """Of the steps after a tool, the share that no training session ever made."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A site whose surprise rose with a change."""

    site: Site
    before: float | None
    """Mean surprise in nats; None where the site is new."""
    after: float


@dataclass(frozen=True, slots=True)
class Alarm:
    """A change in one series."""

    series: Series
    start: int
    """The first session of the new run, from 0."""
    found: int
    """The session at which the change was found."""
    p: float
    before: float
    """The series' mean before the new run."""
    after: float
    """Its mean from there to where the change was found."""
    moved: tuple[Moved, ...]
    """The sites whose surprise rose: new ones first, then by how much."""


@dataclass(frozen=True, slots=True)
class Drift:
    """The series of sessions in order, and the alarms in them."""

    sessions: tuple[str, ...]
    values: dict[Series, tuple[float | None, ...]]
    """By session; None where it has no step that counts."""
    alarms: tuple[Alarm, ...]
    """By where they start, then by series."""
    parting: Parting | None
    """Where next steps part; None for fewer than 13 sessions that hold anything."""
    level: float
    """The largest p of a parting that is an alarm."""

    @property
    def has_parted(self) -> bool:
        """Whether next steps part further than those of sessions that go on alike."""
        return self.parting is not None and self.parting.p <= self.level

    def is_alarm(self, by: By) -> bool:
        """Whether what `by` asks says that the agent has changed."""
        in_series = by is not By.STEPS and bool(self.alarms)
        return in_series or (by is not By.SERIES and self.has_parted)


class _Seen(NamedTuple):
    """One session."""

    name: str
    values: dict[Series, float | None]
    sites: dict[Site, list[float]]
    """The surprise of each step that came after a call."""
    steps: Counter[Cell]


def drift(
    flow: Flow,
    episodes: Iterable[Episode],
    *,
    window: int = WINDOW,
    online: bool = False,
    level: float = LEVEL,
) -> Drift:
    """
    Where the agent's sessions part from those before, as the flow's habit sees them.

    Args:
        episodes: In the order they took place.
        window: The longest run of sessions that counts as recent.
        online: Takes the prior from the first ten sessions, which an alarm raised while
            sessions come in has to. By default it is from all of them.
        level: The share of sessions that go on alike for which next steps may be said
            to part.

    Raises:
        StrettoError: there are fewer than ten sessions.
    """
    watch = _Watch(flow)
    seen = [watch.session(episode) for episode in episodes]
    if len(seen) < MIN_BEFORE:
        raise StrettoError(
            f"drift needs {MIN_BEFORE} sessions, and there are {len(seen)}",
            hint="name more of them, in the order they took place",
        )
    alarms = [alarm for s in Series for alarm in _alarms(seen, s, window, online)]
    return Drift(
        tuple(session.name for session in seen),
        {s: tuple(session.values[s] for session in seen) for s in Series},
        tuple(sorted(alarms, key=lambda alarm: alarm.start)),
        _parting(seen),
        level,
    )


@dataclass(slots=True)
class _Watch:
    """A flow's habit beside sessions."""

    flow: Flow
    habit: Forecaster = field(init=False)

    def __post_init__(self) -> None:
        self.habit = Forecaster.grouped(self.flow.habit)

    def session(self, episode: Episode) -> _Seen:
        encoded = encode(episode, self.flow.vocab, self.flow.map)
        known = self.flow.habit.base.levels[0].get(())
        counts = {} if known is None else known.by_action
        surprise: list[float] = []
        missed: list[float] = []
        new: list[float] = []
        sites: dict[Site, list[float]] = defaultdict(list)
        before: Step | None = None
        walk = steps(episode.events)
        for step, forecast in zip(walk, self.habit.steps(encoded), strict=True):
            surprise.append(-log(forecast.p_actual))
            missed.append(not forecast.hit)
            if before is not None and before.tool is not None:
                failed = before.outcome is Outcome.ERROR
                sites[Site(before.tool, failed)].append(surprise[-1])
                new.append(not counts.get(forecast.actual))
            before = step
        means = [_mean(surprise), _mean(missed), _mean(new)]
        values = dict(zip(Series, means, strict=True))
        return _Seen(episode.id, values, dict(sites), next_steps(episode))


def _parting(seen: Sequence[_Seen]) -> Parting | None:
    """Where the next steps of the sessions that hold any part."""
    places = [place for place, session in enumerate(seen) if session.steps]
    found = parting([seen[place].steps for place in places])
    return found and replace(found, start=places[found.start])


def _alarms(
    seen: Sequence[_Seen], series: Series, window: int, online: bool
) -> list[Alarm]:
    known = [
        (place, value)
        for place, session in enumerate(seen)
        if (value := session.values[series]) is not None
    ]
    values = [value for _, value in known]
    prior = Prior.of(values[:MIN_BEFORE]) if online and values else None
    return [
        _alarm(seen, series, known, change)
        for change in changes(values, window=window, prior=prior)
    ]


def _alarm(
    seen: Sequence[_Seen],
    series: Series,
    known: Sequence[tuple[int, float]],
    change: Change,
) -> Alarm:
    start, found = known[change.start][0], known[change.found][0]
    return Alarm(
        series,
        start,
        found,
        change.p,
        _mean([value for _, value in known[: change.start]]) or 0.0,
        _mean([value for _, value in known[change.start : change.found + 1]]) or 0.0,
        tuple(_moved(seen[:start], seen[start : found + 1])),
    )


def _moved(before: Sequence[_Seen], after: Sequence[_Seen]) -> list[Moved]:
    then, now = _by_site(before), _by_site(after)
    moved = [
        Moved(site, then.get(site), mean)
        for site, mean in now.items()
        if site not in then or mean > then[site]
    ]
    return sorted(
        moved, key=lambda m: (m.before is not None, (m.before or 0) - m.after)
    )


def _by_site(seen: Sequence[_Seen]) -> dict[Site, float]:
    """The mean surprise at each site."""
    found: dict[Site, list[float]] = defaultdict(list)
    for session in seen:
        for site, surprises in session.sites.items():
            found[site] += surprises
    return {site: sum(of) / len(of) for site, of in sorted(found.items())}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
