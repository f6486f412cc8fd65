"""Holds the list of claims and the suite to each other, in both directions."""

import re

from tests.claimed.claim import Status
from tests.claimed.reasons import ELSEWHERE
from tests.claims import CLAIMS, carriers
from tests.conftest import ROOT


def test_every_reproduced_claim_is_carried_by_a_test() -> None:
    reproduced = {k for k, c in CLAIMS.items() if c.status is Status.REPRODUCED}

    assert reproduced - carriers().keys() == set()


def test_every_id_a_test_carries_is_a_claim() -> None:
    assert carriers().keys() - CLAIMS.keys() == set()


def test_no_deferred_claim_is_carried_by_a_test() -> None:
    deferred = {k for k, c in CLAIMS.items() if c.status is Status.DEFERRED}

    assert deferred & carriers().keys() == set()


def test_every_claim_that_is_not_reproduced_says_why() -> None:
    unexplained = [
        key
        for key, claim in CLAIMS.items()
        if (claim.status is Status.REPRODUCED) == bool(claim.note)
    ]

    assert unexplained == []


def test_every_claim_is_a_sentence() -> None:
    assert [k for k, c in CLAIMS.items() if not c.says.endswith(".")] == []


def test_what_a_note_says_of_the_shared_sessions_stands_on_its_page() -> None:
    cited = {
        key: found
        for key, claim in CLAIMS.items()
        if (found := re.search(rf"sessions: (.*) \({ELSEWHERE}\)", claim.note))
    }
    page = {*_numbers((ROOT / ELSEWHERE).read_text(encoding="utf-8"))}

    assert cited
    assert [k for k, found in cited.items() if not {*_numbers(found[1])} <= page] == []


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d,.]*\d|\d", text)
