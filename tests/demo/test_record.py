"""Recorded sessions."""

import json
from datetime import datetime

import pytest

from stretto.demo.acts import Say
from stretto.demo.record import play, record
from stretto.demo.world import build
from stretto.episodes.episode import AssistantTurn
from stretto.episodes.manifest import Kind
from stretto.errors import CannotWrite
from stretto.traces.reader import Ledger, read

SEED = 11


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Forty recorded sessions."""
    folder = tmp_path_factory.mktemp("shop")
    record(folder, sessions=40, seed=SEED)
    return folder


def told(turn):
    """A turn as both the agent and a reader tell it."""
    match turn:
        case Say(text=text) | AssistantTurn(text=text, calls=()):
            return text
        case AssistantTurn(calls=calls):
            return [(call.tool, call.arguments) for call in calls]
        case calls:
            return [(call.tool, dict(call.arguments)) for call in calls]


def test_the_turns_read_are_the_turns_the_agent_made(folder):
    world = build(SEED)
    episodes = list(read([folder]))
    assert len(episodes) == 40
    for index, episode in enumerate(episodes):
        made = play(world, seed=SEED, index=index)
        assert episode.id == made.session
        assert list(map(told, episode.turns)) == list(map(told, made.turns))


def test_the_logs_read_without_a_problem_and_say_what_the_tools_do(folder):
    ledger = Ledger()
    episodes = list(read([folder], ledger=ledger))
    assert not ledger.problems
    kinds = ledger.manifest.tools
    assert kinds["get_order"] is Kind.READ
    assert kinds["cancel_order"] is Kind.WRITE
    assert kinds["hand_over"] is Kind.GENERIC
    assert {episode.domain for episode in episodes} == {"shop"}
    assert {episode.agent for episode in episodes} == {"scripted"}


def test_a_session_depends_on_the_seed_and_its_index_alone(folder, tmp_path):
    paths = record(tmp_path, sessions=3, seed=SEED, first=20)
    for path in paths:
        assert path.read_bytes() == (folder / path.name).read_bytes()
    [other] = record(tmp_path / "other", sessions=1, seed=SEED + 1, first=20)
    assert other.read_bytes() != paths[0].read_bytes()


def test_no_customer_comes_back_before_all_have_been():
    world = build(SEED)
    logs = [play(world, seed=SEED, index=index).log for index in range(60)]
    for customer in world.customers.values():
        assert sum(customer.customer_id in log for log in logs) <= 1
    assert sum('"customer_id\\":' in log for log in logs) > 50


def test_sessions_are_named_for_their_start_and_do_not_overlap(folder):
    ends = 0
    for path in sorted(folder.iterdir()):
        lines = path.read_text("utf-8").splitlines()
        header, last = json.loads(lines[0]), json.loads(lines[-1])
        stamp = header["session"].rpartition("-")[0].replace("Z", "+0000")
        start = datetime.strptime(stamp, "%Y%m%dT%H%M%S.%f%z")
        assert header["stretto_mcp_log"] == 2
        assert path.stem == header["session"]
        assert header["started_unix_ms"] == round(start.timestamp() * 1_000) > ends
        ends = header["started_unix_ms"] + last["t_ms"]


def test_a_session_is_more_than_one_errand_run_alike(folder):
    walks = [
        tuple(call.tool for turn in episode.turns for call in turn.calls)
        for episode in read([folder])
    ]
    assert len(set(walks)) > 15


def test_a_folder_that_cannot_be_made_is_an_error_with_its_name(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(CannotWrite, match="taken"):
        record(tmp_path / "taken", sessions=1, seed=0)
