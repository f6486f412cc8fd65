"""
The habit's page of the specification, walked step by step: slow, and plain to check.

Nothing here shares code with the package but the encoded episodes and outputs.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from stretto.habit.encode import Encoded

START = 4294967295


class Level(NamedTuple):
    """Counts of one context length."""

    by_action: dict[tuple[tuple[int, ...], int], float]
    total: dict[tuple[int, ...], float]


def context(history: Sequence[int], length: int) -> tuple[int, ...]:
    """The last symbols, padded on the left."""
    padded = [START] * length + list(history)
    return tuple(padded[len(padded) - length :])


def empty(order: int) -> list[Level]:
    """Levels 0 to `order`, nothing counted."""
    return [Level({}, {}) for _ in range(order + 1)]


def observe(
    levels: list[Level], history: Sequence[int], actions: Iterable[int], weight: float
) -> None:
    """Count one step."""
    actions = list(actions)
    for length, level in enumerate(levels):
        seen = context(history, length)
        level.total[seen] = level.total.get(seen, 0.0) + weight
        for action in actions:
            key = (seen, action)
            level.by_action[key] = level.by_action.get(key, 0.0) + weight


def fit(encoded: Iterable[Encoded], order: int) -> list[Level]:
    """The habit's levels."""
    levels = empty(order)
    for episode in encoded:
        for t, action in enumerate(episode.actions):
            observe(levels, episode.symbols[:t], [action], episode.weight)
    return levels


def fit_reach(
    encoded: Iterable[Encoded], writes: Collection[int], order: int
) -> list[Level]:
    """Reach's levels."""
    levels = empty(order)
    for episode in encoded:
        for t in range(len(episode.actions)):
            ahead = set()
            for action in episode.actions[t:]:
                if action in writes:
                    break
                ahead.add(action)
            observe(levels, episode.symbols[:t], ahead, episode.weight)
    return levels


def chance(
    levels: list[Level],
    history: Sequence[int],
    action: int,
    alpha: float | Fraction,
    vocab_size: int,
) -> float | Fraction:
    """One action's chance, exact where `alpha` and the counts are."""
    p = Fraction(1, vocab_size) if isinstance(alpha, Fraction) else 1 / vocab_size
    for length, level in enumerate(levels):
        seen = context(history, length)
        if seen in level.total:
            n = level.by_action.get((seen, action), 0.0)
            total = level.total[seen]
            if isinstance(alpha, Fraction):
                n, total = Fraction(n), Fraction(total)
            p = (n + alpha * p) / (total + alpha)
    return p


def log_evidence(
    encoded: Iterable[Encoded],
    alpha: float,
    vocab_size: int,
    order: int = 2,
    *,
    weighted: bool = False,
) -> float:
    """The prequential log-likelihood."""
    levels, log_p = empty(order), 0.0
    for episode in encoded:
        weight = episode.weight if weighted else 1.0
        for t, action in enumerate(episode.actions):
            history = episode.symbols[:t]
            p = chance(levels, history, action, alpha, vocab_size)
            log_p += weight * math.log(p)
            observe(levels, history, [action], weight)
    return log_p


class Field(NamedTuple):
    """A tool's output field."""

    tool: str
    is_length: bool
    path: str


def read(field: Field, output: object) -> str:
    """A field's value as text."""
    for part in field.path.split(".") if field.path else []:
        output = output.get(part) if isinstance(output, dict) else None
    match output:
        case list() if field.is_length:
            return "0" if not output else "1" if len(output) == 1 else "2+"
        case bool() if not field.is_length:
            return "true" if output else "false"
        case str() if not field.is_length:
            return output
        case int() | float() if not field.is_length:
            return str(output)
        case _:
            return "∅"


def fields_of(tool: str, output: object) -> set[Field]:
    """The candidate fields of one output."""
    if isinstance(output, list):
        return {Field(tool, True, "")}
    found: set[Field] = set()
    for key, value in output.items() if isinstance(output, dict) else ():
        if isinstance(value, list):
            found.add(Field(tool, True, key))
        elif isinstance(value, dict):
            for inner, leaf in value.items():
                if not isinstance(leaf, dict | list):
                    found.add(Field(tool, False, f"{key}.{inner}"))
        else:
            found.add(Field(tool, False, key))
    return found


Outputs = dict[str, list[object]]


def discover(outputs: Outputs) -> list[Field]:
    """The candidates kept, sorted."""
    kept = []
    for tool, seen in outputs.items():
        for field in {f for output in seen for f in fields_of(tool, output)}:
            counts = Counter(read(field, output) for output in seen)
            share = counts.most_common(1)[0][1] / len(seen)
            if 2 <= len(counts) <= 8 and share <= 0.98:
                kept.append(field)
    return sorted(kept)


def ids(
    chosen: Collection[Field], outputs: Outputs
) -> dict[str, dict[tuple[str, ...], int]]:
    """Each tool's numbered combinations."""
    numbered = {}
    for tool in {field.tool for field in chosen}:
        fields = sorted(field for field in chosen if field.tool == tool)
        seen = {tuple(read(f, output) for f in fields) for output in outputs[tool]}
        numbered[tool] = {v: i for i, v in enumerate(sorted(seen)[:63], start=1)}
    return numbered


class Observed(NamedTuple):
    """An episode without features, and each step's output: its tool and its JSON."""

    encoded: Encoded
    outputs: list[tuple[str, object] | None]
    fold: int


def score(
    episodes: Sequence[Observed],
    chosen: Collection[Field],
    outputs: Outputs,
    alpha: float,
    vocab_size: int,
) -> float:
    """The held-out log probability, five folds, order 2."""
    numbered = ids(chosen, outputs)

    def feature(output: tuple[str, object] | None) -> int:
        if output is None or output[0] not in numbered:
            return 0
        tool, value = output
        fields = sorted(field for field in chosen if field.tool == tool)
        return numbered[tool].get(tuple(read(f, value) for f in fields), 0)

    featured = [
        e.encoded._replace(
            symbols=tuple(
                s + feature(o)
                for s, o in zip(e.encoded.symbols, e.outputs, strict=True)
            )
        )
        for e in episodes
    ]
    log_p = 0.0
    for fold in range(5):
        held_out = [
            e for e, o in zip(featured, episodes, strict=True) if o.fold == fold
        ]
        rest = [e for e, o in zip(featured, episodes, strict=True) if o.fold != fold]
        levels = fit(rest, 2)
        for episode in held_out:
            for t, action in enumerate(episode.actions):
                history = episode.symbols[:t]
                log_p += math.log(chance(levels, history, action, alpha, vocab_size))
    return log_p


def select(
    candidates: Sequence[Field], score_of: Callable[[list[Field]], float]
) -> list[tuple[Field, float]]:
    """The greedy choice: each field added, and what it gained."""
    chosen: list[tuple[Field, float]] = []
    now = score_of([])
    while len(chosen) < 8:
        held = [field for field, _ in chosen]
        gains = [
            (score_of([*held, field]) - now, i, field)
            for i, field in enumerate(candidates)
            if field not in held
        ]
        if not gains or max(gains)[0] < 5.0:
            break
        gain, _, field = max(gains)
        chosen.append((field, gain))
        now += gain
    return chosen
