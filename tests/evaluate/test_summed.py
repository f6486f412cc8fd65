"""Sums over episodes, beside a row for each."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stretto.evaluate.counts import BITS, NAMES
from stretto.evaluate.course import Size
from stretto.evaluate.rows import row, totals
from stretto.evaluate.summed import Summed

N = 3
SIZE = Size("a", turns=9, tool_turns=7, calls=8)

COUNTS = st.lists(st.integers(0, 2**BITS - 1), min_size=len(NAMES), max_size=len(NAMES))


def packed(counts: list[int]) -> int:
    return sum(n << BITS * place for place, n in enumerate(counts))


@given(st.lists(st.lists(COUNTS, min_size=N, max_size=N), max_size=5))
def test_settings_come_to_what_their_rows_come_to(episodes):
    summed = Summed(N)
    rows = [[] for _ in range(N)]
    for settings in episodes:
        counts = [packed(each) for each in settings]
        summed.add(np.array(counts, np.uint64).astype(np.int64))
        for place, one in enumerate(counts):
            rows[place].append(row(SIZE, one))

    expected = [totals(each) for each in rows]
    assert [(s.turns_saved, s.lookups, s.detours) for s in summed] == [
        (t.turns_saved, t.lookups, t.detours) for t in expected
    ]
