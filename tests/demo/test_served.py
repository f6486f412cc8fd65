"""Sessions played again with a flow served."""

import json
from collections import Counter

import pytest

from stretto.demo.acts import Say
from stretto.demo.record import play, record
from stretto.demo.served import play_again, saved, serve, write
from stretto.demo.tools import TOOLS
from stretto.demo.world import build
from stretto.learn.learn import learn
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Serving
from stretto.traces.appended import HEADER
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read

SEED, TAUGHT, SERVED = 7, 40, 20
WORLD = build(SEED)


@pytest.fixture(scope="module")
def flow(tmp_path_factory):
    """A flow learned from forty sessions."""
    ledger = Ledger()
    logs = record(tmp_path_factory.mktemp("shop"), sessions=TAUGHT, seed=SEED)
    episodes = list(read(logs, ledger=ledger))
    return learn(episodes, ledger.manifest, contracts=ledger.contracts).flow


@pytest.fixture(scope="module")
def sessions(flow):
    """Twenty sessions that it has not seen, without it and with it."""
    return serve(WORLD, flow, sessions=SERVED, seed=SEED, first=TAUGHT)


def made(recording):
    """The agent's calls."""
    return [c for act in recording.turns if not isinstance(act, Say) for c in act]


def words(recording):
    return [act for act in recording.turns if isinstance(act, Say)]


def changes(recording):
    """The calls that do more than look something up."""
    return [call for call in made(recording) if TOOLS[call.tool].read_only is not True]


def spelled(calls):
    return Counter(call.spelled for call in calls)


def test_a_flow_served_saves_turns_and_costs_none(sessions):
    for session in sessions:
        assert len(session.recording.turns) <= len(session.without.turns)
    assert saved(sessions).share > 0.25


def test_the_customers_hear_the_same_and_the_same_is_changed(sessions):
    for session in sessions:
        assert words(session.recording) == words(session.without)
        assert changes(session.recording) == changes(session.without)


def test_the_agent_only_leaves_calls_out_and_those_were_looked_up(sessions):
    for session in sessions:
        still_made = spelled(made(session.recording))
        without = spelled(made(session.without))
        spared = without - still_made
        assert still_made <= without
        assert spared <= spelled(session.lookups)
        assert session.needless == len(session.lookups) - spared.total()


def test_served_sessions_read_back_with_the_lookups_as_turns(sessions, tmp_path):
    ledger = Ledger()
    write(tmp_path, sessions)
    for session, episode in zip(sessions, read([tmp_path], ledger=ledger), strict=True):
        looked_up = [
            (call.tool, call.arguments)
            for turn in episode.turns
            for call in turn.calls
            if call.is_lookup
        ]
        assert episode.id == session.recording.session
        assert looked_up == [(c.tool, c.arguments) for c in session.lookups]
        assert len(episode.turns) == len(session.recording.turns) + len(looked_up)
    assert not ledger.problems


def test_the_engine_counts_the_lookups_it_decided_on(sessions):
    for session in sessions:
        decided = [json.loads(line) for line in session.decisions.splitlines()]
        lookups = [line for line in decided if line.get("action") == "lookup"]
        assert [(d["tool"], d["arguments"]) for d in lookups] == [
            (call.tool, call.arguments) for call in session.lookups
        ]
        assert session.counts["lookups"] == len(session.lookups)
        assert session.counts["added to"] == session.recording.log.count(HEADER)
        assert not session.counts["failed"]
        assert not session.counts["out of time"]


def test_without_a_flow_a_session_goes_as_it_was_recorded():
    for index in range(12):
        recorded = play(WORLD, seed=SEED, index=index)
        engine = Engine(None, None, Serving(token="none"))
        again = play_again(WORLD, recorded, engine, seed=SEED, index=index)
        assert again.recording.turns == recorded.turns
        assert (again.lookups, again.decisions, again.needless) == ((), "", 0)


def test_serving_again_gives_the_same_logs(flow, sessions):
    [again] = serve(WORLD, flow, sessions=1, seed=SEED, first=TAUGHT + 3)
    assert again.recording == sessions[3].recording
    assert again.decisions == sessions[3].decisions
