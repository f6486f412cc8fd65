"""The report on guards: every number of the audit, and what is odd in it."""

from dataclasses import replace

from stretto.evaluate.guards import audit_guards
from stretto.guards.guard import Guard, Guards
from stretto.guards.retail import GUARDS as RETAIL
from stretto.report.document import markdown
from stretto.report.drawing import drawing
from stretto.report.guards import guards_document
from stretto.report.page import html
from tests.guards.world import ORDER, read_order
from tests.toys import Script

CANCEL = "cancel_pending_order"
GIVEN = {"order_id": "#W1", "reason": "no longer needed"}


def test_a_report_says_how_each_rule_went_and_where_it_failed() -> None:
    good = read_order().user("yes").turn((CANCEL, GIVEN, ORDER)).episode("a")
    blind = Script().turn((CANCEL, GIVEN, ORDER)).episode("b <i>", reward=0.0)
    found = audit_guards(RETAIL, [good, blind])
    text = markdown(guards_document(found, "retail"))
    page = html(guards_document(found, "retail", drawing()))

    assert "- **0 of 1** sessions that succeeded would have been refused" in text
    assert "1 of 1 sessions that failed (100.0%)" in text
    row = next(x for x in text.splitlines() if x.startswith("| retail.status_checked "))
    assert [cell.strip() for cell in row.split("|")[2:5]] == [
        "enforced", "1/0/0", "0/1/0",
    ]  # fmt: skip
    assert "the order was not looked up" in text
    assert "<svg" in page
    assert "<i>" not in page


def test_a_report_says_what_was_not_counted_and_which_rule_is_mistaken() -> None:
    broken = Guard("x.y", "Nothing.", frozenset({CANCEL}), lambda _f, _c: 1 / 0)  # type: ignore[arg-type,return-value]
    guards = Guards("retail", (broken,), RETAIL.sources)
    lost = Script().turn((CANCEL, GIVEN, ORDER), (CANCEL, GIVEN, None)).episode()
    found = audit_guards(guards, [lost, replace(lost, domain="airline")])
    text = markdown(guards_document(found, "x"))

    assert "Not counted: 1 write without a result." in text
    assert "Not counted: 1 session of another domain." in text
    assert "The check itself broke in x.y: a mistake in it." in text
