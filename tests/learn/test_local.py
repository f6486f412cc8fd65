"""The decisions that a local model learns from."""

import math
from dataclasses import replace

import pytest

from stretto.episodes.manifest import read_manifest
from stretto.episodes.tasks import fold
from stretto.errors import NothingToLearn
from stretto.evaluate.decisions import OTHER, Scored, decisions
from stretto.flow.deciders.habit import HabitDecider
from stretto.learn.learn import learn
from stretto.learn.local import N_FLOWS, local_cases, local_flows, survey_local
from stretto.learn.settings import Settings
from stretto.oracle.wording import shipped_wording
from stretto.traces.reader import read
from tests.conftest import shared
from tests.oracle.local.sessions import DESK, cases_of, desk_cases, desk_sessions

RUN = "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"


def test_each_result_that_something_follows_is_a_decision():
    cases = [case for case in desk_cases(30) if case.task == "task 6"]

    assert [case.site for case in cases] == ["find_reader", *["get_loan"] * 3]
    assert [case.taken for case in cases] == [*["get_loan"] * 3, "respond"]
    assert all(case.agent == "agent 0" for case in cases)


def test_failed_sessions_are_learned_from_but_not_by_the_flows():
    sessions = [*desk_sessions(30)]
    all_failed = [replace(session, reward=0.0) for session in sessions]

    assert {case.task for case in desk_cases(30)} == {s.task for s in sessions}
    with pytest.raises(NothingToLearn, match="succeeded"):
        cases_of(all_failed)


def test_flows_may_leave_an_agent_out_whose_decisions_are_still_told():
    sessions = [*desk_sessions(30, repeats=2)]

    cases = cases_of(sessions, agents=lambda agent: agent != "agent 1")

    assert {case.agent for case in cases} == {"agent 0", "agent 1"}
    habits = [case.habit for case in desk_cases(30)]
    assert [case.habit for case in cases if case.agent == "agent 0"] == habits


def test_tasks_of_two_folds_are_too_few():
    two = [s for s in desk_sessions(30) if fold(s.task) in (1, 3)]

    with pytest.raises(NothingToLearn, match="2 of 5 folds"):
        cases_of(two)


def test_a_survey_names_what_is_there_and_its_digest_is_of_the_content():
    sessions = [*desk_sessions(6, repeats=2)]
    renamed = [replace(session, id=f"x{session.id}") for session in sessions]
    other = [*sessions[:-1], replace(sessions[-1], reward=0.5)]

    found = survey_local([*sessions, replace(sessions[0], events=())])

    assert found.places == [*range(12)]
    assert len(found.tasks) == 6
    assert found.agents == {"agent 0", "agent 1"}
    assert survey_local(renamed).sha256 == found.sha256
    assert survey_local(other).sha256 != found.sha256
    assert survey_local(sessions, lambda task: task == "task 3").places == [6, 7]


@pytest.fixture(scope="module")
def retail():
    manifest = read_manifest(shared("manifests/retail.json"))
    return [e for e in read([shared(RUN)]) if e.events], manifest


def test_the_habit_of_a_decision_is_its_folds_and_its_step_what_an_audit_sees(retail):
    """Of sessions that call one tool at a time, whose steps an audit sees too."""
    episodes, manifest = retail
    cases = cases_of(episodes, manifest)
    flows = [
        learn(episodes, manifest, Settings(tasks=lambda t, f=f: fold(t) != f)).flow
        for f in range(5)
    ]
    n = 0

    for episode in episodes:
        if any(len(turn.calls) > 1 for turn in episode.turns):
            continue
        out = fold(episode.task)
        flow = flows[out]
        own = [case for case in cases if case.task == episode.task and case.habit]
        audited = [
            point
            for point in decisions(flow, HabitDecider(flow), episode)
            if isinstance(point, Scored)
        ]
        assert len(own) == len(audited)
        for case, point in zip(own, audited, strict=True):
            assert case.site == str(point.site)
            assert case.offered[out] == point.probabilities.keys() - {OTHER}
            if point.actual == OTHER:
                assert case.taken not in case.offered[out]
                continue
            assert case.taken == point.actual
            p = case.habit[point.actual]
            assert math.log(p) == pytest.approx(point.log_p, abs=1e-4)
            n += 1

    assert n > 50


def test_every_case_holds_the_offers_of_each_fold_and_of_all():
    for case in desk_cases(30):
        assert len(case.offered) == N_FLOWS
        assert all(offered <= {*case.options} for offered in case.offered)
        assert set().union(*case.offered) == {*case.options}


def test_unseen_sessions_have_the_habit_of_all_tasks():
    flows = local_flows([*desk_sessions(30)], DESK)
    new = [replace(session, task=f"new {session.task}") for session in desk_sessions(6)]

    cases = local_cases(new, flows, shipped_wording(), unseen=True)

    habit = flows[-1].habit.predict([])
    assert len(cases) == 9
    for case in cases:
        assert case.habit.keys() == case.offered[-1]
        assert sum(case.habit.values()) == pytest.approx(1)
    assert len(habit) == flows[-1].vocab.size
