"""Projected runs and what they cost, beside toys and a literal reading of the page."""

from dataclasses import replace
from random import Random

import pytest

from stretto.episodes.episode import Usage
from stretto.evaluate.forecast import Forecast
from stretto.evaluate.need import Need
from stretto.evaluate.outlook import at_threshold
from stretto.evaluate.prices import Price, lookup_tokens, price
from stretto.evaluate.projection import (
    Case,
    Design,
    RunProjection,
    Scenario,
    project,
)
from stretto.evaluate.runs import Run
from stretto.evaluate.savings import saving
from stretto.evaluate.sketch import Text
from tests.claims import claim
from tests.evaluate import measures as literal

READS = {2, 3}
KINDS = {0: "respond", 1: "write", 2: "read", 3: "read"}
NAME, GATE = at_threshold(0.9)


def forecast(actual, top, p=0.95, evidence=9.0) -> Forecast:
    return Forecast(actual, p if top == actual else 0.01, top, p, evidence, ())


def case(*walk, needs=None) -> Case:
    """Steps as (actual, top, p); one turn each; the run is all but the last."""
    n = len(walk)
    return Case(
        [forecast(*step) for step in walk],
        range(n),
        [actual in READS for actual, *_ in walk],
        needs or [Need.BOUND] * n,
        [Run(0, n - 1, 0, n - 1)],
    )


def one(of: Case, scenario=Scenario.HABIT_ONLY, design=Design.ANY_TOOL):
    [found] = project(of, GATE, scenario, design, READS)
    return found


def test_a_run_of_four_whose_second_decision_pauses_keeps_two_turns():
    found = one(case((2, 2), (2, 2), (3, 3, 0.5), (3, 3), (0, 0)))

    assert (len(found.kept), found.saved, found.ceiling) == (2, 2, 3)
    assert (list(found.kept), list(found.removed)) == ([0, 1], [2, 3])
    assert found.unsure == 1


def test_little_evidence_shuts_the_gate_whatever_the_probability():
    assert GATE(forecast(2, 2, 0.99, 5))
    assert not GATE(forecast(2, 2, 0.99, 4))
    assert NAME == "p ≥ 0.9"


def test_a_flow_that_only_reads_hands_writes_back_and_pauses_there():
    walk = ((2, 2), (1, 1), (2, 2), (0, 0))

    assert one(case(*walk)).saved == 2
    found = one(case(*walk), design=Design.READ_ONLY)
    assert (found.saved, found.handed_back) == (1, 1)


def test_a_predicted_write_is_handing_back_for_a_flow_that_only_reads():
    walk = ((2, 2), (2, 1), (0, 1))

    assert (one(case(*walk)).wrong, one(case(*walk)).stopped) == (2, 0)
    found = one(case(*walk), design=Design.READ_ONLY)
    assert (found.wrong, found.detours, found.stopped) == (0, (), 1)


def test_another_lookup_is_wrong_where_anything_may_be_called_and_else_a_detour():
    walk = ((2, 2), (2, 3), (0, 0))
    found = one(case(*walk), design=Design.READ_ONLY)

    assert (one(case(*walk)).wrong, one(case(*walk)).detours) == (1, ())
    assert (found.wrong, found.detours, found.saved) == (0, (0,), 0)


def test_going_on_at_the_end_of_a_run_costs_no_turn_but_is_a_detour():
    found = one(case((2, 2), (2, 2), (0, 3)), design=Design.READ_ONLY)

    assert (found.saved, found.detours) == (1, (1,))


def test_a_perfect_oracle_decides_wherever_the_habit_is_unsure():
    walk = ((2, 2, 0.1), (3, 2, 0.1), (1, 2, 0.1), (0, 2, 0.1))
    found = one(case(*walk), Scenario.PERFECT)

    assert (found.saved, found.wrong, found.unsure) == (2, 0, 0)
    assert one(case(*walk)).saved == 0


def test_arguments_pause_where_nobody_can_answer_for_them():
    walk = ((2, 2), (2, 2), (2, 2), (0, 0))
    needs = [Need.LLM, Need.CLOSED_SET, Need.LLM, Need.BOUND]

    assert one(case(*walk, needs=needs)).arguments == 2
    assert one(case(*walk, needs=needs), Scenario.PERFECT).arguments == 1


def test_an_answer_about_an_argument_makes_the_call_right_wrong_or_waits():
    of = case((2, 2), (2, 2), (2, 2), (0, 0), needs=[Need.CLOSED_SET] * 4)
    told = {
        right: one(
            replace(of, argued={1: True} | ({} if right is None else {2: right}))
        )
        for right in (True, False, None)
    }

    assert [r.arguments for r in told.values()] == [0, 1, 1]
    assert [r.wrong for r in told.values()] == [0, 1, 0]
    assert [r.saved for r in told.values()] == [2, 1, 1]
    of = replace(of, argued={1: True, 2: False})
    assert one(of, design=Design.READ_ONLY).detours == (1,)
    assert one(of, Scenario.PERFECT).wrong == 0


def random_walk(random: Random) -> tuple[list[dict], list[tuple[int, int]], Case]:
    walk, ranges, runs, turn = [], [], [], -1
    for _ in range(random.randrange(1, 6)):
        start, first = len(walk), turn + 1
        for _ in range(random.randrange(1, 6)):
            turn += 1
            walk += [
                {"turn": turn, "actual": random.choice((1, 2, 2, 3))}
                for _ in range(random.choice((1, 1, 1, 2)))
            ]
        ranges.append((start, len(walk)))
        runs.append(Run(start, len(walk), first, turn + 1 - first))
        if random.random() < 0.8:
            turn += 1
            walk.append({"turn": turn, "actual": 0})
    for step in walk:
        step["kind"] = KINDS[step["actual"]]
        step["top"] = random.choice((step["actual"], random.randrange(5)))
        step["p"], step["evidence"] = random.choice((0.5, 0.95)), random.choice((3, 9))
        step["need"] = random.choice((0, 0, 0, 1, 1, 2))
        step["pick"] = random.choice((None, step["actual"], random.randrange(4)))
        step["right"] = random.choice((None, True, False))
    of = Case(
        [forecast(s["actual"], s["top"], s["p"], s["evidence"]) for s in walk],
        [s["turn"] for s in walk],
        [s["kind"] == "read" for s in walk],
        [Need(s["need"]) for s in walk],
        runs,
        {k: s["pick"] for k, s in enumerate(walk) if s["pick"] is not None},
        {k: s["right"] for k, s in enumerate(walk) if s["right"] is not None},
    )
    return walk, ranges, of


@pytest.mark.parametrize("design", Design)
@pytest.mark.parametrize("scenario", Scenario)
def test_projections_are_those_of_the_page(design, scenario):
    random = Random(11)
    for _ in range(300):
        walk, ranges, of = random_walk(random)
        found = project(of, GATE, scenario, design, READS)
        expected = literal.project(
            walk,
            ranges,
            str(design),
            scenario is Scenario.PERFECT,
            lambda s: s["p"] >= 0.9 and s["evidence"] >= 5,
            READS,
        )

        assert [
            (len(r.kept), r.saved, r.ceiling, r.wrong + len(r.detours), r.handed_back)
            for r in found
        ] == list(expected)


# What that costs.


def test_a_collapsed_run_saves_its_turns_and_what_they_would_have_carried_on():
    usage = [Usage(100, 10, 1.0), Usage(150, 10, 1.5), Usage(200, 20, 2.0),
             Usage(230, 5, 2.3), Usage(240, 5, 2.4)]  # fmt: skip
    whole = RunProjection(Run(0, 3, 0, 3), 2, (), 0, 0, 0, 0, 0)
    found = saving([whole], usage, 50, Price(0.01, 0.02))

    carried = (150 - 100 - 10) + (200 - 150 - 10)  # of each turn after the run: two
    assert (found.turns, found.completion_tokens) == (2, 30)
    assert found.prompt_tokens == 150 + 200 + 2 * carried
    assert found.dollars == pytest.approx(1.5 + 2.0 + 2 * carried * 0.01)


@claim("projection:detour-cost")
def test_a_detour_is_carried_by_every_later_turn_that_remains():
    usage = [Usage(100, 10, 1.0)] * 5
    [run] = project(
        case((2, 2), (2, 3), (2, 2), (2, 2), (0, 0)), GATE, Scenario.HABIT_ONLY,
        Design.READ_ONLY, READS,
    )  # fmt: skip
    found = saving([run], usage, 50, Price(0.01, 0.02))

    assert (run.saved, run.detours) == (2, (0,))
    assert found.prompt_tokens == 200 - 50 * 2  # turns 1 and 4 remain after it
    assert found.dollars == pytest.approx(2.0 - 50 * 2 * 0.01)


def test_prices_are_recovered_from_costs_without_an_intercept():
    random = Random(3)
    tokens = [(random.randrange(1, 9000), random.randrange(1, 300)) for _ in range(50)]
    turns = [Usage(p, c, 2e-6 * p + 8e-6 * c) for p, c in tokens]

    assert price(turns) == pytest.approx(Price(2e-6, 8e-6))


def test_prices_of_turns_all_alike_are_of_the_prompt_alone():
    assert price([Usage(10, 0, 1.0), Usage(20, 0, 2.0)]) == Price(0.1, 0.0)
    assert price([]) == Price(0.0, 0.0)


def test_a_lookups_tokens_are_a_quarter_of_its_bytes_or_fitted_from_prompts():
    texts = [
        Text(2, 800, 1, 200, ((100, 30), (50, 15))),
        Text(2, 800, 1, 400, ((200, 60),)),
    ]

    found = lookup_tokens(texts)

    assert found.by_bytes == 100
    assert found.fitted == pytest.approx(300 * 0.3)
    assert lookup_tokens([Text(1, 8, 1, 8, ())]).fitted is None
