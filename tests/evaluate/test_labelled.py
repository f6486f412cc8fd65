"""A replay's decisions with labels: what each option would have come to."""

import json

import pytest

from stretto.errors import FormatError
from stretto.evaluate.decision_file import read_decisions
from stretto.evaluate.labelled import Outcome, labelled
from stretto.evaluate.logged import Labels
from stretto.evaluate.made import key
from stretto.evaluate.replay import Replayer
from stretto.flow.deciders.decider import decider
from stretto.flow.decision import Lookup
from tests.evaluate.test_replay import FLOW, find, get_user, order
from tests.toys import Script


def decided(script: Script, threshold: float = 0.2):
    """The decisions of a replay by the habit, none of them drawn."""
    replayer = Replayer(FLOW, decider(FLOW, "habit"))
    yield from labelled(
        replayer, script.episode(), lambda found, *_: found, threshold=threshold
    )


def test_a_lookup_is_used_in_its_share_of_the_first_later_turn_that_held_it():
    script = Script().user("hi").turn(find()).turn(get_user())
    script.turn(order("A"), order("B")).reply().turn(order("C"))

    first, *_ = decided(script)
    pool = first.pool

    assert (first.after, first.address) == ("c1", "decide#0")
    assert pool.outcome(key("get_user", {"user_id": "u1"})) == Outcome(True, 1.0, True)
    assert pool.outcome(key("get_order", {"order_id": "A"})) == Outcome(
        True, 0.5, False
    )
    assert pool.outcome(key("get_order", {"order_id": "C"})) == Outcome(
        True, 1.0, False
    )
    assert pool.outcome(key("get_order", {"order_id": "Z"})) == Outcome(
        False, 0.0, False
    )


def test_nothing_after_the_agents_next_write_is_used():
    script = Script().user("hi").turn(find()).turn(("cancel", {}, "ok"))
    script.turn(get_user())

    first, *_ = decided(script)

    assert not first.pool.outcome(key("get_user", {"user_id": "u1"})).used


def test_a_call_that_a_lookup_has_answered_is_not_there_to_be_used_again():
    script = Script().user("hi").turn(find()).turn(get_user()).turn(order("A"))

    _, second, *_ = decided(script)

    assert second.address == "decide#1"
    assert not second.pool.outcome(key("get_user", {"user_id": "u1"})).used
    assert second.pool.outcome(key("get_order", {"order_id": "A"})).used


def test_what_is_used_of_what_was_taken_is_what_the_replay_says_was_used():
    script = Script().user("hi").turn(find()).turn(get_user())
    script.turn(order("A"), order("B")).reply().turn(order("C"))
    replayer = Replayer(FLOW, decider(FLOW, "habit"))

    used = sum(
        each.pool.outcome(key(action.tool, action.arguments)).used
        for each in decided(script)
        if isinstance(action := each.decision.action, Lookup)
    )

    assert used == replayer.row(script.episode(), 0.2).calls_skipped == 3


LINE = {
    "action": "lookup",
    "after": 7,
    "episode": "one",
    "site": "find",
    "tool": "get",
    "policy": {
        "decider": "habit", "epsilon": 0.1, "greedy": "get", "propensity": 0.9,
        "options": [
            {"tool": "get", "p": 0.6, "habit": 0.6, "binding": 0.5, "used": True,
             "turn": 0.5},
            {"tool": "user", "p": 0.1, "habit": 0.1, "binding": None},
        ],
    },
}  # fmt: skip


def test_a_logged_decision_is_read_with_its_labels(tmp_path):
    path = tmp_path / "log.jsonl"
    handed = {**LINE, "action": "hand_back"}
    path.write_text(f"{json.dumps(LINE)}\n\n{json.dumps(handed)}\n")

    first, second = read_decisions(path)

    assert first.option("get").labels == Labels(1.0, 1.0, 0.0, 0.5)
    assert first.option("user").chance is None
    assert (first.taken, first.greedy, second.taken) == ("get", "get", None)
    assert first.chance_to_take("get") == 0.9


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"action": "wait"}, "should be `lookup` or `hand_back`"),
        ({"tool": "unheard"}, "none of its options"),
        ({"policy": {}}, "has no `options`"),
        ({"policy": {**LINE["policy"], "propensity": 2}}, "from 0 to 1"),
    ],
)
def test_a_line_that_is_no_labelled_decision_is_refused_by_its_number(
    tmp_path, change, says
):
    path = tmp_path / "log.jsonl"
    path.write_text(f"{json.dumps(LINE)}\n{json.dumps({**LINE, **change})}\n")

    with pytest.raises(FormatError, match=says) as error:
        list(read_decisions(path))
    assert f"{path}:2" in str(error.value)
