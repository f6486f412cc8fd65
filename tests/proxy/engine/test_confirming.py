"""The confirmation judge in the engine: what it is asked, and what waits for it."""

import json
from dataclasses import replace

import pytest

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.errors import OracleError
from stretto.evaluate.judged import gather
from stretto.guards.confirm import Asked, Judging, confirm_request
from stretto.guards.facts import Exchange
from stretto.guards.retail import GUARDS as RETAIL
from stretto.oracle.answer import NoulAnswer, Response
from stretto.oracle.mock import Mock
from stretto.oracle.wording import shipped_wording
from stretto.proxy.consents import Consents
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Confirming, Serving
from stretto.traces.reader import read
from tests.conftest import shared
from tests.guards.world import ORDER, USER
from tests.proxy.engine.desk import Desk, line
from tests.proxy.engine.shop import asked, call, cancelled, result, texts

CANCEL = "cancel_pending_order"
GIVEN = {"order_id": "#W1", "reason": "no longer needed"}
PUBLISHED = "reference/logs/retail/20260928T020401.312Z-14780"


def judged(*, answers=None, enforced: bool = False, commit: bool = False, **how):
    """A desk with guards and a judge, at which the order was read and agreed on."""
    judging = how.pop("judging", Judging())
    confirming = Confirming(judging, "m", is_enforced=enforced, **how)
    serving = Serving("tst", guards=RETAIL, confirming=confirming, commit=commit)
    at = Desk(Engine(None, None, serving), answers=answers or (lambda _: None))
    at.context_says("assistant", "Shall I cancel #W1?")
    at.context_says("user", "Yes, please.")
    for id, tool, returned, given in (
        (1, "find_user_id_by_email", "ann_1", {"email": "a@b.c"}),
        (2, "get_user_details", USER, {"user_id": "ann_1"}),
        (3, "get_order_details", ORDER, {"order_id": "#W1"}),
    ):
        at.host_says(call(id, tool, **given))
        at.server_says(result(id, returned))
    at.host.clear()
    at.server.clear()
    return at


def cancel(id: object = 9, **changed: object) -> dict:
    return call(id, CANCEL, **{**GIVEN, **changed})


def says(p: float, asked: Asked = Asked.CONFIRMED) -> Response:
    return Response("m", {asked.value: NoulAnswer(p)})


def always(p: float):
    def answer(request):
        return Response("m", {id: NoulAnswer(p) for id in request.questions})

    return answer


def test_logged_a_write_passes_at_once_and_its_answer_is_a_line() -> None:
    at = judged()
    at.host_says(cancel())
    assert at.server == [line(cancel())]
    [question] = at.questions
    at.now += 0.25
    at.oracle_says(question.id, says(0.1))

    assert question.request == confirm_request(
        "m",
        Exchange("Shall I cancel #W1?", "Yes, please."),
        ToolCall("", CANCEL, GIVEN),
        Asked.CONFIRMED,
        shipped_wording(),
    )
    assert at.judgements == [
        {
            "arguments": GIVEN, "enforced": False, "fails": True,
            "key": question.request.key, "ms": 250, "p_yes": 0.1, "proposal_check": [],
            "tool": CANCEL, "unknown": False, "word_list": True,
        }
    ]  # fmt: skip
    assert at.host == []


def test_enforced_a_write_waits_and_passes_byte_for_byte() -> None:
    at = judged(enforced=True)
    said = json.dumps(cancel(), indent=None, separators=(" ,", " : ")).encode() + b"\n"
    at.host_says(said)
    assert at.server == []
    [question] = at.questions
    at.oracle_says(question.id, says(0.5))

    assert at.server == [said]
    assert at.judgements[0]["enforced"] is True
    at.server_says(result(9, "done"))
    assert at.host == [line(result(9, "done"))]


def test_enforced_a_write_that_fails_is_answered_in_the_servers_place() -> None:
    at = judged(enforced=True, judging=Judging(Asked.PROPOSED), answers=always(0.15))
    at.host_says(cancel())

    [told] = at.host
    assert at.server == []
    assert json.loads(told)["id"] == 9
    assert json.loads(told)["result"]["isError"] is True
    [text] = texts(told)
    assert text.startswith(f"{CANCEL} was not called: a policy check stopped it")
    assert "nothing has changed" in text
    assert "(p_yes 0.15, p_second 0.15)" in text
    assert "once they have agreed to it" in text
    assert any(note.startswith(f"refused {CANCEL}: ") for note in at.notes)
    assert at.engine.counts["refused"] == 1


def test_lines_behind_a_waiting_write_come_after_it_and_in_order() -> None:
    at = judged(enforced=True)
    others = [call(10, "get_order_details", order_id="#W1"), b"no json\n", cancel(11)]
    at.host_says(cancel())
    for said in others:
        at.host_says(said)
    at.server_says({"method": "notifications/message"})
    assert (at.server, len(at.host), len(at.questions)) == ([], 1, 1)

    at.oracle_says(at.questions[0].id, says(0.9))
    assert at.server == [line(cancel()), line(others[0]), others[1]]
    at.oracle_says(at.questions[1].id, says(0.1))
    assert len(at.server) == 3
    assert json.loads(at.host[-1])["id"] == 11


def test_another_stream_does_not_wait() -> None:
    at = judged(enforced=True)
    at.host_says(cancel(), "a")
    at.host_says(call(1, "get_order_details", order_id="#W1"), "b")

    assert len(at.server) == 1


def test_what_is_not_answered_in_time_fails_nothing() -> None:
    at = judged(enforced=True)
    at.host_says(cancel())
    [question] = at.questions
    at.wait(question.budget_s)
    at.oracle_says(question.id, says(0.0))

    assert at.server == [line(cancel())]
    [found] = at.judgements
    assert (found["fails"], found["unknown"], found["ms"]) == (False, True, 1500)
    assert "p_yes" not in found


@pytest.mark.parametrize("answer", [OracleError("down"), Response("m", {})])
def test_what_is_no_answer_fails_nothing(answer: Response | OracleError) -> None:
    at = judged(enforced=True, answers=lambda _: answer)
    at.host_says(cancel())

    assert at.server == [line(cancel())]
    [found] = at.judgements
    assert (found["fails"], found["unknown"]) == (False, True)
    assert found.get("error") == (
        None if isinstance(answer, OracleError) else "confirmed"
    )


def test_a_second_question_in_shadow_is_logged_and_does_not_count() -> None:
    how = Judging(Asked.DESCRIBED, is_second_counted=False)
    at = judged(enforced=True, judging=how)
    at.host_says(cancel())
    first, second = at.questions
    at.oracle_says(second.id, says(0.0, Asked.DESCRIBED))
    assert at.server == []
    at.oracle_says(first.id, says(0.9))

    assert at.server == [line(cancel())]
    [found] = at.judgements
    assert (found["p_yes"], found["p_second"], found["fails"]) == (0.9, 0.0, False)
    assert (found["second_shadow"], found["second_key"]) == (True, second.request.key)


def test_questions_beyond_the_sessions_are_not_asked_and_their_keys_are_logged() -> (
    None
):
    at = judged(enforced=True, questions=3, judging=Judging(Asked.PROPOSED))
    for id in (9, 10, 11):
        at.host_says(cancel(id))
        for question in at.questions[2 * (id - 9) :]:
            [named] = question.request.questions
            at.oracle_says(question.id, says(0.9, Asked(named)))

    assert [len(q.request.questions) for q in at.questions] == [1, 1, 1]
    assert at.server == [line(cancel(id)) for id in (9, 10, 11)]
    _, half, none = at.judgements
    assert (half["p_yes"], "p_second" in half) == (0.9, False)
    assert "p_yes" not in none
    assert half["skipped"] == none["skipped"] == "3 questions were asked already"
    assert {"key", "second_key"} <= none.keys()
    assert none["unknown"] is True


def test_a_write_that_guards_refuse_is_not_judged() -> None:
    at = judged(enforced=True)
    at.host_says(cancel(reason="changed my mind"))

    assert (at.questions, at.server, at.judgements) == ([], [], [])
    assert "retail.cancel_reason" in texts(at.host[0])[0]


def test_a_cancelled_write_never_reaches_the_server_and_what_follows_does() -> None:
    at = judged(enforced=True)
    at.host_says(cancel())
    at.host_says(call(10, "get_order_details", order_id="#W1"))
    at.host_says(cancelled(9))
    assert at.server == [line(call(10, "get_order_details", order_id="#W1"))]

    at.oracle_says(at.questions[0].id, says(0.1))
    assert at.host == []
    assert len(at.judgements) == 1


def test_a_cancellation_of_a_call_behind_it_waits_as_well() -> None:
    at = judged(enforced=True)
    behind = [call(10, "get_order_details", order_id="#W1"), cancelled(10)]
    for said in (cancel(), *behind):
        at.host_says(said)
    assert at.server == []
    at.oracle_says(at.questions[0].id, says(0.9))

    assert at.server == [line(cancel()), *map(line, behind)]


def test_of_a_batch_only_the_write_that_fails_is_left_out() -> None:
    at = judged(enforced=True)
    lookup = call(1, "get_order_details", order_id="#W1")
    batch = [cancel(9), lookup, cancel(10), cancel(11, reason="changed my mind")]
    at.host_says(batch)
    assert at.server == []
    assert [json.loads(said)["id"] for said in at.host] == [11]
    one, two = at.questions
    at.oracle_says(two.id, says(0.9))
    at.oracle_says(one.id, says(0.1))

    assert [json.loads(said) for said in at.server] == [[lookup, cancel(10)]]
    assert [json.loads(said)["id"] for said in at.host] == [11, 9]


def test_at_the_end_what_waits_passes_and_nothing_more_is_judged() -> None:
    at = judged(enforced=True)
    lines = [cancel(9), cancel(10), call(1, "get_order_details", order_id="#W1")]
    for said in lines:
        at.host_says(said)
    at.do(at.engine.closed(at.now))

    assert at.server == [line(said) for said in lines]
    assert len(at.questions) == len(at.judgements) == 1


def test_a_proxy_that_breaks_passes_on_what_waits_in_order(monkeypatch) -> None:
    at = judged(enforced=True)
    lines = [cancel(9), call(1, "get_order_details", order_id="#W1"), cancel(10)]
    for said in lines:
        at.host_says(said)

    def breaks(*_: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(Consents, "hear", breaks)
    at.oracle_says(at.questions[0].id, says(0.9))

    assert at.server == [line(said) for said in lines]
    assert at.engine.counts["failed"] == 1
    at.host_says(cancel(12))
    assert at.server[-1] == line(cancel(12))


def test_a_proxy_that_breaks_passes_on_a_refusal_that_nobody_was_told(monkeypatch):
    at = judged(enforced=True)
    batch = [cancel(9), cancel(10)]
    at.host_says(batch)
    at.oracle_says(at.questions[0].id, says(0.1))

    def breaks(*_: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(Consents, "hear", breaks)
    at.host_says(call(11, "get_order_details", order_id="#W1"), "other")

    assert json.loads(at.server[0]) == batch
    assert len(at.server) == 2
    assert at.host == []


def test_a_change_of_a_commit_waits_for_its_verdict() -> None:
    at = judged(enforced=True, commit=True)
    changes = [{"name": CANCEL, "arguments": GIVEN}] * 2
    at.host_says(call(9, "stretto_commit", calls=changes))
    assert at.server == []
    at.oracle_says(at.questions[0].id, says(0.9))
    [made] = asked(at)
    at.server_says(result(made["id"], "done"))
    at.oracle_says(at.questions[1].id, says(0.1))

    assert len(asked(at)) == 1
    [told] = at.host
    [text] = texts(told)
    assert "\ndone" in text
    assert "was refused, and nothing of it was done" in text
    assert "p_yes 0.10" in text


def test_a_commit_at_whose_end_a_verdict_is_out_has_not_tried_the_change() -> None:
    at = judged(enforced=True, commit=True)
    changes = [{"name": CANCEL, "arguments": GIVEN}]
    at.host_says(call(9, "stretto_commit", calls=changes))
    at.do(at.engine.closed(at.now))

    assert asked(at) == []
    assert "was not tried" in texts(at.host[0])[0]


def test_a_commit_behind_a_waiting_write_is_answered_at_the_end() -> None:
    at = judged(enforced=True, commit=True)
    at.host_says(cancel(9))
    changes = [{"name": CANCEL, "arguments": GIVEN}]
    at.host_says(call(10, "stretto_commit", calls=changes))
    at.do(at.engine.closed(at.now))

    assert at.server[0] == line(cancel(9))
    [told] = at.host
    assert json.loads(told)["id"] == 10
    assert json.loads(told)["result"]["isError"] is True


def test_a_commit_that_is_cancelled_before_its_verdict_makes_no_change() -> None:
    at = judged(enforced=True, commit=True)
    at.host_says(
        call(9, "stretto_commit", calls=[{"name": CANCEL, "arguments": GIVEN}])
    )
    at.host_says(cancelled(9))
    at.oracle_says(at.questions[0].id, says(0.9))

    assert asked(at) == at.host == []


def test_the_line_is_that_of_the_published_log_but_for_the_question() -> None:
    log = shared(PUBLISHED + ".jsonl").read_text().splitlines()
    published = json.loads(shared(PUBLISHED + ".confirm.jsonl").read_text())
    confirming = Confirming(Judging(), "mock")
    serving = Serving("tst", guards=RETAIL, confirming=confirming)
    at = Desk(Engine(None, None, serving), answers=Mock().ask)
    for entry in map(json.loads, log[1:]):
        said = entry["message"]
        if entry["from"] == "context":
            at.context_says(said["role"], said["content"])
        else:
            (at.host_says if entry["from"] == "client" else at.server_says)(said)

    [found] = at.judgements
    assert found.keys() == published.keys()
    assert {**found, "key": published["key"]} == published


def test_live_the_judge_asks_what_the_audit_of_the_log_asks() -> None:
    path = "sessions/tau2-sierra-prs/retail__gpt-4.1__40.json.gz"
    n = 0
    for episode in list(read([shared(path)]))[:12]:
        confirming = Confirming(Judging(), "m", questions=10_000)
        guards = RETAIL.logged()
        serving = Serving("tst", guards=guards, confirming=confirming)
        at = Desk(Engine(None, None, serving))
        play(at, replace(episode, domain=""))
        audited = gather(guards, [episode]).writes
        keys = [
            confirm_request("m", w.exchange, w.call, Asked.CONFIRMED, shipped_wording())
            for w in audited
        ]
        assert [q.request.key for q in at.questions] == [r.key for r in keys]
        n += len(keys)
    assert n > 10


def play(at: Desk, episode: Episode) -> None:
    """The episode as messages: a turn's calls, then what was said beside them."""
    ids: dict[str, int] = {}
    for event in episode.events:
        match event:
            case UserMessage(text):
                at.context_says("user", text)
            case AssistantTurn(text, calls):
                for made in calls:
                    ids[made.id] = len(ids)
                    at.host_says(call(ids[made.id], made.tool, **made.arguments))
                if text:
                    at.context_says("assistant", text)
            case ToolResult(id, _, error, content):
                at.server_says(
                    result(ids[id], content, **({"isError": True} if error else {}))
                )
