"""
How long bindings take: learned from a results file, and asked for at a decision.

Learning is to be read beside parsing the same file's JSON, which is measured here too.
"""

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.cold import forget
from stretto.binding.bind import pick
from stretto.binding.learn import learn_bindings
from stretto.binding.seen import Seen
from stretto.binding.sources import Bindings
from stretto.episodes.episode import Episode, ToolResult
from stretto.episodes.manifest import read_manifest
from stretto.traces.reader import read
from tests.conftest import shared

RETAIL = "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"

Benchmark = Callable[..., Any]


@pytest.fixture(scope="module")
def reads() -> tuple[str, ...]:
    return read_manifest(shared("manifests/retail.json")).reads


@pytest.fixture(scope="module")
def training() -> list[Episode]:
    """The successful sessions of the training tasks: 50."""
    tasks = json.loads(shared("splits/retail.json").read_text())["train"]
    found = [e for e in read([shared(RETAIL)]) if e.task in tasks and e.succeeded]
    assert len(found) == 50
    return found


@pytest.fixture(scope="module")
def bindings(training: list[Episode], reads: tuple[str, ...]) -> Bindings:
    return learn_bindings(training, reads)


def test_parsing_the_file(benchmark: Benchmark) -> None:
    lines = gzip.decompress(shared(RETAIL).read_bytes()).splitlines()

    benchmark(lambda: [json.loads(line) for line in lines])


def test_learning_from_its_training_sessions(
    benchmark: Any, training: list[Episode], reads: tuple[str, ...]
) -> None:
    benchmark.pedantic(
        learn_bindings,
        args=(training, reads),
        setup=forget,
        rounds=30,
    )


def decisions(training: list[Episode]) -> list[Seen]:
    """Each session as it stands after each result."""
    found = []
    for episode in training:
        seen = Seen()
        for event in episode.events:
            seen.add(event)
            if isinstance(event, ToolResult):
                found.append(seen.copy())
    return found


def test_one_pick_of_every_lookup_at_every_decision(
    benchmark: Any, training: list[Episode], bindings: Bindings
) -> None:
    """Divide by `picks` for the time of one; no decision knows another's answers."""
    benchmark.extra_info["picks"] = len(decisions(training)) * len(bindings.args)

    def all_picks(found: list[Seen]) -> None:
        for seen in found:
            for tool in bindings.args:
                pick(bindings, tool, seen)

    benchmark.pedantic(all_picks, setup=lambda: ((decisions(training),), {}), rounds=20)


def test_copying_what_a_whole_session_showed(
    benchmark: Benchmark, training: list[Episode]
) -> None:
    longest = max(training, key=lambda episode: len(episode.events))

    benchmark(Seen.of(longest.events).copy)
