"""Replays against a server: what it is sent, and what becomes of it when it fails."""

import sys
from functools import partial
from pathlib import Path

import pytest

from stretto.client.live import Beside, LeftOut, Live, replay_live
from stretto.client.started import started
from stretto.episodes.episode import Episode
from stretto.errors import CannotStart, StrettoError
from stretto.evaluate.alone import Between
from stretto.evaluate.replay import Replayer
from stretto.flow.deciders.decider import decider
from tests.evaluate.test_replay import FLOW, find, get_user, order
from tests.toys import Script

SHOP = Path(__file__).with_name("shop.py")
CANCEL = "cancel", {"order_id": "A"}, "ok"
REPLAYER = Replayer(FLOW, decider(FLOW, "habit"))


def session(*more, name: str = "t") -> Episode:
    script = Script().user("hi").turn(find()).turn(get_user()).turn(order("A"))
    for calls in more:
        script.turn(calls)
    return script.episode(name)


def served(way: str, *rest: str, **how) -> Live:
    command = [sys.executable, str(SHOP), way, *rest]
    return Live(partial(started, command, is_quiet=True), **{"writes": True, **how})


def against(live: Live, *episodes: Episode, thresholds=(0.2,), jobs: int = 1):
    return list(replay_live(REPLAYER, episodes, thresholds, live, jobs=jobs))


def test_a_lookup_that_the_agent_never_makes_is_asked_of_the_server():
    [found] = against(served("good"), session())
    [live], [record] = found.live, found.record

    # the record has no order C, and gives another order's result in its place
    assert (record.row.lookups, record.row.unrecorded) == (3, 1)
    assert (live.row.lookups, live.row.unrecorded) == (3, 0)
    assert (live.row.turns_saved, live.row.detours) == (2, 1)
    assert live.detours == Between(1, 1)
    assert record.detours.low <= 1 <= record.detours.high


def test_a_server_that_answers_as_recorded_is_said_to():
    [found] = against(served("good"), session(CANCEL))
    told = found.fidelity

    assert (told.executed, told.answered) == (2, 2)
    assert not told.differing
    assert not told.misread


def test_a_server_that_answers_otherwise_is_counted_by_tool():
    [found] = against(served("other"), session())
    [live] = found.live

    assert found.fidelity.misread == {"get_user": 1}
    assert found.fidelity.answered == 1
    # the flow follows what the server said, and looks for its order X
    assert live.row.turns_saved == 1
    assert live.row.detours == 1


def test_each_session_and_threshold_has_a_server_of_its_own():
    late = session(CANCEL, order("A"))
    found = against(served("good"), late, session(name="u"), thresholds=(0.1, 0.2))

    assert len(found) == 2
    for one in found:
        assert not one.fidelity.misread
        assert set(one.fidelity.differing) <= {"get_order"}
    # cancelled in the first session, and sent in the next one's shop
    assert found[1].live[0].row == found[1].live[1].row


def test_what_a_server_keeps_is_put_back_by_the_command_before_each_session(tmp_path):
    kept = tmp_path / "cancelled"
    twice = [session(CANCEL, name="s"), session(name="t")]
    reset = [sys.executable, "-c", f"open({str(kept)!r}, 'w').write('0')"]

    left = against(served("good", str(kept)), *twice)
    kept.unlink()
    put_back = against(served("good", str(kept), reset=reset), *twice)

    assert left[1].fidelity.misread == {"get_order": 1}
    assert not put_back[1].fidelity.misread


@pytest.mark.parametrize(
    ("way", "why"),
    [
        ("ends", "the server ended before it answered `tools/call`, of get_order"),
        ("silent", "the server did not answer `tools/call`, of get_order"),
    ],
)
def test_a_session_that_the_server_fails_in_is_left_out_and_said_to_be(way, why):
    found = against(served(way, patience_s=0.5), session(), session(name="u"))

    assert found == [LeftOut("t", why), LeftOut("u", why)]


def test_side_by_side_sessions_come_in_their_order():
    episodes = [session(*[order("A")] * n, name=f"s{n}") for n in range(6)]
    one, three = (against(served("good"), *episodes, jobs=jobs) for jobs in (1, 3))

    assert [found.live[0].episode for found in three] == [e.id for e in episodes]
    assert three == one


def test_a_server_without_a_tool_that_a_session_called_is_another_server():
    with pytest.raises(StrettoError, match="lists no get_order, which session t"):
        against(served("lacks"), session())


def test_a_command_that_cannot_be_run_says_so():
    live = Live(partial(started, ["no-such-shop"]))

    with pytest.raises(CannotStart, match="no-such-shop cannot be started"):
        against(live, session())


def test_no_write_is_sent_unless_it_is_allowed(tmp_path):
    kept = tmp_path / "cancelled"

    with pytest.raises(StrettoError, match="calls cancel, which does more than read"):
        against(served("good", str(kept), writes=False), session(CANCEL))
    assert not kept.exists()


def test_a_server_that_goes_on_has_to_be_reset_where_a_session_writes():
    assert isinstance(against(served("good", goes_on=True), session())[0], Beside)

    with pytest.raises(StrettoError, match="a server at a URL keeps what was written"):
        against(served("good", goes_on=True), session(CANCEL))


@pytest.mark.parametrize(
    ("reset", "why"),
    [
        (["no-such-reset"], "--reset no-such-reset cannot be run"),
        ([sys.executable, "-c", "exit(4)"], "exited with 4"),
    ],
)
def test_a_reset_that_fails_ends_the_replay(reset, why):
    with pytest.raises(StrettoError, match=why):
        against(served("good", reset=reset), session())


def test_a_call_whose_arguments_are_no_object_is_not_sent():
    odd = Script().user("hi").turn(find()).turn(get_user()).episode("t")
    turn = odd.turns[1]
    broken = turn.calls[0].__class__("c2", "get_user", ["u1"])
    events = tuple(
        turn.__class__(calls=(broken,)) if event is turn else event
        for event in odd.events
    )
    [found] = against(served("good"), Episode("t", events, task="t"))

    assert found.fidelity.unsent == 1
