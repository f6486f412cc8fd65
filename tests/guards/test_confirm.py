"""What a System-One model is asked about a customer's consent, and how it decides."""

import pytest

from stretto.episodes.episode import ToolCall
from stretto.guards.confirm import (
    Asked,
    Judging,
    confirm_request,
    consent_rule,
    read_confirm,
)
from stretto.guards.load import load
from stretto.oracle.answer import NoulAnswer, Response
from stretto.oracle.check import check_request
from stretto.oracle.question import Noul
from stretto.oracle.wording import shipped_wording
from tests.guards.world import read_order

RETAIL = load("retail").guards
CANCEL = ToolCall("9", "cancel_pending_order", {"order_id": "#W1"})


def request(proposal: str, reply: str, asked: Asked = Asked.CONFIRMED):
    facts = RETAIL.facts()
    for event in read_order().reply(proposal).user(reply).events:
        facts.take(event)
    return confirm_request("m", facts.exchange, CANCEL, asked, shipped_wording())


def test_the_end_of_the_proposal_and_the_start_of_the_reply_are_shown_uncut_and_whole():
    shown = request("x" * 100 + "p" * 1500, "r" * 600 + "y").state

    assert shown == {
        "agent_said_last": "p" * 1500,
        "customer_replied": "r" * 600,
        "call_about_to_be_made": {
            "tool": "cancel_pending_order",
            "arguments": {"order_id": "#W1"},
        },
    }


def test_before_anybody_spoke_both_sides_of_the_exchange_are_empty():
    asked = confirm_request(
        "m", RETAIL.facts().exchange, CANCEL, Asked.CONFIRMED, shipped_wording()
    )

    assert asked.state["agent_said_last"] == asked.state["customer_replied"] == ""


@pytest.mark.parametrize("asked", Asked)
def test_each_question_is_one_request_with_one_yes_or_no(asked):
    made = request("Shall I cancel it?", "Yes.", asked)

    check_request(made)
    assert [*made.questions] == [asked.value]
    assert isinstance(made.questions[asked.value], Noul)
    assert shipped_wording().data_note in made.questions[asked.value].instructions


def test_the_three_questions_have_three_keys():
    assert len({request("Shall I?", "Yes.", asked).key for asked in Asked}) == 3


def test_only_writes_that_a_rule_asks_consent_for_are_judged():
    lookup = ToolCall("9", "get_order_details", {"order_id": "#W1"})
    rule = consent_rule(RETAIL, CANCEL)

    assert rule is not None
    assert rule.rule == "retail.confirmed"
    assert consent_rule(RETAIL, lookup) is None


def test_an_answer_below_the_threshold_fails_and_one_at_it_does_not():
    assert Judging().fails({Asked.CONFIRMED: 0.4999})
    assert not Judging().fails({Asked.CONFIRMED: 0.5})
    assert Judging(threshold=0.6).fails({Asked.CONFIRMED: 0.5})


def test_a_second_question_fails_a_write_only_where_it_counts():
    said = {Asked.CONFIRMED: 0.9, Asked.PROPOSED: 0.1}

    assert Judging(Asked.PROPOSED).fails(said)
    assert not Judging(Asked.PROPOSED, is_second_counted=False).fails(said)
    assert not Judging().fails(said)


def test_a_question_without_an_answer_never_fails_but_leaves_it_unknown():
    both = Judging(Asked.DESCRIBED)

    assert not both.fails({})
    assert both.is_unknown({})
    assert both.is_unknown({Asked.CONFIRMED: 0.9})
    assert not both.is_unknown({Asked.CONFIRMED: 0.1})
    assert not Judging(Asked.DESCRIBED, is_second_counted=False).is_unknown(
        {Asked.CONFIRMED: 0.9}
    )


def test_an_answer_of_another_type_or_to_another_question_is_none():
    told = Response("m", {"confirmed": NoulAnswer(0.7)})

    assert read_confirm(told, Asked.CONFIRMED) == 0.7
    assert read_confirm(told, Asked.PROPOSED) is None
