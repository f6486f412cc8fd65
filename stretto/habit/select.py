"""The fields worth reading, chosen by how well the habit predicts held-out tasks."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

import numpy as np

from stretto.episodes.episode import Episode
from stretto.episodes.step import steps
from stretto.episodes.tasks import N_FOLDS, fold
from stretto.episodes.vocabulary import Vocabulary
from stretto.habit.columns import Columns, Floats, Ints, Keys, columns
from stretto.habit.discover import (
    Candidate,
    Outputs,
    discover,
    number,
    numbered,
    rank,
)
from stretto.habit.encode import Encoded, encode_walk
from stretto.habit.features import NO_FEATURES, FeatureMap

MIN_GAIN = 5.0
"""In nats of held-out log probability; a field that adds less is left out."""

MAX_FIELDS = 8


class Chosen(NamedTuple):
    """A field, and the nats of held-out log probability it added."""

    candidate: Candidate
    gain: float


class Selection(NamedTuple):
    """The fields chosen, in the order they were added, and the map that reads them."""

    map: FeatureMap
    chosen: tuple[Chosen, ...]
    n_candidates: int


def select(
    episodes: Iterable[Episode], vocab: Vocabulary, *, alpha: float, order: int = 2
) -> Selection:
    """
    The fields that sharpen the habit most, added one at a time.

    A set of fields is scored in five folds of tasks: the log probability of each step
    under the habit of the other folds. Combinations of values are numbered once, on
    all outputs.

    Args:
        episodes: What the habit is fitted on: the successful training episodes.
        alpha: The concentration of a habit without features.
    """
    trial = _trial(episodes, vocab, alpha, order)
    pool = discover(trial.outputs)
    n_candidates = len(pool)
    chosen: list[Chosen] = []
    score = trial.score(())
    while pool and len(chosen) < MAX_FIELDS:
        held = [added.candidate for added in chosen]
        # Fields that tell the same outputs apart tie, and published maps hold the last.
        best, at = max((trial.score((*held, c)), i) for i, c in enumerate(pool))
        if best - score < MIN_GAIN:
            break
        chosen.append(Chosen(pool.pop(at), best - score))
        score = best
    fields = [added.candidate for added in chosen]
    return Selection(number(fields, trial.outputs), tuple(chosen), n_candidates)


@dataclass(slots=True)
class _Trial:
    """The training steps, ready to be scored under any choice of fields."""

    columns: Columns
    folds: Ints
    rows: dict[str, Ints]
    """By tool, the steps whose results are JSON."""
    outputs: dict[str, Outputs]
    alpha: float
    vocab_size: int
    order: int
    _scores: dict[tuple[tuple[str, tuple[int, ...]], ...], float] = field(
        default_factory=dict
    )
    """By how the outputs are told apart: many fields do it alike."""

    def score(self, chosen: Sequence[Candidate]) -> float:
        """The held-out log probability of all steps, in nats."""
        apart = tuple(
            (tool, self._told_apart(tool, sorted(of_tool, key=rank)))
            for tool, of_tool in groupby(sorted(chosen), key=lambda c: c.tool)
        )
        known = self._scores.get(apart)
        if known is None:
            symbols = self.columns.symbols.copy()
            for tool, numbers in apart:
                which = self.outputs[tool].which
                symbols[self.rows[tool]] += np.array(numbers, dtype=np.int64)[which]
            levels = self.columns._replace(symbols=symbols).keys(self.order)
            known = _held_out(levels, self.folds, self.alpha, self.vocab_size)
            self._scores[apart] = known
        return known

    def _told_apart(self, tool: str, fields: Sequence[Candidate]) -> tuple[int, ...]:
        """The tool's outputs, numbered from 1 as their values come up; 0 past 63."""
        combinations = self.outputs[tool].combinations(c.field for c in fields)
        kept = set(numbered(combinations))
        in_order = dict.fromkeys(filter(kept.__contains__, combinations))
        numbers = {values: i for i, values in enumerate(in_order, start=1)}
        return tuple([numbers.get(values, 0) for values in combinations])


def _trial(
    episodes: Iterable[Episode], vocab: Vocabulary, alpha: float, order: int
) -> _Trial:
    encoded: list[Encoded] = []
    rows: dict[str, list[int]] = defaultdict(list)
    outputs: dict[str, Outputs] = defaultdict(Outputs)
    row = 0
    for episode in episodes:
        walk = steps(episode.events)
        encoded.append(encode_walk(episode.task_or_id, walk, vocab, NO_FEATURES))
        for step in walk:
            result = step.result
            if result is not None and outputs[result.tool].add(result.content):
                rows[result.tool].append(row)
            row += 1
    table = columns(encoded)
    folds = np.array([fold(episode.task) for episode in encoded], dtype=np.int64)
    return _Trial(
        table,
        folds[table.episodes],
        {tool: np.array(places, dtype=np.int64) for tool, places in rows.items()},
        outputs,
        alpha,
        vocab.size,
        order,
    )


def _held_out(
    levels: Sequence[Keys], folds: Ints, alpha: float, vocab_size: int
) -> float:
    p: Floats = np.full(len(folds), 1.0 / vocab_size)
    for keys in levels:
        hits, total = _elsewhere(keys.follow, folds), _elsewhere(keys.context, folds)
        p = (hits + alpha * p) / (total + alpha)
    return float(np.log(p).sum())


def _elsewhere(keys: Ints, folds: Ints) -> Ints:
    """For each step, the steps of other folds with the same key."""
    here = keys * N_FOLDS + folds
    elsewhere: Ints = np.bincount(keys)[keys] - np.bincount(here)[here]
    return elsewhere
