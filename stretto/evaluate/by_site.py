"""Where the habit and reach are right: their lookups' chances, site by site."""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from stretto.episodes.manifest import Kind, Manifest
from stretto.episodes.site import Site
from stretto.episodes.step import Outcome
from stretto.episodes.vocabulary import Vocabulary, parse
from stretto.evaluate.calibration import calibration, expected_calibration_error
from stretto.evaluate.intervals import Share, share
from stretto.habit.backoff import Backoff, fit_habit
from stretto.habit.encode import Encoded
from stretto.habit.reach import before_writes, fit_reach


class Calibrated(NamedTuple):
    """The chances of lookups, beside how often they came."""

    mean_p: float
    came: Share
    """Of the chances, those of a lookup that came."""
    ece: float


@dataclass(frozen=True, slots=True)
class SiteRow:
    """The held-out decisions after one call."""

    site: Site | None
    """None for all of them."""
    decisions: int
    """Those where the site has a lookup to offer."""
    habit: Calibrated
    """Of a lookup coming next."""
    reach: Calibrated
    """Of it coming before the next write."""


@dataclass(slots=True)
class _Seen:
    """What was foretold at a site, and what came: by task, so that tasks stay whole."""

    decisions: int = 0
    tasks: list[str] = field(default_factory=list)
    habit: list[tuple[float, bool]] = field(default_factory=list)
    reach: list[tuple[float, bool]] = field(default_factory=list)


def site_rows(
    taught: Sequence[Encoded],
    measured: Sequence[Encoded],
    vocab: Vocabulary,
    manifest: Manifest,
    *,
    order: int,
    alpha: float,
) -> tuple[SiteRow, ...]:
    """
    The rows, first that of all sites, then each, the most decisions first.

    The lookups on offer at a site are those made next there in training, as a flow's
    are. Each is one chance; a site with several has several a decision.
    """
    kinds = manifest.tools
    reads = {vocab.id(tool) for tool, kind in kinds.items() if kind is Kind.READ}
    writes = {vocab.id(tool) for tool, kind in kinds.items() if kind is Kind.WRITE}
    how = _Chances(
        fit_habit(taught, order=order, alpha=alpha, vocab_size=vocab.size).base,
        fit_reach(taught, writes, order=order, alpha=alpha, vocab_size=vocab.size),
        _offered(taught, vocab, reads),
        writes,
    )
    every, by_site = _Seen(), defaultdict[Site, _Seen](_Seen)
    for encoded in measured:
        for site, one in how.of(encoded, vocab):
            for seen in (every, by_site[site]):
                seen.decisions += 1
                seen.tasks += [encoded.task] * len(one.habit)
                seen.habit += one.habit
                seen.reach += one.reach
    ordered = sorted(by_site, key=lambda site: (-by_site[site].decisions, site))
    if not ordered:
        return ()
    return (_row(None, every), *(_row(site, by_site[site]) for site in ordered))


@dataclass(frozen=True, slots=True)
class _Chances:
    habit: Backoff
    reach: Backoff
    offered: dict[Site, list[int]]
    writes: Container[int]

    def of(self, encoded: Encoded, vocab: Vocabulary) -> Iterator[tuple[Site, _Seen]]:
        """The chances at each decision of an episode."""
        ahead = before_writes(encoded.actions, self.writes)
        for step in range(1, len(encoded.actions)):
            site = _site(encoded.symbols[step - 1], vocab)
            if site is None or not (lookups := self.offered.get(site)):
                continue
            history = encoded.symbols[max(0, step - self.habit.order) : step]
            one = _Seen()
            for lookup, next_, reached in zip(
                lookups,
                self.habit.chance(history, lookups),
                self.reach.chance(history, lookups),
                strict=True,
            ):
                one.habit.append((next_, encoded.actions[step] == lookup))
                one.reach.append((reached, lookup in ahead[step]))
            yield site, one


def _offered(
    taught: Sequence[Encoded], vocab: Vocabulary, reads: Container[int]
) -> dict[Site, list[int]]:
    """The reads made next after each call, by id."""
    found: defaultdict[Site, set[int]] = defaultdict(set)
    for encoded in taught:
        for symbol, (_, action) in zip(
            encoded.symbols, pairwise(encoded.actions), strict=False
        ):
            site = _site(symbol, vocab)
            if site is not None and action in reads:
                found[site].add(action)
    return {site: sorted(actions) for site, actions in found.items()}


def _site(symbol: int, vocab: Vocabulary) -> Site | None:
    """The call that a symbol stands for; None for a message or an unknown tool."""
    before = parse(symbol)
    if before is None or before.outcome not in (Outcome.OK, Outcome.ERROR):
        return None
    if not 0 < before.action <= len(vocab.tools):
        return None
    return Site(vocab.tools[before.action - 1], before.outcome is Outcome.ERROR)


def _row(site: Site | None, seen: _Seen) -> SiteRow:
    return SiteRow(
        site,
        seen.decisions,
        _calibrated(seen.tasks, seen.habit),
        _calibrated(seen.tasks, seen.reach),
    )


def _calibrated(
    tasks: Sequence[str], chances: Sequence[tuple[float, bool]]
) -> Calibrated:
    came = [came for _, came in chances]
    return Calibrated(
        sum(p for p, _ in chances) / len(chances),
        share(tasks, came, [1] * len(chances)),
        expected_calibration_error(calibration(chances)),
    )
