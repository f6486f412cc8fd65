"""Against a server that answers from the record, a replay is the record's own."""

import json
import os
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest

from stretto.client.live import Live, replay_live
from stretto.client.session import Ends
from stretto.episodes.episode import AssistantTurn, Episode
from stretto.episodes.manifest import Kind
from stretto.evaluate.made import key
from stretto.evaluate.replay import Replayer
from stretto.flow.deciders.decider import decider
from tests.evaluate.sessions import MANIFEST, episodes
from tests.toys import taught

FLOW = taught(episodes(1, 30), MANIFEST).flow
THRESHOLDS = (0.0, 0.1, 0.3, 0.6)


def reading(episode: Episode) -> Episode:
    """The session up to its first write; what is read there stays as it is."""
    for place, event in enumerate(episode.events):
        if isinstance(event, AssistantTurn) and any(
            MANIFEST.kind(call.tool) is not Kind.READ for call in event.calls
        ):
            return replace(episode, events=episode.events[:place])
    return episode


def is_steady(episode: Episode) -> bool:
    """Whether every call returns the same however often it is made."""
    results = episode.results()
    found = {
        (
            key(call.tool, call.arguments),
            results[call.id].error,
            results[call.id].content,
        )
        for turn in episode.turns
        for call in turn.calls
    }
    return len(found) == len({of for of, _, _ in found})


SESSIONS = [
    session
    for episode in episodes(4, 400, n_turns=14, unanswered=0.0)
    if len((session := reading(episode)).turns) > 2 and is_steady(session)
]


def answers(episode: Episode, requests: int, said: int) -> None:
    """Serve an episode's results, by tool and arguments, until the client is gone."""
    results = episode.results()
    found = {
        key(call.tool, call.arguments): results[call.id]
        for turn in episode.turns
        for call in turn.calls
    }
    tools = [
        {"name": name, "annotations": {"readOnlyHint": kind is Kind.READ}}
        for name, kind in MANIFEST.tools.items()
    ]
    with open(requests) as lines, open(said, "w") as out:
        for line in lines:
            message = json.loads(line)
            if "id" not in message:
                continue
            result: dict = {"tools": tools}
            if message["method"] == "tools/call":
                params = message["params"]
                of = found.get(key(params["name"], params["arguments"]))
                text = "nothing" if of is None else of.content
                result = {
                    "content": [{"type": "text", "text": text}],
                    "isError": of is None or of.error,
                }
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            out.write(json.dumps(answer) + "\n")
            out.flush()


def backed(episode: Episode):
    """Begins a session with a server of the episode's own results."""

    @contextmanager
    def reach(_):
        requests, said = os.pipe(), os.pipe()
        server = threading.Thread(target=answers, args=(episode, requests[0], said[1]))
        with open(said[0], "rb") as output, open(requests[1], "wb") as given:
            server.start()
            try:
                yield Ends(given, output)
            finally:
                given.close()
                server.join()

    return reach


@pytest.mark.parametrize("name", ["habit", "reach"])
def test_where_the_record_has_every_lookup_the_counts_are_the_records(name):
    replayer, n_equal, n_lookups = Replayer(FLOW, decider(FLOW, name)), 0, 0
    for episode in SESSIONS:
        live = Live(backed(episode), writes=True)
        [found] = replay_live(replayer, [episode], THRESHOLDS, live)
        assert not found.fidelity.differing
        assert not found.fidelity.misread
        for at_server, in_record in zip(found.live, found.record, strict=True):
            row = in_record.row
            low, high = in_record.detours
            assert low <= at_server.row.detours <= high
            if not (row.unrecorded or row.not_in_record):
                assert at_server.row == row
                assert at_server.credit == in_record.credit
                n_equal, n_lookups = n_equal + 1, n_lookups + row.lookups

    assert n_equal > 60
    assert n_lookups > 40
