"""The page on oracles names what there is, and its guide does what it shows."""

import re

from stretto.oracle import jev, openai
from stretto.oracle.batch import AT_ONCE, MIN_FAILURES
from stretto.oracle.check import MAX_REQUEST
from stretto.oracle.http.attempt import MAX_REPLY, ROOTS
from stretto.oracle.http.breaker import MAX_FAILURES, REST_S
from stretto.oracle.http.patience import MAX_RETRY_AFTER_S, OFFLINE, RETRIED
from stretto.oracle.question import Noul, Request, request_json
from stretto.oracle.settings import FOLDER, LATEST, MODEL
from stretto.oracle.state import (
    MAX_ARGUMENTS,
    MAX_FIRST,
    MAX_MESSAGE,
    MAX_RESULT,
    N_EARLIER,
    N_LATEST,
    N_MESSAGES,
    Slice,
)
from stretto.oracle.temperature import FIELD as TEMPERATURES
from stretto.oracle.temperature import HIGHEST, LOWEST
from stretto.oracle.wording import FIELD as QUESTIONS
from stretto.oracle.wording import PLACEHOLDERS, SLOTS
from tests.docs.console import DOCS, Console
from tests.toys import Script

PAGE = (DOCS / "reference" / "oracles.md").read_text(encoding="utf-8")

_CODE = re.compile(r"`([^`\n]+)`")


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def first_cells(text: str) -> list[str]:
    """What stands as code in the first cells of a section's tables."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in _CODE.findall(row)]


def test_every_slot_is_listed_with_what_it_takes_and_no_other() -> None:
    words = section("The words")
    listed = [n for n in first_cells(words) if n not in (QUESTIONS, "name", "texts")]

    assert sorted(listed) == sorted(SLOTS)
    for line in words.splitlines():
        for slot in first_cells(line):
            taken = {*re.findall(r"\{(\w+)\}", line.split("|")[-2])}
            assert taken == PLACEHOLDERS.get(slot, frozenset()), slot


def test_every_variable_is_listed() -> None:
    assert {*first_cells(section("Variables"))} == {
        jev.KEY,
        f"{jev.KEY}_FILE",
        jev.BASE_URL,
        MODEL,
        openai.BASE_URL,
        openai.KEY,
        ROOTS,
    }
    for default in (jev.SERVER, openai.SERVER, LATEST):
        assert f"`{default}`" in section("Variables")


def test_every_key_of_a_state_is_listed_with_its_limit() -> None:
    script = Script().user("Hi").reply().user("Yes")
    script.turn(*(("get", {"n": n}, "ok") for n in range(5)))
    state = Slice.of(script.events, "").json()
    shown = section("What is shown")

    assert {*first_cells(shown)} == {*state}
    for limit in (MAX_FIRST, MAX_MESSAGE, MAX_RESULT, MAX_ARGUMENTS):
        assert f"{limit:,}" in shown
    for n in (N_MESSAGES, N_LATEST, N_EARLIER):
        assert f" {n} " in shown


def test_the_fields_of_requests_and_of_temperatures_are_listed() -> None:
    request = request_json(Request("m", {}, {"n": Noul("?")}))

    assert {*request} <= {*first_cells(section("Requests and responses"))}
    assert {*first_cells(section("Calibration"))} == {
        TEMPERATURES,
        "noul",
        "choice",
        "score",
    }
    assert f"from {LOWEST:g} to {HIGHEST:g}" in section("Calibration")


def test_the_numbers_are_those_in_force() -> None:
    time, batch = section("Time"), section("What it costs")
    sizes = section("Requests and responses")

    assert [*map(int, re.findall(r"\b[45]\d\d\b", time))] == sorted(RETRIED)
    *waits, last = OFFLINE.waits_s
    assert f"after {', '.join(f'{w:g}' for w in waits)} and {last:g} seconds" in time
    assert f"may take {OFFLINE.timeout_s:g} seconds" in time
    assert MAX_RETRY_AFTER_S == 60
    assert (MAX_FAILURES, f"for {REST_S:g} seconds" in time) == (5, True)
    assert (MAX_REQUEST, MAX_REPLY) == (2**20, 2**22)
    assert "1 MiB" in sizes
    assert "4 MiB" in sizes
    assert (AT_ONCE, f"at least {MIN_FAILURES} requests" in batch) == (8, True)
    assert f"${jev.DOLLARS_PER_TOKEN * 1e6:.3f} per million" in batch
    assert f"`{FOLDER}`" in section("Kept answers")


def test_the_guides_example_prints_what_the_page_shows(console: Console) -> None:
    console.follow(DOCS / "how-to" / "ask-your-own-model.md")
