"""A flow with an arbiter: what is held out, and what is learned from."""

from dataclasses import replace

import pytest

from stretto.episodes.tasks import learn_split
from stretto.errors import NothingToLearn, OracleError
from stretto.flow.fitting import Fitting
from stretto.flow.flow import Feed
from stretto.learn.arbiter import Arbitration, learn_arbitrated
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.oracle.mock import Mock
from stretto.oracle.predicates import Predicate, shipped_predicates
from stretto.oracle.scripted import ScriptedOracle
from tests.claims import claim
from tests.flow.test_arbiter_decider import sure_of
from tests.flow.test_decide import ORDERS, order, reader
from tests.models import newton
from tests.toys import SHOP, Script

SETTINGS = Settings(alpha=1.0, features=False, now_ms=lambda: 0)

EPISODES = [
    *(reader().episode(f"t{n}") for n in range(7)),
    *(
        Script().user("hi").turn(("find", {}, ORDERS)).reply().episode(f"t{n}")
        for n in range(7, 10)
    ),
]

SPLIT = learn_split([episode.task for episode in EPISODES])


def arbitration(oracle=None, **how):
    asked = sure_of("get") if oracle is None else oracle
    return Arbitration(model=asked.model, ask=lambda _: asked, fit=newton.fitter, **how)


def learned(how, episodes=EPISODES, settings=SETTINGS):
    return learn_arbitrated(episodes, SHOP, settings, how)


@claim("cold:split")
def test_the_habit_is_learned_from_most_tasks_and_the_fit_from_the_others():
    found = learned(arbitration())

    assert found.split == SPLIT
    train = replace(SETTINGS, tasks=SPLIT.train.__contains__)
    assert found.flow.habit == learn(EPISODES, SHOP, train).flow.habit
    assert {one.asked.task for one in found.answered} == {*SPLIT.held_out}
    assert found.flow.provenance.arbiter_cases == len(found.answered)
    assert found.flow.provenance.habit_episodes == len(SPLIT.train)
    assert sum(found.fold_sizes) == len(found.answered)


@claim("folds:five")
def test_five_copies_of_one_fit_are_served_unless_each_fold_has_its_own():
    pooled = learned(arbitration()).flow.folds
    by_fold = learned(arbitration(fitting=Fitting(by_fold=True))).flow.folds

    assert len(pooled) == len(by_fold) == 5
    assert len({*(fit.weights for fit in pooled)}) == 1
    assert len({*(fit.weights for fit in by_fold)}) > 1


def test_the_flow_asks_what_the_fit_was_learned_with():
    flow = learned(arbitration()).flow

    assert flow.predicates == flow.weighed == shipped_predicates()
    assert flow.model == "scripted"


@claim("predicates:unweighed")
def test_predicates_can_be_asked_and_not_weighed():
    flow = learned(arbitration(weighs_predicates=False)).flow

    assert flow.predicates == shipped_predicates()
    assert flow.weighed == ()
    assert len(flow.folds[0].weights) == 5


def test_a_habit_learned_again_is_that_of_all_sessions_and_the_fit_stays():
    once = learned(arbitration()).flow
    refitted = learned(arbitration(refits_habit=True)).flow

    assert refitted.folds == once.folds
    assert refitted.habit == learn(EPISODES, SHOP, SETTINGS).flow.habit != once.habit
    assert refitted.provenance.habit_episodes == len(EPISODES)
    assert refitted.provenance.arbiter_cases == once.provenance.arbiter_cases


def test_held_out_sessions_that_failed_are_cases_too():
    failed = [
        replace(e, reward=0.0) if e.task in SPLIT.held_out else e for e in EPISODES
    ]

    assert len(learned(arbitration(), failed).answered) == len(
        learned(arbitration()).answered
    )


def test_only_the_chosen_tasks_are_held_out_or_learned_from():
    chosen = replace(SETTINGS, tasks=lambda task: task != SPLIT.held_out[0])

    found = learned(arbitration(), settings=chosen)

    assert SPLIT.held_out[0] not in {*found.split.train, *found.split.held_out}


def test_every_distinct_step_is_asked_once():
    asked = []

    def noting(requests):
        asked.extend(requests)
        return sure_of("get")

    found = learned(replace(arbitration(), ask=noting))

    assert [request.key for request in asked] == [
        one.request.key for one in found.steps
    ]


def test_candidates_are_asked_alone_about_the_same_states():
    candidate = Predicate("greeted", "hand_back", "Was hello said?", "Yes.", "No.")
    asked = []
    oracle = ScriptedOracle(lambda r: asked.append(r) or sure_of("get").answer(r))

    found = learned(arbitration(oracle, candidates=(candidate,)))

    alone = [r for r in asked if [*r.questions] == ["pred_greeted"]]
    keys = {one.asked.request.key for one in found.answered}
    assert {k: dict(v) for k, v in found.candidates.items()} == {
        key: {"greeted": 0.9} for key in keys
    }
    states = {one.asked.request.key: one.asked.request.state for one in found.answered}
    assert all(request.state in states.values() for request in alone)


def test_one_task_alone_cannot_be_split():
    with pytest.raises(NothingToLearn, match="fewer than two"):
        learned(arbitration(), [reader().episode("only")])


def test_without_an_answer_there_is_nothing_to_fit():
    def tired(_):
        raise OracleError("tired")

    with pytest.raises(NothingToLearn, match="held-out steps"):
        learned(arbitration(ScriptedOracle(tired)))


@claim("sites:every-read")
def test_every_read_can_be_offered_after_every_call():
    flow = learn(EPISODES, SHOP, replace(SETTINGS, every_read=True)).flow

    assert flow.sites.every_read


def test_hints_are_counted_on_the_sessions_learned_from():
    cancelled = [
        Script()
        .user("hi")
        .turn(("find", {}, ORDERS))
        .turn(order("W123"))
        .turn(("cancel", {"id": "W123"}, "ok"))
        .reply()
        .episode(f"c{n}")
        for n in range(8)
    ]

    plain = learn(cancelled, SHOP, SETTINGS).flow
    hinted = learn(cancelled, SHOP, replace(SETTINGS, hints=True)).flow

    assert plain.sites.feeds == {}
    assert hinted.sites.feeds == {"get": {Feed("cancel", "id"): 8}}
    described = (
        learned(arbitration(Mock()), cancelled, replace(SETTINGS, hints=True))
        .steps[0]
        .request.questions["next"]
    )
    assert "cancel" in described.criteria["get"]
