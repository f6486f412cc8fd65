"""What of a state bears on the next step."""

import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from stretto.episodes.episode import Episode
from stretto.oracle.local.account import account
from stretto.oracle.local.clues import MAX_MARKS, clues
from stretto.oracle.state import Slice
from stretto.traces.reader import read
from tests.conftest import ROOT, shared
from tests.oracle.strategies import JSON
from tests.toys import Script

READER = {"reader": "R5", "loans": ["L107", "L108", "L109"]}
OPTIONS = {"find_reader": "Find one.", "get_loan": "Read a loan.", "respond": ""}


def desk(*loans: str, said: str = "Card K41") -> dict:
    """A state after these loans of the reader were read."""
    script = Script().user(said).turn(("find_reader", {"card": "K41"}, READER))
    for loan in loans:
        script.turn(("get_loan", {"loan": loan}, {"loan": loan, "due": "soon"}))
    return Slice.of(script.events, "none").json()


def test_an_account_tells_the_calls_of_a_state_and_what_they_took():
    seen = account(desk("L107", "L108"))

    assert [*map(str, seen.calls)] == ["find_reader", "get_loan", "get_loan"]
    assert seen.run == 2
    assert seen.taken == {"K41", "L107", "L108"}
    assert seen.pending() == {"find_reader": 1, "get_loan": 1}
    assert seen.unread(seen.latest[0]) == [("loans", "L109")]


def test_what_a_call_took_is_known_when_only_its_line_is_left():
    loans = [f"L{n}" for n in range(100, 108)]

    seen = account(desk(*loans))

    assert len(seen.calls) == 9
    assert len(seen.latest) == 4
    assert {*loans, "K41"} <= seen.taken


def test_ids_that_are_left_are_pending_for_the_tool_that_takes_such():
    pending = [clues(desk(*left), OPTIONS).pending for left in ((), ("L107",))]
    done = clues(desk("L107", "L108", "L109"), OPTIONS)

    # K41's shape is that of the loans, so all three could be found, and two be got
    assert pending == [3, 2]
    assert done.pending == 0


def test_a_spoken_id_that_no_call_took_is_pending_too():
    without = clues(desk("L107"), OPTIONS)
    spoken = clues(desk("L107", said="Card K41, and L999"), OPTIONS)

    assert spoken.pending == without.pending + 1


def test_the_rubric_of_respond_is_not_read():
    state = desk()

    assert clues(state, OPTIONS) == clues(state, {**OPTIONS, "respond": "Hand back."})
    assert clues(state, OPTIONS) != clues(state, {**OPTIONS, "get_loan": "Other."})


def test_options_do_not_bear_on_one_anothers_clues():
    state = desk("L107")
    few = {name: OPTIONS[name] for name in ("get_loan", "respond")}

    assert clues(state, few).own == clues(state, OPTIONS).own[1:]
    assert clues(state, few).marks == clues(state, OPTIONS).marks


SCRIPT = """
from tests.oracle.local.test_clues import OPTIONS, clues, desk
print(clues(desk("L107", said="K41, A-1, b2b, 3c3, #W1, 12-34, x_5 and q77"), OPTIONS))
"""


def test_clues_are_in_the_same_order_in_every_process():
    told = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(told) == 1


@given(st.dictionaries(st.sampled_from([*desk("L107", "L108")]), JSON) | JSON)
def test_a_state_of_any_shape_has_clues(state):
    found = clues(state, OPTIONS)

    assert len(found.own) == len(found.names) == len(OPTIONS)
    assert len(found.marks) <= MAX_MARKS


def test_real_states_are_read_back_call_by_call():
    path = shared(
        "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"
    )
    for episode in [*read([path])][:30]:
        calls = [call.tool for turn in episode.turns for call in turn.calls]

        seen = account(_state(episode))

        assert [call.tool for call in seen.calls] == calls[-20:]


def _state(episode: Episode) -> dict:
    return Slice.of(episode.events, "none").json()
