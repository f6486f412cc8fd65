"""Small models of drawn parameters, and the same computed slowly."""

import math

import numpy as np

from stretto.oracle.local.calibration import Calibration
from stretto.oracle.local.clues import Clues
from stretto.oracle.local.file import PLACES, LocalModel, Member, Provenance
from stretto.oracle.local.hashing import crossed, numbers
from stretto.oracle.local.net import Net, Table

DIM = 3

PROVENANCE = Provenance(
    stretto="0.1.0",
    domain="desk",
    sources=("an-agent",),
    sessions=2,
    decisions=5,
    sha256="0" * 64,
    tasks=(1, 2**64 - 1),
    settings={"seed": 7},
    gain=None,
    scores={},
)


def net_of(seen: Clues, seed: int, *, share: float = 0.7) -> Net:
    """A network that knows about this share of the numbers in some clues."""
    random = np.random.default_rng(seed)
    crosses = crossed(numbers(seen.marks), seen.names).ravel().tolist()
    own = [mark for marks in seen.own for mark in marks]
    return Net(
        _table(random, {*seen.words}, DIM, share),
        _table(random, {*crosses, *own}, DIM + 1, share),
    )


def model_of(seen: Clues, seed: int = 1) -> LocalModel:
    """A model of six such networks."""
    calibration = Calibration(1.1, 0.9, 1.2, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    members = {
        place: Member(net_of(seen, seed + n), calibration)
        for n, place in enumerate(PLACES)
    }
    return LocalModel(members, PROVENANCE)


def slow_scores(net: Net, seen: Clues) -> list[float]:
    """The scores by the formula, number by number."""
    words = dict(zip(net.words.numbers.tolist(), net.words.rows.tolist(), strict=True))
    marks = dict(zip(net.marks.numbers.tolist(), net.marks.rows.tolist(), strict=True))
    said = [words[word] for word in seen.words if word in words]
    scores = []
    for name, own in zip(seen.names, seen.own, strict=True):
        crosses = crossed(numbers(seen.marks), [name])[0].tolist()
        rows = [marks[mark] for mark in (*crosses, *own) if mark in marks]
        inner = sum(
            sum(row[d] for row in said) * sum(row[1 + d] for row in rows)
            for d in range(DIM)
        )
        scale = math.sqrt((1 + len(said)) * (1 + len(rows)))
        scores.append(sum(row[0] for row in rows) + inner / scale)
    return scores


def _table(
    random: np.random.Generator, found: set[int], width: int, share: float
) -> Table:
    known = sorted(n for n in found if n and random.random() < share)
    rows = random.standard_normal((len(known), width)).astype(np.float32)
    return Table(numbers(known), rows.astype(np.float64))
