"""A flow whose decider asks a System-One model: the agent never waits for it long."""

import json
from dataclasses import replace

import pytest

from stretto.episodes.tasks import task_group
from stretto.errors import OracleError
from stretto.flow.deciders.arbiter import arbiter
from stretto.flow.flow import Fit, Rates
from stretto.flow.moment import Transcript
from stretto.oracle.answer import ChoiceAnswer, NoulAnswer, Response
from stretto.oracle.predicates import shipped_predicates
from stretto.traces.reader import read
from tests.proxy.engine.desk import line
from tests.proxy.engine.shop import (
    FLOW,
    asked,
    call,
    cancelled,
    desk,
    lookups,
    result,
    silent,
)

EAGER = Fit((0.1, 1.0, 1.0, 0.0, 0.1, 0.1, 0.1, 0.1), Rates({}, 0.9, 1.0))
DEAF = replace(EAGER, weights=(0.1, -1.0, -1.0, 0.0, 0.1, 0.1, 0.1, 0.1))
ASKING = replace(
    FLOW,
    predicates=shipped_predicates(),
    weighed=shipped_predicates(),
    folds=(EAGER, DEAF),
    model="jev-1",
)


def sure(request):
    """Sure of the lookup, whatever is asked."""
    answers = {}
    for id, question in request.questions.items():
        if id in ("next", "tool"):
            options = sorted(question.criteria, key="respond".__eq__)
            rest = 0.1 / max(1, len(options) - 1)
            told = dict.fromkeys(options[1:], rest) | {options[0]: 1 - 0.1}
            answers[id] = ChoiceAnswer(options[0], told)
        else:
            answers[id] = NoulAnswer(0.9)
    return Response("jev-1.2", answers)


def task(fold):
    return next(str(i) for i in range(9) if task_group(str(i)) % 2 == fold)


def at_work(answers=None, flow=ASKING, **settings):
    settings = {"task": task(0), **settings}
    return desk(flow, arbiter(flow), answers=answers, **settings)


def codes(at):
    return [(line["action"], line.get("reason")) for line in at.decisions[:-1]]


def test_a_result_waits_for_the_answer_and_then_for_the_lookups():
    at = at_work(serves=silent)
    at.host_says(call(1))
    at.server_says(result(1))
    assert (at.host, lookups(at), len(at.questions)) == ([], [], 1)

    [question] = at.questions
    at.oracle_says(question.id, sure(question.request))

    assert at.host == []
    assert lookups(at) == [("get", {"id": "W1"})]


def test_what_is_answered_leads_to_lookups_as_the_habit_would():
    at = at_work(sure)
    at.host_says(call(1))
    at.server_says(result(1))

    assert lookups(at) == [("get", {"id": name}) for name in ("W1", "W2", "W3")]
    assert len(at.questions) == 4  # and whether to go on behind the last of them


def test_a_decisions_line_says_what_was_asked_and_answered_and_how_long_it_took():
    at = at_work(serves=silent)
    at.host_says(call(1))
    at.server_says(result(1))
    [question] = at.questions
    at.wait(0.25)
    at.oracle_says(question.id, sure(question.request))

    [decision] = at.decisions
    assert decision["key"] == question.request.key
    assert decision["ms"] == 250
    assert decision["oracle"] == pytest.approx({"get": 0.9, "respond": 0.1})
    assert decision["predicates"] == {
        "list_pending": 0.9,
        "must_ask": 0.9,
        "needs_options": 0.9,
    }


def test_the_sessions_task_says_which_fold_judges_it():
    for fold, expected in ((0, True), (1, False)):
        at = at_work(sure, task=task(fold))
        at.host_says(call(1))
        at.server_says(result(1))
        assert bool(lookups(at)) is expected


def test_without_an_answer_in_time_the_result_is_given_as_it_came():
    at = at_work(serves=silent, answer_s=1.5)
    at.host_says(call(1))
    at.server_says(said := result(1))
    at.wait(1.49)
    assert at.host == []

    at.wait(0.02)

    assert at.host == [line(said)]
    [(action, reason)] = codes(at)
    assert action == "hand_back"
    assert "no answer in 1.5 s" in reason


def test_an_answer_that_comes_late_is_let_fall():
    at = at_work(answer_s=1.0)
    at.host_says(call(1))
    at.server_says(result(1))
    at.wait(2)
    before = len(at.decisions)

    [question] = at.questions
    at.oracle_says(question.id, sure(question.request))

    assert (len(at.host), lookups(at), len(at.decisions)) == (1, [], before)


def test_an_oracle_that_fails_hands_back_what_was_not_looked_up_yet():
    answers = [sure, lambda _: OracleError("status 503")]
    at = at_work(lambda request: answers.pop(0)(request))
    at.host_says(call(1))
    at.server_says(result(1))

    assert lookups(at) == [("get", {"id": "W1"})]
    assert len(at.host) == 1
    assert "status 503" in at.decisions[-2]["reason"]
    assert at.notes == ["the oracle has no answer, which hands back: status 503"]


def test_answers_that_are_incomplete_hand_back():
    at = at_work(lambda _: Response("jev-1", {"go_on": NoulAnswer(0.9)}))
    at.host_says(call(1))
    at.server_says(said := result(1))

    assert at.host == [line(said)]
    assert codes(at)[0][0] == "hand_back"


def test_past_its_questions_a_session_is_handed_back_without_a_decision():
    at = at_work(sure, questions=2)
    at.host_says(call(1))
    at.server_says(result(1))

    assert len(at.questions) == 2
    assert [d["action"] for d in at.decisions if "action" in d] == ["lookup"] * 2
    assert lookups(at) == [("get", {"id": "W1"}), ("get", {"id": "W2"})]
    assert len(at.host) == 1


def test_a_call_that_is_cancelled_while_the_oracle_is_asked_gets_no_result():
    at = at_work(serves=silent)
    at.host_says(call(1))
    at.server_says(result(1))
    at.host_says(cancelled(1))
    [question] = at.questions
    at.oracle_says(question.id, sure(question.request))

    assert (at.host, asked(at)) == ([], [])


def test_what_happens_while_the_oracle_is_asked_makes_its_answer_one_about_the_past():
    at = at_work(serves=silent)
    at.host_says(call(1))
    at.host_says(call(2))
    at.server_says(first := result(1))
    at.server_says(result(2))
    past, present = at.questions

    at.oracle_says(past.id, sure(past.request))
    assert at.host == [line(first)]
    assert lookups(at) == []

    at.oracle_says(present.id, sure(present.request))
    assert lookups(at) == [("get", {"id": "W1"})]


def test_in_shadow_the_oracle_is_asked_and_nothing_looked_up():
    at = at_work(sure, shadow=True)
    at.host_says(call(1))
    at.server_says(said := result(1))

    assert at.host == [line(said)]
    assert len(at.questions) == 1
    assert at.decisions[0]["shadow"] is True


def test_a_live_question_has_the_key_it_has_when_the_log_is_read_again(tmp_path):
    at = at_work(sure)
    at.context_says("user", "Where is my order?")
    at.host_says(call(1))
    at.server_says(result(1))
    at.context_says("assistant", "Let me see.")
    at.context_says("user", "And W2?")
    at.host_says(call(2, "get", id="W2"))
    at.server_says(result(2, {"id": "W2", "status": "sent"}))

    [episode] = read([at.log(tmp_path)])
    live = [d["key"] for d in at.decisions if "action" in d]
    decider = arbiter(ASKING)
    transcript = Transcript(ASKING, state=decider.state())
    keys = []
    for event in episode.events:
        transcript.add(event)
        moment = transcript.moment()
        if moment.site is not None and str(moment.site) in ("find", "get"):
            keys.append(decider.question(moment, ("get",)).key)
    assert set(live) <= set(keys)
    assert len(set(live)) == len(live) == 5


def test_no_answer_is_anything_but_data():
    def hostile(_):
        told = {"get": 0.2, "cancel": 0.8}
        return Response("jev-1", {"next": ChoiceAnswer("cancel", told)})

    at = at_work(hostile)
    at.host_says(call(1))
    at.server_says(said := result(1))

    assert at.host == [line(said)]
    assert lookups(at) == []
    assert "cancel" not in json.dumps(at.decisions[0]["probs"])
