"""What an oracle adds to phase 0: who is asked, what decides, and what that saves."""

from dataclasses import replace

import pytest

from stretto.evaluate.phase0 import Settings, phase0
from stretto.evaluate.projection import Design, Scenario
from stretto.evaluate.sketch import Side
from stretto.evaluate.transfer import POOLED
from stretto.flow.deciders.arbiter import Asker
from stretto.learn.any_tool import AnyAsker
from stretto.learn.arbiter import Arbitration
from stretto.learn.cases import steps_asked
from stretto.learn.opinion_rows import LIKELY, SURE
from stretto.learn.opinions import opinions
from stretto.oracle.answer import ChoiceAnswer, NoulAnswer
from stretto.oracle.scripted import ScriptedOracle
from tests.flow.test_arbiter_decider import sure_of
from tests.flow.test_decide import order
from tests.models import newton
from tests.toys import SHOP, Script


def reader(*orders: str) -> Script:
    """A customer whose orders the agent reads one after the other."""
    script = Script().user("hi").turn(("find", {"email": "a@b.c"}, [*orders]))
    for name in orders:
        script.turn(order(name))
    return script.reply()


EPISODES = [
    replace(
        (reader("W101", "W102") if n % 3 else reader("W101")).episode(f"e{n}"),
        task=f"t{n % 15}",
        agent="ab"[n % 2],
    )
    for n in range(30)
]
TEST = {f"t{n}" for n in range(10, 15)}
FOUND = phase0(
    EPISODES,
    SHOP,
    Settings(
        side=lambda task: Side.TEST if task in TEST else Side.TRAIN,
        alpha=1.0,
        features=False,
    ),
)


def told(oracle, found=FOUND):
    how = Arbitration(model="scripted", ask=lambda _: oracle, fit=newton.fitter)
    result = opinions(EPISODES, SHOP, found, how)
    assert result is not None
    return result


def row(rows, scenario, threshold=None, agent=POOLED, gate="validated"):
    [found] = [
        r
        for r in rows
        if (r.agent, r.design, r.scenario, r.threshold, r.gate)
        == (agent, Design.READ_ONLY, scenario, threshold, gate)
    ]
    return found


def answers(request, option):
    """Certain of one option."""
    given = {}
    for id, question in request.questions.items():
        if id == "next":
            rest = dict.fromkeys(question.criteria, 0.0)
            given[id] = ChoiceAnswer(option, rest | {option: 1.0})
        elif id == "tool":
            pick = option if option != "respond" else next(iter(question.criteria))
            given[id] = ChoiceAnswer(pick, {pick: 1.0})
        else:
            given[id] = NoulAnswer(0.0 if option == "respond" else 1.0)
    return given


def test_every_step_after_a_call_with_a_lookup_to_offer_is_asked_about():
    found = told(sure_of("get"))
    held_out = [e for e in EPISODES if e.task in TEST]
    calls = sum(len(turn.calls) for e in held_out for turn in e.turns)

    assert found.decisions == calls  # each call is followed by a step
    assert found.asked == found.answered == calls
    assert found.one.agreed.whole == calls
    assert set(found.by_agent) == {"a", "b"}
    assert sum(a.agreed.whole for a in found.by_agent.values()) == calls


def test_agreement_is_of_the_option_that_was_given_most():
    found = told(sure_of("get"))
    took_get = sum(
        call.tool == "get"
        for e in EPISODES
        if e.task in TEST
        for turn in e.turns
        for call in turn.calls
    )

    assert found.one.agreed.part == took_get
    assert found.one.curve[2][1].value == 1.0  # it is 0.9 sure of everything


def test_every_scenario_has_a_row_at_each_of_its_thresholds():
    rows = told(sure_of("get")).rows
    pooled = [(r.scenario, r.threshold) for r in rows if r.agent == POOLED]

    assert pooled == [
        *((Scenario.ORACLE, t) for t in SURE),
        *((Scenario.TWO_KEYS, t) for t in SURE),
        *((Scenario.ARBITRATED, t) for t in SURE),
        *((Scenario.LOOKUP_FIRST, t) for t in LIKELY),
    ]
    assert {r.agent for r in rows} == {POOLED, "a", "b"}


def test_an_oracle_that_always_reads_saves_runs_and_goes_on_too_long():
    found = row(told(sure_of("get")).rows, Scenario.ORACLE, 0.9)
    perfect = row(FOUND.outlook, Scenario.PERFECT)

    assert found.turns.part == perfect.turns.part > 0
    assert found.with_detour.value == 1.0  # it never stops
    assert found.unsure == found.stopped == 0
    less_sure = row(told(sure_of("get")).rows, Scenario.ORACLE, 0.95)
    habit = row(FOUND.outlook, Scenario.HABIT_ONLY)
    assert less_sure.turns.part == habit.turns.part < found.turns.part


def test_an_oracle_that_never_reads_saves_no_more_than_the_habit():
    found = row(told(sure_of("respond")).rows, Scenario.ORACLE, 0.9)
    habit = row(FOUND.outlook, Scenario.HABIT_ONLY)

    assert (found.turns, found.with_detour) == (habit.turns, habit.with_detour)
    assert (found.stopped, habit.unsure) == (8, 8)


def test_two_keys_save_where_habit_and_oracle_turn_alike():
    rows = told(sure_of("get")).rows
    habit = [
        s.top
        for foretold in FOUND.foresight.foretold
        if foretold is not None
        for s in foretold.steps
    ]
    both, alone = (row(rows, s, 0.9) for s in (Scenario.TWO_KEYS, Scenario.ORACLE))

    assert set(habit) != {FOUND.vocab.id("get")}
    assert both.turns.part <= alone.turns.part
    assert both.with_detour.part < alone.with_detour.part


def test_the_likeliest_lookup_comes_first_whatever_handing_back_has():
    rows = told(sure_of("respond")).rows
    first = row(rows, Scenario.LOOKUP_FIRST, 0.2)
    arbitrated = row(rows, Scenario.ARBITRATED, 0.5)

    assert first.stopped == 0
    assert first.turns.part >= arbitrated.turns.part


def test_an_oracle_that_knows_saves_what_a_perfect_one_would():
    took = iter(
        [
            step
            for episode in EPISODES
            if episode.task in TEST
            for step in (*(c.tool for t in episode.turns for c in t.calls), "respond")
        ]
    )
    known: dict[str, str] = {}

    def ask(requests):
        """Each session is asked about before every step but its first."""
        for request in requests:
            if (step := next(took)) == "find":
                step = next(took)
            known[request.key] = step
        return ScriptedOracle(lambda r: answers(r, known[r.key]))

    how = Arbitration(model="scripted", ask=ask, fit=newton.fitter)
    result = opinions(EPISODES, SHOP, FOUND, how)
    assert result is not None
    found = row(result.rows, Scenario.ORACLE, 0.99)
    perfect = row(FOUND.outlook, Scenario.PERFECT)

    assert result.one.agreed.value == 1.0
    assert result.one.ece == pytest.approx(0.0)
    assert found.turns.part == perfect.turns.part > 0
    assert found.with_detour.part == 0


def test_without_foresight_nobody_is_asked():
    def refuse(_):
        raise AssertionError

    how = Arbitration(model="scripted", ask=refuse, fit=newton.fitter)

    assert opinions(EPISODES, SHOP, replace(FOUND, foresight=None), how) is None


def perfect(any_tool=False):
    """What an oracle says that knows every step, of lookups and of any tool."""
    took = {}
    flow = told(sure_of("get")).heard.flow
    asker = Asker.of(flow)
    for episode in EPISODES:
        if episode.task in TEST:
            for step in steps_asked(flow, asker, episode):
                took[step.request.key] = step.took
            for step in AnyAsker.of(asker).steps(episode):
                took[step.request.key] = step.took
    oracle = ScriptedOracle(lambda r: answers(r, took[r.key]))
    how = Arbitration(model="scripted", ask=lambda _: oracle, fit=newton.fitter)
    return opinions(EPISODES, SHOP, FOUND, how, any_tool=any_tool)


def test_an_oracle_that_knows_any_tool_saves_what_a_perfect_one_would():
    found = perfect(any_tool=True)
    [best] = [
        r for r in FOUND.outlook
        if (r.agent, r.design, r.scenario, r.gate)
        == (POOLED, Design.ANY_TOOL, Scenario.PERFECT, "validated")
    ]  # fmt: skip
    rows = [r for r in found.rows if r.design is Design.ANY_TOOL]

    assert [(r.scenario, r.threshold) for r in rows] == [
        *((Scenario.ORACLE, t) for t in SURE),
        *((Scenario.TWO_KEYS, t) for t in SURE),
    ]
    assert {r.turns for r in rows if r.scenario is Scenario.ORACLE} == {best.turns}
    assert {r.with_wrong.part for r in rows} == {0}
    assert found.any_tool.asked == found.decisions
    assert found.any_tool.agreement.agreed.value == 1.0
    assert perfect().any_tool is None


def test_what_was_heard_is_what_was_asked_and_answered():
    found = told(sure_of("get"))
    heard = found.heard

    assert len(heard.steps) == found.answered
    assert heard.flow.folds
    assert heard.candidates == {}
    assert heard.targets == frozenset()
