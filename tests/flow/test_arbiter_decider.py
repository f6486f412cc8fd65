"""The decider that asks: what it asks, how it weighs, and what becomes of no answer."""

from dataclasses import replace

import pytest

from stretto.episodes.episode import AssistantTurn
from stretto.episodes.manifest import ToolDocs
from stretto.episodes.tasks import task_group
from stretto.errors import AnswerMissing, CannotDecide, OracleError
from stretto.evaluate.audit import audit
from stretto.evaluate.decisions import Scored, decisions, questions
from stretto.evaluate.replay import replay
from stretto.flow.decide import Undecided, begin, decide
from stretto.flow.deciders.arbiter import arbiter
from stretto.flow.deciders.decider import decider
from stretto.flow.decision import Decision, HandBack, Lookup, Reason
from stretto.flow.flow import Feed, Fit, Rates, SiteRate
from stretto.flow.judge import features, judge
from stretto.flow.moment import Transcript
from stretto.oracle.answer import ChoiceAnswer, NoulAnswer, Response
from stretto.oracle.mock import Mock
from stretto.oracle.next_step import read_next_step
from stretto.oracle.predicates import shipped_predicates
from stretto.oracle.scripted import ScriptedOracle
from stretto.oracle.state import Slice
from stretto.oracle.wording import shipped_wording
from tests.claims import claim
from tests.flow.test_decide import FLOW, ORDERS, order, reader
from tests.toys import Script

UP = Fit((0.5, 1.0, 0.5, 0.0, 0.5, 0.2, 0.3, 0.4), Rates({}, 0.7, 0.9))
DOWN = replace(UP, weights=(0.5, -1.0, -0.5, 0.0, -0.5, -0.2, -0.3, -0.4))

ARBITER = replace(
    FLOW,
    predicates=shipped_predicates(),
    weighed=shipped_predicates(),
    folds=(UP, DOWN),
    model="jev-latest",
)


def sure_of(option):
    """An oracle that gives the option 0.9, and goes on where it is a lookup."""

    def answers(request):
        given = {}
        for id, question in request.questions.items():
            if id.startswith(("pred_", "go_on")):
                given[id] = NoulAnswer(0.1 if option == "respond" else 0.9)
            elif option not in question.criteria:
                options = list(question.criteria)
                given[id] = ChoiceAnswer(options[0], {options[0]: 1.0})
            else:
                others = [o for o in question.criteria if o != option]
                rest = {o: 0.1 / len(others) for o in others}
                given[id] = ChoiceAnswer(
                    option, {option: 1 - sum(rest.values()), **rest}
                )
        return given

    return ScriptedOracle(answers)


def task_of(fold):
    return next(str(i) for i in range(9) if task_group(str(i)) % 2 == fold)


def moment(flow=ARBITER, *, fold=0):
    """After the customer was found."""
    events = Script().user("hi").turn(("find", {"email": "x@y.z"}, ORDERS)).events
    asking = arbiter(flow)
    found = Transcript.of(flow, events, state=asking.state(), task=task_of(fold))
    return asking, found.moment()


def test_it_asks_about_the_episode_so_far_and_the_lookups_on_offer():
    asking, at = moment()

    request = asking.question(at, ("get",))

    assert request.model == "jev-latest"
    assert request.state == at.state.json()
    assert [*request.questions["next"].criteria] == ["get", "respond"]
    assert {"pred_list_pending", "pred_needs_options", "pred_must_ask"} < {
        *request.questions
    }


@claim("predicates:asked", "questions:one-request")
def test_all_of_a_sites_questions_go_in_one_request():
    asked = []
    oracle = sure_of("get")
    noting = ScriptedOracle(lambda r: asked.append(r) or oracle.answer(r))
    asking, at = moment()

    decided = decide(ARBITER, at, asking, oracle=noting)

    [request] = asked
    assert len(request.questions) == 5
    assert decided.request == request
    assert decided.response.answers.keys() == request.questions.keys()


def test_it_weighs_what_was_answered_by_the_fit_of_its_tasks_fold():
    for fold, fit in enumerate((UP, DOWN)):
        asking, at = moment(fold=fold)
        request = asking.question(at, ("get",))
        response = sure_of("get").ask(request)
        prior = decider(ARBITER, "habit").weigh(at, ("get",))
        answer = read_next_step(response, ("get",), ARBITER.predicates)

        weighed = asking.weigh(at, ("get",), response)

        seen = features(at.site, prior, answer, ARBITER.weighed)
        assert weighed == judge(fit, seen)
        assert sum(weighed.values()) == pytest.approx(0.9)


def test_a_lookup_the_model_is_sure_of_is_made_and_one_it_is_not_is_handed_back():
    asking, at = moment()

    assert isinstance(decide(ARBITER, at, asking, oracle=sure_of("get")).action, Lookup)
    handed_back = decide(ARBITER, at, asking, oracle=sure_of("respond")).action
    assert isinstance(handed_back, HandBack)
    assert handed_back.code is Reason.BELOW


def test_asking_can_be_put_between_the_two_halves_of_a_decision():
    asking, at = moment()

    begun = begin(ARBITER, at, asking)

    assert isinstance(begun, Undecided)
    oracle = sure_of("get")
    decided = decide(ARBITER, at, asking, oracle=oracle)
    assert begun.conclude(oracle.ask(begun.request)) == decided


def test_a_decider_that_asks_nothing_decides_at_once():
    _, at = moment()

    assert isinstance(begin(ARBITER, at, decider(ARBITER, "habit")), Decision)


@pytest.mark.parametrize(
    "error", [OracleError("no network"), AnswerMissing("abc", "here"), ValueError("?")]
)
def test_without_an_answer_the_flow_hands_back_and_says_why(error):
    def fails(_):
        raise error

    asking, at = moment()

    decided = decide(ARBITER, at, asking, oracle=ScriptedOracle(fails))

    assert decided.action.code is Reason.ORACLE_FAILED
    assert str(error) in decided.action.text
    assert decided.request is not None
    assert decided.response is None
    assert decided.probabilities == {}


@pytest.mark.parametrize("missing", ["next", "go_on", "tool"])
def test_without_one_of_the_answers_it_takes_the_flow_hands_back(missing):
    flow = replace(
        ARBITER, sites=replace(ARBITER.sites, reads=("find", "get"), every_read=True)
    )

    def all_but_one(request):
        answers = sure_of("get").answer(request)
        del answers[missing]
        return answers

    asking, at = moment(flow)

    decided = decide(flow, at, asking, oracle=ScriptedOracle(all_but_one))

    assert decided.action.code is Reason.ORACLE_INCOMPLETE


def test_an_unanswered_predicate_does_not_keep_it_from_deciding():
    def all_but_one(request):
        answers = sure_of("get").answer(request)
        del answers["pred_must_ask"]
        return answers

    asking, at = moment()

    assert decide(ARBITER, at, asking, oracle=ScriptedOracle(all_but_one)).probabilities


@pytest.mark.parametrize(
    "hostile",
    [
        {"next": ChoiceAnswer("drop_table", {"drop_table": 1.0})},
        {"next": ChoiceAnswer("get", {"get": float("nan"), "respond": 0.5})},
        {"next": ChoiceAnswer("get", {"get": 7.0, "respond": -6.0})},
        {"next": NoulAnswer(0.5)},
        {"go_on": NoulAnswer(2.0)},
        {"go_on": ChoiceAnswer("get", {"get": 1.0})},
        {"pred_must_ask": NoulAnswer(float("inf"))},
        {"extra": NoulAnswer(0.5)},
    ],
)
def test_no_hostile_answer_gets_as_far_as_the_arbiter(hostile):
    asking, at = moment()
    oracle = ScriptedOracle(lambda r: {**sure_of("get").answer(r), **hostile})

    decided = decide(ARBITER, at, asking, oracle=oracle)

    assert decided.action.code is Reason.ORACLE_FAILED


def test_where_there_is_nobody_to_ask_that_is_an_error():
    asking, at = moment()

    with pytest.raises(CannotDecide, match="asks a System-One model"):
        decide(ARBITER, at, asking)
    with pytest.raises(CannotDecide, match="no arbiter"):
        decider(FLOW, "arbiter")
    with pytest.raises(CannotDecide, match="no state"):
        asking.question(replace(at, state=None), ("get",))


def test_a_switched_off_site_and_one_without_options_ask_nobody():
    def unasked(_):
        raise AssertionError("was asked")

    nobody = ScriptedOracle(unasked)
    flow = replace(ARBITER, thresholds={"find": 2.0})
    asking, at = moment(flow)
    assert decide(flow, at, asking, oracle=nobody).action.code is Reason.SWITCHED_OFF

    asking, at = moment(replace(ARBITER, sites=replace(ARBITER.sites, next={})))
    bare = replace(ARBITER, sites=replace(ARBITER.sites, next={}))
    assert decide(bare, at, asking, oracle=nobody).action.code is Reason.NO_OPTIONS


@claim("manifest:docs-asked")
def test_a_lookup_is_described_by_its_documentation_and_by_what_it_feeds():
    manifest = replace(ARBITER.manifest, docs={"get": ToolDocs("Reads an order.")})
    sites = replace(ARBITER.sites, feeds={"get": {Feed("cancel", "id"): 3}})
    flow = replace(ARBITER, manifest=manifest, sites=sites)
    asking, at = moment(flow)

    described = asking.question(at, ("get",)).questions["next"].criteria["get"]

    assert described.startswith("Reads an order. ")
    assert "cancel" in described


def test_other_words_are_other_questions():
    _, at = moment()
    words = replace(shipped_wording(), next="What now?")

    plain, other = (arbiter(ARBITER, w).question(at, ("get",)) for w in (None, words))

    assert plain.key != other.key
    assert other.questions["next"].instructions.endswith("What now?")


def test_an_audit_counts_the_decisions_that_nobody_answered():
    episodes = [reader().episode(n) for n in ("a", "b")]
    n = sum(len([*questions(ARBITER, arbiter(ARBITER), e)]) for e in episodes)

    asked = []

    def every_other(request):
        asked.append(request)
        if len(asked) % 2:
            raise OracleError("tired")
        return sure_of("get").answer(request)

    found = audit(
        ARBITER, episodes, decider="arbiter", oracle=ScriptedOracle(every_other)
    )

    assert found.decider == "arbiter"
    assert found.skipped[Reason.ORACLE_FAILED] == found.unanswered == n // 2
    assert found.decisions == n - n // 2


def test_what_an_audit_leaves_is_a_read_that_was_not_offered():
    [scored, *_] = [
        point
        for point in decisions(
            ARBITER, arbiter(ARBITER), reader().episode(), oracle=Mock()
        )
        if isinstance(point, Scored)
    ]

    assert scored.probabilities["other"] == pytest.approx(0.1)


def test_a_replay_hands_back_where_nobody_answers_and_counts_it():
    def tired(_):
        raise OracleError("tired")

    [row] = replay(
        ARBITER,
        [reader().episode()],
        decider="arbiter",
        oracle=ScriptedOracle(tired),
    )

    assert row.lookups == 0
    assert row.unanswered == row.queries == 3


def test_a_replay_asks_about_its_own_lookups_as_if_the_agent_had_made_them():
    asked = []
    sure = sure_of("get")
    oracle = ScriptedOracle(lambda r: asked.append(r) or sure.answer(r))

    [row] = replay(ARBITER, [reader().episode()], decider="arbiter", oracle=oracle)

    assert row.lookups > 0
    calls = [[c["tool_call"] for c in r.state["latest_results"]] for r in asked]
    assert calls[:2] == [["find"], ["find", "get"]]


def test_the_state_kept_event_by_event_is_that_of_the_whole_prefix():
    asking = arbiter(ARBITER)
    transcript = Transcript(ARBITER, state=asking.state())
    events = reader().turn(order("W3")).events
    for n, event in enumerate(events, start=1):
        transcript.add(event)
        if isinstance(event, AssistantTurn):
            continue
        whole = Slice.of(events[:n], shipped_wording().no_result)
        assert transcript.moment().state.json() == whole.json()


def test_a_response_is_never_weighed_for_a_moment_without_a_site():
    asking, at = moment()
    with pytest.raises(OracleError):
        asking.weigh(replace(at, site=None), ("get",), Response("m", {}))


def test_coverage_is_that_of_the_site():
    rates = Rates({"find": SiteRate(90, 45, 45)}, 0.7, 0.9)
    flow = replace(ARBITER, folds=(replace(UP, rates=rates),))
    asking, at = moment(flow)

    decided = decide(flow, at, asking, oracle=sure_of("get"))

    assert sum(decided.probabilities.values()) == pytest.approx((45 + 9) / 100)
