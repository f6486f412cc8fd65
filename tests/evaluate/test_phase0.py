"""Phase 0 of real agents: what the paper says of others, and what these come to."""

import pytest

from stretto.episodes.manifest import read_manifest
from stretto.evaluate.anatomy import TurnKind
from stretto.evaluate.phase0 import Phase0, Settings, phase0
from stretto.evaluate.projection import Design, Scenario
from stretto.evaluate.sketch import Side
from stretto.evaluate.transfer import POOLED
from stretto.files import read_json
from stretto.traces.reader import ReadOptions, read
from tests.claims import claim
from tests.conftest import shared

CODESQUE = "sessions/tau2-retail-codesque16/retail__"
PRS = "sessions/tau2-sierra-prs/airline__"
RETAIL = {
    "gpt-4.1-mini": f"{CODESQUE}gpt-4.1-mini__run1__114.jsonl.gz",
    "gpt-5-mini": f"{CODESQUE}gpt-5-mini__114.jsonl.gz",
    "gemini-3-flash": f"{CODESQUE}gemini-3-flash__tasks-verified__114.jsonl.gz",
}
AIRLINE = {
    "opus": f"{PRS}claude-opus-4-6-button__50.json.gz",
    "gpt-4o": f"{PRS}gpt-4o-2024-11-20__50.json.gz",
}
CASCATA = {"cascata": f"{PRS}claude-opus-4-6-cascata__50.json.gz"}


def measured(domain: str, files: dict[str, str], targets: dict[str, str]) -> Phase0:
    split = read_json(shared(f"splits/{domain}.json"))
    sides = {
        task.text(): side for side in Side if side is not Side.NEITHER
        for task in split[side].array()
    }  # fmt: skip
    sessions = [
        episode
        for agent, file in (files | targets).items()
        for episode in read(
            [shared(file)], options=ReadOptions(agent=agent, domain=domain)
        )
    ]
    settings = Settings(
        side=lambda task: sides.get(task, Side.NEITHER), targets=frozenset(targets)
    )
    manifest = read_manifest(shared(f"manifests/{domain}.json"))
    return phase0(sessions, manifest, settings)


@pytest.fixture(scope="module")
def retail() -> Phase0:
    return measured("retail", RETAIL, {})


@pytest.fixture(scope="module")
def airline() -> Phase0:
    return measured("airline", AIRLINE, CASCATA)


def percent(share) -> float:
    return round(100 * share.value, 1)


def agent(found: Phase0, name: str):
    [row] = [row for row in found.agents if row.agent == name]
    return row


def test_the_concentrations_are_the_known_ones(retail, airline):
    assert round(retail.foresight.alpha, 3) == 5.719
    assert 6.891 < airline.foresight.alpha < 12.072


@claim("headroom:retail")
def test_headroom_of_the_agents_at_hand(retail, airline):
    assert percent(retail.agents[0].headroom) == 23.0
    assert percent(airline.agents[0].headroom) == 17.6
    assert retail.agents[0].agent == airline.agents[0].agent == POOLED


@claim("headroom:batching")
def test_who_calls_most_in_parallel_leaves_least_headroom(retail, airline):
    rows = [row for row in retail.agents if row.agent != POOLED]
    most = max(rows, key=lambda row: row.parallel.value)
    one, other = agent(airline, "opus"), agent(airline, "cascata")

    assert most.headroom.value == min(row.headroom.value for row in rows)
    # one model, in two harnesses
    assert one.parallel.value > 0.45
    assert other.parallel.value < 0.05
    assert one.headroom.interval.high < other.headroom.interval.low


@claim("provenance:retail", "provenance:airline")
def test_where_the_write_arguments_of_the_agents_at_hand_come_from(retail, airline):
    for found, n, expected in (
        (retail, 2376, (89.4, 5.1, 1.0)),
        (airline, 761, (84.2, 0.9, 2.6)),
    ):
        rows = {row.origin: row.writes for row in found.origins}
        names = ("in a tool output", "user", "generated")

        assert tuple(percent(rows[name]) for name in names) == expected
        assert rows["user"].whole == n


@claim("coverage:actions", "coverage:features")
def test_what_habits_of_the_agents_at_hand_cover_after_a_tool(retail, airline):
    covered = [
        [percent(v.after_tool.coverage) for v in found.foresight.variants]
        for found in (retail, airline)
    ]

    assert covered[0] == [8.2, 20.0, 21.9]
    assert covered[1][0] == covered[1][1] == 11.8
    assert covered[1][2] < covered[1][1]


@claim("coverage:agreement")
def test_how_often_a_sure_habit_agrees_with_the_agents_at_hand(retail, airline):
    agreed = [
        percent(r.agreement)
        for found in (retail, airline)
        for r in found.foresight.reliance
        if r.threshold >= 0.8 and r.agreement.whole
    ]

    assert (min(agreed), max(agreed)) == (85.4, 100.0)


def of_agents(rows, share) -> list[float]:
    """The shares of the agents learned from, in the order of their names."""
    return [
        percent(share(row)) for row in rows if row.agent != POOLED and not row.is_target
    ]


@claim("anatomy:language")
def test_what_the_turns_of_the_agents_at_hand_are_for(retail, airline):
    language = [of_agents(d.anatomy, lambda a: a.language) for d in (retail, airline)]
    reads = [
        of_agents(d.anatomy, lambda a: a.kinds[TurnKind.READS])
        for d in (retail, airline)
    ]

    assert language == [[69.7, 86.6, 73.3], [81.8, 83.0]]
    assert reads == [[28.0, 12.0, 23.2], [14.6, 14.2]]


@claim("anatomy:rules")
def test_what_rules_of_the_agents_at_hand_cover_and_how_they_hold(retail, airline):
    covered = [
        of_agents(d.foresight.sure, lambda s: s.covered) for d in (retail, airline)
    ]
    agreed = [
        of_agents(d.foresight.sure, lambda s: s.agreed) for d in (retail, airline)
    ]

    assert covered == [[16.2, 12.9, 1.8], [0.0, 2.1]]
    assert agreed == [[98.0, 69.2, 60.0], [0.0, 100.0]]


@claim("next:commit")
def test_what_bundling_the_writes_of_the_agents_at_hand_would_save(retail, airline):
    bundled = [of_agents(d.agents, lambda a: a.bundled) for d in (retail, airline)]

    assert bundled == [[1.8, 0.5, 3.0], [1.1, 0.9]]


def test_reach_and_the_habit_of_the_agents_at_hand_are_calibrated_so(retail, airline):
    habit, reach = (
        [round(100 * of(d.foresight.sites[0]).ece, 1) for d in (retail, airline)]
        for of in (lambda row: row.habit, lambda row: row.reach)
    )

    assert (habit, reach) == ([1.2, 5.8], [2.0, 13.3])


@claim("coverage:validated")
def test_contexts_that_hold_up_hand_back(retail, airline):
    [start] = airline.foresight.validated

    assert retail.foresight.validated == ()
    assert (start.action, start.agreed.part, start.agreed.whole) == (0, 37, 37)
    assert (start.held_out.part, start.held_out.whole) == (40, 40)


@claim("transfer:models")
def test_how_far_habits_of_the_agents_at_hand_carry(retail, airline):
    def losses(found: Phase0, agents: int) -> list[float]:
        top1 = found.foresight.transfer.top1
        return sorted(
            round(100 * (top1[own][own].value - top1[row][own].value), 1)
            for own in range(agents)
            for row in range(agents)
            if row != own
        )

    first, *_, last = losses(retail, 3)
    assert (round(first), round(last)) == (1, 15)
    first, last = losses(airline, 2)
    assert (round(first), round(last)) == (-2, 20)


@claim("ceiling:read-only")
def test_what_a_perfect_oracle_would_save_of_the_agents_at_hand(retail, airline):
    def saved(found: Phase0, design: Design) -> float:
        [row] = [
            row for row in found.outlook
            if (row.agent, row.design, row.scenario, row.gate)
            == (POOLED, design, Scenario.PERFECT, "validated")
        ]  # fmt: skip
        return percent(row.turns)

    assert [saved(f, Design.READ_ONLY) for f in (retail, airline)] == [21.2, 13.0]
    assert [saved(f, Design.ANY_TOOL) for f in (retail, airline)] == [23.0, 14.2]


@claim("lookup-first:tokens")
def test_how_long_a_lookup_of_the_agents_at_hand_is(retail, airline):
    found = [(round(f.tokens.by_bytes), round(f.tokens.fitted))
             for f in (retail, airline)]  # fmt: skip

    assert found == [(246, 363), (189, 295)]


def test_prices_are_those_of_the_providers_list(airline):
    prompt, completion = airline.prices["opus"]

    assert prompt == pytest.approx(5e-6, rel=1e-9)
    assert completion == pytest.approx(25e-6, rel=1e-9)


def test_no_projection_saves_more_than_its_ceiling_or_pauses_for_nothing(
    retail, airline
):
    for row in (*retail.outlook, *airline.outlook):
        assert 0 <= row.turns.part <= row.ceiling.part <= row.turns.whole
        if row.scenario is Scenario.PERFECT:
            assert row.unsure == 0
        if row.design is Design.ANY_TOOL:
            assert row.handed_back == row.with_detour.part == 0
        else:
            assert row.with_wrong.part == 0
