"""Replays one at a time: the same rows as ever, and bounds that hold anywhere."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import ToolResult
from stretto.evaluate.accounts import added
from stretto.evaluate.alone import Between, played
from stretto.evaluate.environment import Answer, Wanted
from stretto.evaluate.made import Recorded
from stretto.evaluate.record import Record
from stretto.evaluate.replay import Replayer
from stretto.evaluate.rules import Rule
from stretto.flow.deciders.decider import decider
from tests.evaluate.sessions import MANIFEST, episodes
from tests.toys import taught

FLOW = taught(episodes(1, 30), MANIFEST).flow
SESSIONS = episodes(2, 25, n_turns=14)
THRESHOLDS = (0.0, 0.1, 0.3)


def replayer(name: str = "habit", **rule: bool) -> Replayer:
    return Replayer(FLOW, decider(FLOW, name), rule=Rule(**rule))


class World:
    """
    The tools' own environment behind a record: it answers calls as the record has it.

    What the record does not say, it makes up, always the same for a seed.
    """

    def __init__(self, record: Record, seed: int) -> None:
        self.record, self.seed = record, seed

    def has(self, tool: str) -> bool:
        return MANIFEST.kind(tool).value != "write"

    def execute(self, recorded: Recorded) -> ToolResult | None:
        return recorded.result

    def look_up(self, wanted: Wanted) -> Answer:
        known = self.record.answer(wanted.key, wanted.after)
        if known.exact:
            return known
        random = Random(f"{self.seed}/{wanted.key}/{wanted.after}")
        orders = [f"W{random.randint(101, 106)}" for _ in range(random.randint(0, 4))]
        shown = {"orders": orders, "user_id": random.choice(["u_11", "u_12"])}
        return Answer(json.dumps(shown), random.random() < 0.2, True)


@pytest.mark.parametrize("name", ["habit", "reach"])
def test_by_the_current_rule_in_the_record_the_rows_are_the_replays(name):
    of = replayer(name)

    for threshold in THRESHOLDS:
        alone = [played(of, episode, threshold).account.row for episode in SESSIONS]
        assert alone == [of.row(episode, threshold) for episode in SESSIONS]


def test_the_record_as_an_environment_is_the_record():
    of = replayer()

    for episode in SESSIONS:
        record = of.walk(episode).course.record
        one, other = played(of, episode, 0.1), played(of, episode, 0.1, record)
        assert one.account.row == other.account.row
        assert one.account.credit == other.account.credit


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, len(SESSIONS) - 1),
    st.sampled_from(THRESHOLDS),
    st.sampled_from(["habit", "reach"]),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_wherever_tools_answer_calls_as_recorded_detours_keep_to_their_bounds(
    place, threshold, name, seed, same_result
):
    of = replayer(name, same_result=same_result)
    episode = SESSIONS[place]
    world = World(of.walk(episode).course.record, seed)

    bounds = played(of, episode, threshold).account.detours
    found = played(of, episode, threshold, world).account

    assert bounds.low <= found.row.detours <= bounds.high
    assert found.detours == Between(found.row.detours, found.row.detours)


def test_credit_is_no_less_than_the_turns_saved_and_no_more_than_those_with_calls():
    for episode in SESSIONS:
        found = played(replayer(), episode, 0.1).account
        assert found.row.turns_saved <= found.credit <= found.row.tool_turns


def test_accounts_add_up():
    of = [played(replayer(), episode, 0.1).account for episode in SESSIONS]
    found = added(0.1, of)

    assert found.totals.turns_saved == sum(one.row.turns_saved for one in of)
    assert found.credit == pytest.approx(sum(one.credit for one in of))
    assert found.detours.high == sum(one.detours.high for one in of)
