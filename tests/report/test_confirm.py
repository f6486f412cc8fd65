"""The report on the judge: its counts, its disagreements, and what is left out."""

from dataclasses import replace

from stretto.evaluate.confirm import audit_confirm
from stretto.evaluate.judged import gather
from stretto.guards.confirm import Asked, Judging
from stretto.guards.retail import GUARDS as RETAIL
from stretto.oracle.answer import NoulAnswer
from stretto.oracle.mock import Mock
from stretto.oracle.scripted import ScriptedOracle
from stretto.oracle.wording import shipped_wording
from stretto.report.confirm import confirm_document, shown
from stretto.report.document import markdown
from stretto.report.page import html
from tests.guards.world import ORDER, read_order

CANCEL = ("cancel_pending_order", {"order_id": "#W1"}, ORDER)


def made(oracle, judging=Judging()):  # noqa: B008
    told = read_order().reply("<i>Cancel | it?</i>\n" + "x" * 200).user("hm")
    lost = told.turn(CANCEL, (CANCEL[0], CANCEL[1], None)).episode("a", reward=0.0)
    found = gather(RETAIL, [lost, replace(lost, domain="airline")])
    return audit_confirm(RETAIL, found, judging, oracle, shipped_wording())


def test_a_report_says_what_each_judge_fails_and_shows_where_they_differ() -> None:
    audit = made(Mock(), Judging(Asked.DESCRIBED))
    text = markdown(confirm_document(audit, "retail", "mock"))

    assert "- **1** writes judged that the tools accepted" in text
    assert "- **1** of them: word list fails" in text
    assert "agree on 0.0% of 1 accepted writes" in text
    assert "Not counted: 1 write without a result." in text
    assert "Not counted: 1 session of another domain." in text
    assert "## The word list alone fails these" in text
    assert r"Cancel \| it" in text
    assert "<i>" not in html(confirm_document(audit, "retail", "mock"))


def test_an_unanswered_question_is_told_instead_of_an_agreement() -> None:
    silent = ScriptedOracle(lambda _: {"other": NoulAnswer(0.5)})
    text = markdown(confirm_document(made(silent), "retail", "x"))

    assert "1 accepted write without every answer" in text
    assert "agree on" not in text


def test_a_message_is_shown_on_one_line_cut_at_160_characters() -> None:
    assert shown("a\n b") == "a b"
    assert shown("x" * 160) == "x" * 160
    assert shown("x" * 161) == "x" * 159 + "…"
