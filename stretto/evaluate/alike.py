"""
Do an agent's sessions go on alike? A permutation test of where its next steps part.

At every site the steps of the sessions before a place and of those since are draws from
one distribution, or from two; the evidence is the Dirichlet-multinomial Bayes factor of
two against one, summed over sites. [Jeffreys' prior: one half for each next step]
Sessions that go on alike could stand in any order, so that how often a shuffled order
parts as far is a p-value, whatever steps of one session have to do with each other.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lgamma
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stretto.episodes.episode import Episode
from stretto.episodes.site import Site
from stretto.episodes.step import Outcome, steps
from stretto.evaluate.changepoints import MIN_BEFORE, MIN_RUN

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]

N_ORDERS = 999
"""How many shuffled orders the sessions' own is held against."""

SEED = 0
"""What the orders are drawn from."""

MAX_PLACES = 256
"""How many places are tried, evenly apart."""

_TINY = 1e-12
"""What the spread is at least, where every order is as every other."""


class Cell(NamedTuple):
    """A next step at a site."""

    site: Site | None
    """None after the user's words."""
    action: str | None
    """The tool called; None for a message."""


class Parted(NamedTuple):
    """A next step whose share changed."""

    site: Site | None
    action: str | None
    before: float
    since: float
    nats: float
    """The site's evidence of a change, as the log of a Bayes factor."""


@dataclass(frozen=True, slots=True)
class Parting:
    """The place in the sessions' order where next steps part furthest."""

    start: int
    """The first session since, from 0."""
    p: float
    """The share of orders that part as far somewhere, the sessions' own among them."""
    parted: tuple[Parted, ...]
    """
    Of each site with evidence of a change, the next step that changed most; the
    strongest evidence first.
    """


def next_steps(episode: Episode) -> Counter[Cell]:
    """How often each next step was made."""
    site: Site | None = None
    found: Counter[Cell] = Counter()
    for step in steps(episode.events):
        found[Cell(site, step.tool)] += 1
        failed = step.outcome is Outcome.ERROR
        site = None if step.tool is None else Site(step.tool, failed)
    return found


def parting(
    sessions: Sequence[Counter[Cell]], *, orders: int = N_ORDERS, seed: int = SEED
) -> Parting | None:
    """
    Where an agent's sessions part, and how often ones that go on alike part as far.

    Args:
        sessions: Their next steps, in the order they took place. At least ten come
            before the place, and three from it on.
        orders: How many shuffled orders; p is at least 1 / (orders + 1).

    Returns:
        None for fewer sessions than that.
    """
    if len(sessions) < MIN_BEFORE + MIN_RUN:
        return None
    counts = _Counts.of(sessions)
    places = _places(len(sessions))
    tried = _orders(len(sessions), orders, seed)
    evidence = np.array([counts.evidence(order, places) for order in tried])
    over = evidence - evidence.mean(0)
    furthest = (over / (over.std(0) + _TINY)).max(1)
    start = int(places[over[0].argmax()])
    p = float((furthest >= furthest[0] - _TINY).mean())
    return Parting(start, p, counts.parted(start))


def _orders(sessions: int, n: int, seed: int) -> Iterator[Whole]:
    """The sessions in their own order, then in `n` that are shuffled."""
    yield np.arange(sessions)
    draw = np.random.default_rng(seed)
    for _ in range(n):
        yield draw.permutation(sessions)


def _places(n: int) -> Whole:
    """The places to try among `n` sessions, evenly apart where there are too many."""
    places = np.arange(MIN_BEFORE, n - MIN_RUN + 1)
    chosen = np.linspace(0, len(places) - 1, min(len(places), MAX_PLACES))
    return places[chosen.round().astype(np.int64)]


@dataclass(frozen=True, slots=True)
class _Counts:
    """The next steps of each session, by site."""

    cells: Sequence[Cell]
    """Those that any session has, site by site."""
    sessions: int
    session: Whole
    """The session of each step that was made."""
    cell: Whole
    """The cell of each of these steps."""
    first: Whole
    """The first cell of each site."""
    choices: Whole
    """How many cells each site has."""
    log_gamma: Floats
    """log Γ(i / 2) at place i."""

    @classmethod
    def of(cls, counted: Sequence[Counter[Cell]]) -> "_Counts":
        cells = sorted({cell for of in counted for cell in of}, key=repr)
        table = np.array([[of[cell] for cell in cells] for of in counted], np.int64)
        made = np.repeat(np.argwhere(table), table[table > 0], axis=0)
        sites = [cell.site for cell in cells]
        first = [i for i, site in enumerate(sites) if i == 0 or site != sites[i - 1]]
        choices = np.diff([*first, len(cells)])
        most = 2 * len(made) + len(cells) + 1
        halves = [0.0, *(lgamma(i / 2) for i in range(1, most + 1))]
        session, cell = made.T
        return cls(
            cells,
            len(counted),
            session,
            cell,
            np.array(first, np.int64),
            choices,
            np.array(halves),
        )

    def evidence(self, order: Whole, places: Whole) -> Floats:
        """The log Bayes factor of a change at each place, over all sites."""
        before, since = self._parts(order, places)
        total: Floats = self._by_site(before, since).sum(1)
        return total

    def parted(self, start: int) -> tuple[Parted, ...]:
        """The sites that speak for a change at `start`, the strongest first."""
        before, since = self._parts(np.arange(self.sessions), np.array([start]))
        [nats] = self._by_site(before, since)
        found = [
            self._most(int(first), int(n), before[0], since[0], float(of))
            for first, n, of in zip(self.first, self.choices, nats, strict=True)
            if of > 0
        ]
        return tuple(sorted(found, key=lambda row: -row.nats))

    def _most(self, first: int, n: int, then: Whole, now: Whole, of: float) -> Parted:
        """The next step of a site whose share changed most."""
        here = slice(first, first + n)
        shares = [part[here] / max(int(part[here].sum()), 1) for part in (then, now)]
        most = int(np.abs(shares[1] - shares[0]).argmax())
        cell = self.cells[first + most]
        before, since = (float(share[most]) for share in shares)
        return Parted(cell.site, cell.action, before, since, of)

    def _parts(self, order: Whole, places: Whole) -> tuple[Whole, Whole]:
        """
        What was made before each place and from it on, places by cells.

        The sessions are tallied once between one place and the next, not once a place.
        """
        between = np.empty(self.sessions, np.int64)
        between[order] = np.searchsorted(places, np.arange(self.sessions), "right")
        shape = (len(places) + 1, len(self.cells))
        at = between[self.session] * len(self.cells) + self.cell
        tally = np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape)
        sums = tally.cumsum(0)
        return sums[:-1], sums[-1] - sums[:-1]

    def _by_site(self, before: Whole, since: Whole) -> Floats:
        """The log Bayes factor of a change at each site, places by sites."""
        whole = before[:1] + since[:1]
        return self._fit(before) + self._fit(since) - self._fit(whole)

    def _fit(self, counts: Whole) -> Floats:
        """The log likelihood of each site's next steps as draws of one distribution."""
        of_cells = self.log_gamma[2 * counts + 1] - self.log_gamma[1]
        made = 2 * np.add.reduceat(counts, self.first, axis=1) + self.choices
        of_sites = self.log_gamma[made] - self.log_gamma[self.choices]
        fit: Floats = np.add.reduceat(of_cells, self.first, axis=1) - of_sites
        return fit
