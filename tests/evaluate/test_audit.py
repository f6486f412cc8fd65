"""Audits: decision points, the agent's step, and the sums over them."""

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import Episode, ToolResult
from stretto.evaluate.as_program import agents_choices, decisions_run
from stretto.evaluate.audit import audit
from stretto.evaluate.calibration import calibration, expected_calibration_error
from stretto.evaluate.decisions import OTHER, Scored, decisions
from stretto.evaluate.headroom import headroom
from stretto.evaluate.one_by_one import OneByOne, one_by_one
from stretto.evaluate.replay import Replayer
from stretto.flow.deciders.decider import decider
from stretto.flow.deciders.protocol import Chances
from stretto.flow.decision import Reason
from stretto.flow.flow import Bar, Promotion
from stretto.flow.moment import Transcript
from stretto.models.lower import log_density
from stretto.program.handlers import score, simulate
from tests.claims import claim
from tests.evaluate.sessions import episodes
from tests.flow.test_decide import FLOW, ORDERS, Fixed, order
from tests.toys import Script, taught

FOUND = "find", {"email": "q@r.s"}, ORDERS


def scored(script: Script, weighed: dict[str, float], **kinds: Chances) -> list[Scored]:
    points = decisions(FLOW, Fixed(weighed, **kinds), script.episode())
    return [point for point in points if isinstance(point, Scored)]


@claim("measure:agreement")
def test_the_worked_example_scores_half_a_nat():
    [decision] = scored(
        Script().turn(FOUND).turn(order("W1")), {"get": 0.6, "respond": 0.3}
    )

    assert list(decision.probabilities) == ["get", "other", "respond"]
    assert -decision.log_p == pytest.approx(0.5108, abs=5e-5)
    assert decision.agreed


@claim("measure:agreement")
def test_a_reply_and_a_write_are_handing_back_and_a_read_not_offered_is_other():
    weighed = {"get": 0.6, "respond": 0.4}

    [reply] = scored(Script().turn(FOUND).reply(), weighed)
    [write] = scored(Script().turn(FOUND).turn(("cancel", {}, "ok")), weighed)
    [read] = scored(Script().turn(FOUND).turn(FOUND), weighed)

    assert (reply.actual, write.actual, read.actual) == ("respond", "respond", OTHER)
    assert read.p_actual == pytest.approx(1e-6, rel=1e-5)
    assert not read.offered


def test_only_the_first_call_of_a_parallel_turn_is_scored():
    [decision] = scored(
        Script().turn(FOUND).turn(FOUND, order("W1")), {"get": 0.6, "respond": 0.4}
    )[:1]

    assert decision.actual == OTHER


def test_each_call_of_a_turn_is_scored_behind_the_one_before():
    script = Script().turn(FOUND).turn(order("W1"), order("W2"), FOUND).reply()
    weigher = Fixed({"get": 0.6, "respond": 0.4})
    [apart] = OneByOne([script.episode()])

    each = [p for p in decisions(FLOW, weigher, apart) if isinstance(p, Scored)]

    assert [d.actual for d in each] == ["get", "get", OTHER, "respond"]
    assert audit(FLOW, [script.episode()], decider=weigher).decisions == 2
    assert audit(FLOW, [apart], decider=weigher).decisions == 4


@pytest.mark.parametrize("seed", range(5))
def test_one_call_at_a_time_is_what_a_flow_that_looks_nothing_up_is_asked_about(seed):
    """The same histories by another road: a replay that hands back everywhere."""
    several = 0
    for episode in episodes(seed, 6, unanswered=0.0):
        replayer = Replayer(FLOW, decider(FLOW, "habit"))
        walk, asked = replayer.walk(episode), list[list[int]]()
        while walk.advance():
            asked.append([*walk.moment().history])
            walk.answer(None)

        transcript, seen = Transcript(FLOW), list[list[int]]()
        for event in one_by_one(episode).events:
            transcript.add(event)
            if isinstance(event, ToolResult):
                seen.append([*transcript.moment().history])

        assert seen == asked
        several += any(len(turn.calls) > 1 for turn in episode.turns)
    assert several


def test_without_other_a_step_is_weighed_among_what_the_site_offers():
    [decision] = scored(
        Script().turn(FOUND).turn(order("W1")), {"get": 0.3, "respond": 0.2}
    )

    assert decision.p_actual == pytest.approx(0.3, abs=1e-5)
    assert decision.log_p_among == pytest.approx(math.log(0.6))


def test_independent_chances_leave_the_rest_to_handing_back():
    [decision] = scored(
        Script().turn(FOUND).reply(),
        {"get": 0.25, "respond": 0.0},
        chances=Chances.INDEPENDENT,
    )

    assert decision.p_actual == pytest.approx(0.75, abs=1e-5)


def test_independent_chances_beyond_one_are_scaled_down():
    [decision] = scored(
        Script().turn(FOUND).reply(),
        {"get": 1.0, "respond": 0.5},
        chances=Chances.INDEPENDENT,
    )

    assert math.fsum(decision.probabilities.values()) == pytest.approx(1.0)


def test_a_result_that_nothing_follows_is_no_decision_point():
    assert scored(Script().turn(FOUND), {"get": 1.0, "respond": 0.0}) == []


def test_points_where_the_flow_hands_back_unasked_are_counted_by_reason():
    held = replace(FLOW, promoted=Promotion(Bar(), {}))
    script = Script().turn(FOUND).reply().turn(("cancel", {}, "ok")).reply()

    assert audit(held, [script.episode()]).skipped == {Reason.NOT_PROMOTED: 2}
    assert audit(FLOW, [script.episode()]).skipped == {Reason.NO_OPTIONS: 1}


def test_an_audit_of_nothing_is_an_audit_of_nothing():
    found = audit(FLOW, [Episode("e", ())])

    assert (found.episodes, found.decisions, found.mean_log_p, found.ece) == (
        1,
        0,
        0,
        0,
    )


def test_the_habit_audits_a_flow_that_would_be_served_by_reach():
    assert audit(FLOW, []).decider == "habit"
    assert audit(FLOW, [], decider="reach").decider == "reach"


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40))
def test_tenths_hold_every_decision_once_and_the_error_is_a_mean_gap(points):
    bins = calibration(points)

    assert sum(b.decisions for b in bins) == len(points)
    by_hand = 0.0
    for tenth in range(10):
        here = [(p, a) for p, a in points if min(9, int(10 * p)) == tenth]
        if here:
            gap = sum(p for p, _ in here) - sum(a for _, a in here)
            by_hand += abs(gap) / len(points)
    assert expected_calibration_error(bins) == pytest.approx(by_hand)


@st.composite
def sessions(draw: st.DrawFn) -> Episode:
    script = Script().user("hi")
    for kind in draw(st.lists(st.sampled_from("fgcrp"), max_size=8)):
        match kind:
            case "f":
                script.turn(FOUND)
            case "g":
                script.turn(order(draw(st.sampled_from(["W1", "W2"]))))
            case "c":
                script.turn(("cancel", {}, ValueError("no")))
            case "p":
                script.turn(FOUND, order("W3"))
            case _:
                script.reply().user("ok")
    return script.episode()


@claim("audit:program", "audit:score")
@settings(max_examples=30, deadline=None)
@given(st.lists(sessions(), max_size=3), st.sampled_from(["habit", "reach"]))
def test_an_audit_is_its_programs_score_and_numpyros_log_density(episodes, name):
    found = audit(FLOW, episodes, decider=name)
    points = [
        point
        for episode in episodes
        for point in decisions(FLOW, decider(FLOW, name), episode)
        if isinstance(point, Scored)
    ]
    choices = agents_choices(points)

    run = score(decisions_run(points), choices)

    assert math.isclose(run.log_prob, found.log_p, rel_tol=1e-9, abs_tol=1e-12)
    density = log_density(lambda: decisions_run(points), choices)
    assert math.isclose(density, run.log_prob, rel_tol=1e-6, abs_tol=1e-9)


@claim("audit:prior")
def test_simulated_decisions_come_as_often_as_they_are_probable():
    [point] = scored(Script().turn(FOUND).reply(), {"get": 0.7, "respond": 0.3})
    random = Random(0)

    drawn = [simulate(decisions_run([point]), random).values for _ in range(2000)]

    share = sum(d["decision#0"] == 0 for d in drawn) / len(drawn)
    assert share == pytest.approx(0.7, abs=0.03)


@claim("headroom:measure", "measure:turn")
def test_runs_of_three_and_of_one_in_ten_turns_have_two_tenths_headroom():
    script = Script().reply().user("a").turn(FOUND).turn(FOUND, FOUND).turn(FOUND)
    script.reply()
    script.user("b").turn(FOUND).reply().reply().reply().reply()

    found = headroom([script.episode()])

    assert (found.turns, found.tool_turns, found.runs) == (10, 4, 2)
    assert found.share == pytest.approx(0.2)


@claim("headroom:measure")
def test_a_word_from_the_user_ends_a_run():
    script = Script().turn(FOUND).user("wait").turn(FOUND)

    assert headroom([script.episode()]).spared == 0


def test_a_flow_learned_from_sessions_fits_them_better_than_strangers():
    own = [Script().turn(FOUND).turn(order("W1")).reply().episode() for _ in range(9)]
    flow = taught(own).flow
    others = [Script().turn(FOUND).reply().episode()]

    assert audit(flow, own).mean_log_p > audit(flow, others).mean_log_p
