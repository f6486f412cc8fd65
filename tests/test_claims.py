"""Holds the list of claims and the suite to each other, in both directions."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.claimed.claim import Status
from tests.claims import CLAIMS, Carrier, carriers
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
    unheld = {
        key: missing
        for key, found, page in _found_here()
        if page is not None and (missing := _numbers(found) - _numbers(_text(page)))
    }

    assert unheld == {}


def test_what_a_note_that_names_no_page_says_is_what_its_test_expects() -> None:
    carried = carriers()
    unheld = {}
    for key, found, page in _found_here():
        if page is None:
            held = set().union(*map(_literals, carried[key]))
            if missing := {float(n) for n in _numbers(found)} - held:
                unheld[key] = missing

    assert unheld == {}


def test_notes_say_of_both_kinds_of_sources_what_was_found() -> None:
    pages = [page is None for _, _, page in _found_here()]

    assert pages.count(True) > 10
    assert pages.count(False) > 10


def _found_here() -> Iterator[tuple[str, str, Path | None]]:
    """What each note says of the shared sessions, and the page that it names."""
    for key, claim in CLAIMS.items():
        if found := re.search(r"shared sessions: (.*?) \(([^()]*)\)\.", claim.note):
            page = ROOT / found[2] if found[2].endswith(".md") else None
            yield key, found[1], page


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _numbers(text: str) -> set[str]:
    found: list[str] = re.findall(r"\d[\d,.]*\d|\d", text)
    return {number.replace(",", "") for number in found}


def _literals(test: Carrier) -> set[float]:
    """The numbers that a test names, and what shares among them are in percent."""
    [body] = [
        node
        for node in ast.walk(ast.parse(_text(ROOT / "tests" / test.file)))
        if isinstance(node, ast.FunctionDef) and node.name == test.name
    ]
    plain = {
        float(node.value)
        for node in ast.walk(body)
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    }
    return plain | {round(100 * n, 9) for n in plain}
