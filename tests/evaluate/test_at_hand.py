"""What the paper found by replays and counts, found again of the agents at hand."""

import gzip
import json
from dataclasses import replace

import pytest

from stretto.episodes.manifest import read_manifest
from stretto.evaluate.replay import replay
from stretto.evaluate.rows import Totals, totals
from stretto.files import read_json
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.traces.reader import read
from tests.claims import claim
from tests.conftest import shared

CODESQUE = "sessions/tau2-retail-codesque16/retail__"
PRS = "sessions/tau2-sierra-prs/"
RETAIL = (
    f"{CODESQUE}gpt-5-mini__114.jsonl.gz",
    f"{CODESQUE}gemini-3-flash__tasks-verified__114.jsonl.gz",
)
AIRLINE = (
    f"{PRS}airline__claude-opus-4-6-button__50.json.gz",
    f"{PRS}airline__gpt-4o-2024-11-20__50.json.gz",
)
SOLO = (
    f"{PRS}telecom-solo__gpt-4.1__5x4.json.gz",
    f"{PRS}telecom-solo__gpt-4.1__40.json.gz",
)


def replayed(
    domain: str, files: tuple[str, ...], threshold: float, kinds: str | None = None
) -> Totals:
    """By the habit of the split's training tasks, on its test tasks."""
    split = read_json(shared(f"splits/{domain}.json"))
    train, test = (
        {task.text() for task in split[side].array()} for side in ("train", "test")
    )
    sessions = [replace(e, domain=domain) for e in read([shared(f) for f in files])]
    manifest = read_manifest(shared(f"manifests/{kinds or domain}.json"))
    flow = learn(sessions, manifest, Settings(tasks=train.__contains__)).flow
    held_out = [e for e in sessions if e.task in test]
    return totals(replay(flow, held_out, decider="habit", threshold=threshold))


@pytest.mark.parametrize(
    ("domain", "files"), [("retail", RETAIL), ("airline", AIRLINE)]
)
@claim("arms:certain")
def test_at_a_threshold_of_99_percent_the_habit_makes_no_lookup(domain, files):
    at_99 = replayed(domain, files, 0.99)

    assert at_99.turns > 300
    assert (at_99.lookups, at_99.turns_saved) == (0, 0)
    assert replayed(domain, files, 0.3).lookups > 50


@claim("solo:savings")
def test_what_a_flow_of_five_tasks_saves_in_solo_mode():
    found = replayed("telecom", SOLO, 0.3, "telecom-solo")

    assert (found.turns_saved, found.turns, found.detours) == (74, 606, 15)
    assert round(100 * found.turns_saved / found.turns, 1) == 12.2


@claim("telecom:actions")
def test_how_often_customers_use_their_phones():
    means = []
    for file in (
        f"{PRS}telecom__gpt-4.1__40.json.gz",
        f"{PRS}telecom__gpt-4o__20.json.gz",
    ):
        runs = json.loads(gzip.decompress(shared(file).read_bytes()))["simulations"]
        calls = [
            call
            for run in runs
            for message in run["messages"]
            for call in message.get("tool_calls") or ()
        ]
        used = sum(call.get("requestor") == "user" for call in calls)
        means.append(round(used / len(runs), 2))

    assert means == [12.05, 6.25]
