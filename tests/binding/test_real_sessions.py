"""Bindings learned from sessions that agents really had."""

import json
from functools import cache

import pytest

from stretto.binding.learn import learn_bindings
from stretto.binding.seen import Seen
from stretto.episodes.episode import Episode
from stretto.flow.wire.bindings import bindings_json
from stretto.traces.reader import read
from tests.binding import literal
from tests.binding.test_against_literal import as_counted, literally
from tests.conftest import shared

RETAIL = "tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"
AIRLINE = "tau2-sierra-prs/airline__claude-opus-4-6-button__50.json.gz"
SOLO = "tau2-sierra-prs/telecom-solo__gpt-4.1__40.json.gz"


def reads_of(manifest: str) -> list[str]:
    tools = json.loads(shared(f"manifests/{manifest}.json").read_text())["tools"]
    return [tool for tool, kind in tools.items() if kind == "read"]


@cache
def sessions(path: str) -> list[Episode]:
    return list(read([shared(f"sessions/{path}")]))


def test_the_published_shops_bindings_are_learned_from_its_logs():
    published = json.loads(shared("reference/flows/shop.flow.json").read_text())
    tools = published["manifest"]["tools"]
    reads = [tool for tool, kind in tools.items() if kind == "read"]

    found = learn_bindings(list(read([shared("reference/logs/shop")])), reads)

    assert json.loads(json.dumps(bindings_json(found))) == published["bindings"]


def check(episodes: list[Episode], manifest: str) -> None:
    reads = reads_of(manifest)
    found = learn_bindings(episodes, reads, constants=True)
    expected = literal.learn(episodes, reads, constants=True)
    assert as_counted(found) == literally(expected)


@pytest.mark.parametrize(
    ("path", "manifest", "n"),
    [(RETAIL, "retail", 12), (AIRLINE, "airline", 8), (SOLO, "telecom-solo", 8)],
)
def test_real_sessions_are_counted_as_the_definition_says(path, manifest, n):
    check(sessions(path)[:n], manifest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "manifest"),
    [(RETAIL, "retail"), (AIRLINE, "airline"), (SOLO, "telecom-solo")],
)
def test_whole_files_are_counted_as_the_definition_says(path, manifest):
    check(sessions(path), manifest)


def test_the_order_of_the_sessions_changes_nothing():
    episodes, reads = sessions(RETAIL)[:30], reads_of("retail")

    assert learn_bindings(episodes, reads) == learn_bindings(episodes[::-1], reads)


def test_a_real_session_gives_what_its_calls_brought():
    episode = sessions(RETAIL)[0]
    seen = Seen.of(episode.events)

    assert {call.tool for turn in episode.turns for call in turn.calls} == seen.called
    assert len(seen.outputs) == sum(not r.error for r in episode.results().values())
