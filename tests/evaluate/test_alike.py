"""Where next steps part: the evidence, and how seldom it misleads."""

from collections import Counter
from math import lgamma

import numpy as np
import pytest

from stretto.episodes.site import Site
from stretto.evaluate.alike import Cell, next_steps, parting
from tests.toys import walked

FOUND = Site("find", False)
GET, REPLY = Cell(FOUND, "get"), Cell(FOUND, None)


def session(gets: int, replies: int) -> Counter[Cell]:
    return Counter({GET: gets, REPLY: replies})


def marginal(counts: list[int]) -> float:
    """ln of the chance of next steps, their distribution Dirichlet(½, …, ½)."""
    n, k = sum(counts), len(counts)
    of_cells = sum(lgamma(c + 0.5) - lgamma(0.5) for c in counts)
    return of_cells + lgamma(k / 2) - lgamma(n + k / 2)


def test_next_steps_are_counted_where_they_were_made():
    assert next_steps(walked("a", "rfgR")) == Counter(
        {
            Cell(None, None): 1,
            Cell(None, "find"): 1,
            Cell(FOUND, "get"): 1,
            Cell(Site("get", False), None): 1,
        }
    )


def test_a_sites_evidence_is_two_distributions_against_one():
    sessions = [session(1, 3)] * 12 + [session(4, 1)] * 6
    found = parting(sessions, orders=19)

    assert found is not None
    assert (found.start, found.p) == (12, 1 / 20)
    [row] = found.parted
    assert (row.site, row.action) == (FOUND, "get")
    assert (row.before, row.since) == pytest.approx((0.25, 0.8))
    assert row.nats == pytest.approx(
        marginal([12, 36]) + marginal([24, 6]) - marginal([36, 42])
    )


def test_sites_add_up_and_those_that_go_on_as_before_are_not_named():
    other = Cell(Site("get", True), "get")
    sessions = [session(1, 3) + Counter({other: 2})] * 12
    sessions += [session(4, 1) + Counter({other: 2})] * 6
    found = parting(sessions, orders=19)

    assert found is not None
    assert [row.site for row in found.parted] == [FOUND]


def test_sessions_that_are_all_the_same_part_in_every_order():
    found = parting([session(2, 1)] * 20, orders=19)

    assert found is not None
    assert found.p == 1.0


@pytest.mark.parametrize("of", [(2, 2), (40, 0)], ids=["mixed", "all or nothing"])
def test_sessions_in_random_order_part_as_seldom_as_the_level_says(of):
    """At 0.1, whether a session's steps are drawn one by one or all alike."""
    kinds = [session(*of), session(*reversed(of)), session(1, 3)]
    draw = np.random.default_rng(1)
    found = [
        parting([kinds[i] for i in draw.integers(3, size=24)], orders=19, seed=seed)
        for seed in range(300)
    ]

    n = sum(one is not None and one.p <= 0.1 for one in found)
    assert 0.1 * 300 - 3 * 5.2 <= n <= 0.1 * 300 + 3 * 5.2


def test_one_seed_finds_the_same_twice():
    draw = np.random.default_rng(2)
    sessions = [session(*draw.integers(5, size=2)) for _ in range(30)]

    assert parting(sessions, orders=99) == parting(sessions, orders=99)


def test_of_many_sessions_evenly_many_lie_between_the_places_tried():
    sessions = [session(1, 3)] * 700 + [session(4, 1)] * 300
    found = parting(sessions, orders=19)

    assert found is not None
    assert abs(found.start - 700) <= 1000 / 256


def test_ten_sessions_have_to_come_before_and_three_after():
    assert parting([session(1, 3)] * 12) is None
    found = parting([session(1, 3)] * 10 + [session(9, 0)] * 3, orders=9)

    assert found is not None
    assert found.start == 10


def by_hand(sessions: list[Counter[Cell]], order: list[int], place: int) -> float:
    """The evidence of a change before the session at `place`, one site."""
    walked = [sessions[i] for i in order]
    parts = [walked[:place], walked[place:], walked]
    counts = [[sum(s[cell] for s in part) for cell in (GET, REPLY)] for part in parts]
    before, since, whole = map(marginal, counts)
    return before + since - whole


def test_every_order_is_weighed_at_every_place_as_by_hand():
    draw = np.random.default_rng(3)
    sessions = [session(*map(int, draw.integers(4, size=2))) for _ in range(16)]
    places, shuffle = range(10, 14), np.random.default_rng(5)
    orders = [np.arange(16), *(shuffle.permutation(16) for _ in range(19))]
    evidence = np.array(
        [
            [by_hand(sessions, list(order), place) for place in places]
            for order in orders
        ]
    )
    over = evidence - evidence.mean(0)
    furthest = (over / over.std(0)).max(1)

    found = parting(sessions, orders=19, seed=5)

    assert found is not None
    assert found.start == places[over[0].argmax()]
    assert found.p == (furthest >= furthest[0] - 1e-9).mean()
