"""The fields worth reading, chosen by how well the habit predicts held-out tasks."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stretto.episodes.episode import Episode
from stretto.episodes.step import steps
from stretto.episodes.tasks import N_FOLDS, fold
from stretto.episodes.vocabulary import Vocabulary
from stretto.habit.columns import Columns, Floats, Ints, Keys, columns
from stretto.habit.discover import Candidate, Outputs, discover, number
from stretto.habit.encode import encode
from stretto.habit.features import NO_FEATURES, FeatureMap, Output, combination, parse

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
    episodes: Sequence[Episode], vocab: Vocabulary, *, alpha: float, order: int = 2
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


@dataclass(frozen=True, slots=True)
class _Trial:
    """The training steps, ready to be scored under any choice of fields."""

    columns: Columns
    folds: Ints
    rows: dict[str, list[int]]
    """By tool, the steps whose results are JSON."""
    outputs: Outputs
    alpha: float
    vocab_size: int
    order: int

    def score(self, chosen: Sequence[Candidate]) -> float:
        """The held-out log probability of all steps, in nats."""
        features = np.zeros_like(self.columns.symbols)
        read = number(chosen, self.outputs)
        for tool, fields in read.fields.items():
            features[self.rows[tool]] = [
                read.ids.get((tool, combination(fields, output)), 0)
                for output in self.outputs[tool]
            ]
        symbols = self.columns.symbols + features
        levels = self.columns._replace(symbols=symbols).keys(self.order)
        return _held_out(levels, self.folds, self.alpha, self.vocab_size)


def _trial(
    episodes: Sequence[Episode], vocab: Vocabulary, alpha: float, order: int
) -> _Trial:
    table = columns([encode(episode, vocab, NO_FEATURES) for episode in episodes])
    folds = np.array([fold(episode.task_or_id) for episode in episodes], dtype=np.int64)
    rows: dict[str, list[int]] = defaultdict(list)
    outputs: dict[str, list[Output]] = defaultdict(list)
    walk = [step for episode in episodes for step in steps(episode.events)]
    for row, step in enumerate(walk):
        output = parse(step.result.content) if step.result else None
        if step.result and output:
            rows[step.result.tool].append(row)
            outputs[step.result.tool].append(output)
    return _Trial(table, folds[table.episodes], rows, outputs, alpha, vocab.size, order)


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
