"""How well habits foretell held-out sessions: every table of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest
from stretto.evaluate.by_site import SiteRow, site_rows
from stretto.evaluate.forecast import Forecaster
from stretto.evaluate.intervals import Share, share
from stretto.evaluate.lesson import ORDER, Encodings, Lesson
from stretto.evaluate.prediction import (
    Fit,
    Foretold,
    Position,
    Reliance,
    fit,
    foretell,
    reliance,
)
from stretto.evaluate.sketch import Side, Sketch
from stretto.evaluate.sure import SureRow, sure_rows
from stretto.evaluate.transfer import Transfer, among
from stretto.evaluate.validated import Validated, validated
from stretto.habit.backoff import Backoff
from stretto.habit.concentration import Posterior
from stretto.habit.encode import encode
from stretto.habit.select import Selection, select

ORDERS = (0, 1, 2, 3)
THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.95)
POSITION_THRESHOLD = 0.8


@dataclass(frozen=True, slots=True)
class PositionRow:
    """The steps at one position."""

    position: Position
    share: Share
    """Of all steps."""
    fit: Fit
    reliance: Reliance


@dataclass(frozen=True, slots=True)
class VariantRow:
    """What a habit looks at besides the actions, and what that changes."""

    variant: str
    alpha: float
    fit: Fit
    after_tool: Reliance


@dataclass(frozen=True, slots=True)
class Foresight:
    """The tables of prediction, all on held-out sessions of the agents learned from."""

    concentration: Posterior | None
    """What was inferred without features; None where it was given."""
    alpha: float
    orders: tuple[Fit, ...]
    """By the steps of history looked at, from 0."""
    reliance: tuple[Reliance, ...]
    """By threshold."""
    positions: tuple[PositionRow, ...]
    variants: tuple[VariantRow, ...]
    selection: Selection | None
    """The fields of results that the later variants look at."""
    transfer: Transfer
    validated: tuple[Validated, ...]
    sites: tuple[SiteRow, ...]
    """How the chances of lookups are calibrated, by site."""
    sure: tuple[SureRow, ...]
    """The rules that training is sure of: all agents' together, each one's own."""
    foretold: tuple[Foretold | None, ...]
    """Each measured session, targets' too, as a habit with features foretells it."""


def foresight(
    lesson: Lesson, episodes: Iterable[Episode], manifest: Manifest
) -> Foresight | None:
    """
    The tables of a lesson; None where it has nothing to learn from or to measure.

    Args:
        episodes: Those that the sketches are of, to look for features in.
        manifest: Which tools read, and which write.
    """
    plain = [s.encoded for s in lesson.sketches]
    if not lesson.teaching(plain) or not any(
        encoded.actions for encoded in lesson.measured(plain)
    ):
        return None
    concentration = lesson.concentration(plain)
    alpha = lesson.alpha_of(plain)
    orders = _by_order(lesson, plain, alpha)
    actions = orders[ORDER]
    selection: Selection | None = None
    sharper: Encodings = plain
    if lesson.features:
        selection = _selection(lesson, episodes, alpha)
        if selection.map.fields:
            sharper = _sharpened(lesson, episodes, selection)
    return Foresight(
        concentration,
        alpha,
        tuple(map(fit, orders)),
        tuple(reliance(actions, threshold) for threshold in THRESHOLDS),
        tuple(_position_row(actions, position) for position in Position),
        tuple(_variants(lesson, plain, sharper)),
        selection,
        among(lesson, alpha),
        tuple(
            validated(
                lesson.teaching(plain),
                lesson.measured(plain),
                order=ORDER,
                alpha=alpha,
                vocab_size=lesson.vocab.size,
            )
        ),
        site_rows(
            lesson.teaching(sharper),
            lesson.measured(sharper),
            lesson.vocab,
            manifest,
            order=ORDER,
            alpha=lesson.alpha_of(sharper),
        ),
        tuple(sure_rows(lesson, sharper)),
        _foretold(lesson, sharper),
    )


def _by_order(
    lesson: Lesson, encodings: Encodings, alpha: float
) -> list[list[Foretold]]:
    """The measured sessions as habits of each order foretell them."""
    longest = lesson.habit(encodings, alpha, max(ORDERS)).base
    cut = (
        Backoff(order, alpha, longest.vocab_size, longest.levels[: order + 1])
        for order in ORDERS
    )
    measured = lesson.measured(encodings)
    return [foretell(Forecaster.plain(base), measured) for base in cut]


def _selection(lesson: Lesson, episodes: Iterable[Episode], alpha: float) -> Selection:
    teaching = (
        episode
        for episode, s in zip(episodes, lesson.sketches, strict=True)
        if s.teaches and not s.is_target
    )
    return select(teaching, lesson.vocab, alpha=alpha, order=ORDER)


def _sharpened(
    lesson: Lesson, episodes: Iterable[Episode], selection: Selection
) -> Encodings:
    """The sessions with features, where they are learned from or measured."""
    return [
        encode(episode, lesson.vocab, selection.map)
        if s.side is Side.TEST or (s.teaches and not s.is_target)
        else s.encoded
        for episode, s in zip(episodes, lesson.sketches, strict=True)
    ]


def _variants(lesson: Lesson, plain: Encodings, sharper: Encodings) -> list[VariantRow]:
    named = _with_intents(lesson.sketches, sharper)
    found = []
    for name, encodings in (
        ("actions", plain),
        ("with features", sharper),
        ("with features and intent", named),
    ):
        alpha = lesson.alpha_of(encodings)
        habit = lesson.habit(encodings, alpha)
        forecaster = (
            Forecaster.grouped(habit)
            if encodings is named
            else Forecaster.plain(habit.base)
        )
        foretold = foretell(forecaster, lesson.measured(encodings))
        found.append(VariantRow(name, alpha, fit(foretold), _after_tool(foretold)))
    return found


def _with_intents(sketches: Sequence[Sketch], encodings: Encodings) -> Encodings:
    """The sessions grouped by the writes they go on to make."""
    names = sorted({s.intent for s in sketches})
    group = {name: place for place, name in enumerate(names, start=1)}
    return [
        encoded._replace(group=group[s.intent])
        for s, encoded in zip(sketches, encodings, strict=True)
    ]


def _foretold(lesson: Lesson, encodings: Encodings) -> tuple[Foretold | None, ...]:
    """Every held-out session, targets' too, under the habit of those that teach."""
    habit = lesson.habit(encodings, lesson.alpha_of(encodings))
    forecaster = Forecaster.plain(habit.base)
    return tuple(
        foretell(forecaster, [encoded])[0] if s.side is Side.TEST else None
        for s, encoded in zip(lesson.sketches, encodings, strict=True)
    )


def _position_row(foretold: Sequence[Foretold], position: Position) -> PositionRow:
    there = [episode.at(position) for episode in foretold]
    return PositionRow(
        position,
        share(
            [episode.task for episode in foretold],
            [len(episode.steps) for episode in there],
            [len(episode.steps) for episode in foretold],
        ),
        fit(there),
        reliance(there, POSITION_THRESHOLD),
    )


def _after_tool(foretold: Sequence[Foretold]) -> Reliance:
    there = [episode.at(Position.TOOL) for episode in foretold]
    return reliance(there, POSITION_THRESHOLD)
