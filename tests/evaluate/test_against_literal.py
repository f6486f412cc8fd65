"""Decisions, audits and replays beside ones read straight off their definitions."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import Episode, Event
from stretto.episodes.manifest import read_manifest
from stretto.evaluate.audit import Audit, audit
from stretto.evaluate.replay import replay
from stretto.flow.decide import decide
from stretto.flow.deciders.decider import decider
from stretto.flow.decision import Decision, Lookup, Reason
from stretto.flow.flow import Flow
from stretto.flow.moment import Transcript
from stretto.flow.wire import flow_json, read_flow
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.traces.reader import read
from tests.conftest import shared
from tests.evaluate import literal
from tests.evaluate.lessons import Lesson, steadily
from tests.flow import literal as deciding

RETAIL = "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__"
AIRLINE = "sessions/tau2-sierra-prs/airline__gpt-4.1__20.json.gz"
DECIDERS = ("habit", "reach")
THRESHOLDS = (0.1, 0.3, 0.6)

seeds = st.integers(0, 2**32)


def sessions(path: str, n: int) -> list[Episode]:
    """The first `n` sessions of a shared file."""
    return list(islice(read([shared(path)]), n))


def assert_replayed_alike(
    flow: Flow, file: dict, measured: Iterable[Episode], name: str, threshold: float
) -> None:
    for episode in measured:
        [row] = replay(flow, [episode], decider=name, threshold=threshold)
        assert asdict(row) == literal.replay(file, episode, name, threshold)


def assert_audited_alike(
    flow: Flow, file: dict, measured: list[Episode], name: str
) -> None:
    expected = literal.audit(file, measured, name)
    found = summed(audit(flow, measured, decider=name))
    for field in {**found, **expected}:
        assert alike(found[field], expected[field]), field


def summed(found: Audit) -> dict:
    """An audit as the literal one holds it."""
    fields = (
        "episodes",
        "decisions",
        "log_p",
        "agreement",
        "expected_agreement",
        "ece",
        "offered",
        "log_p_offered",
        "log_p_among",
    )
    return {name: getattr(found, name) for name in fields} | {
        "skipped": {reason.value: n for reason, n in found.skipped.items()},
        "calibration": [
            (b.decisions, b.mean_p, b.agreement) for b in found.calibration
        ],
        "sites": [
            (s.site, s.decisions, s.agreement, s.mean_log_p) for s in found.sites
        ],
        "surprising": [
            (e.episode, e.task, e.decisions, e.mean_log_p) for e in found.surprising
        ],
    }


def alike(found: object, expected: object) -> bool:
    """Equal, but for the last digits of what was added up in another order."""
    match found, expected:
        case float(), float():
            return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)
        case dict(), dict():
            return found.keys() == expected.keys() and all(
                alike(value, expected[key]) for key, value in found.items()
            )
        case ((list() | tuple()), (list() | tuple())):
            return len(found) == len(expected) and all(map(alike, found, expected))
        case _:
            return found == expected


def moments(episode: Episode) -> Iterator[tuple[tuple[Event, ...], tuple]]:
    """Each prefix, and each call as the proxy sees it: with others pending."""
    for i in range(len(episode.events) + 1):
        prefix = Episode("prefix", episode.events[:i])
        yield prefix.events, ()
        for call in prefix.turns[-1].calls if prefix.turns else ():
            view = prefix.after(call.id)
            yield view.episode.events, view.pending


def assert_decided_alike(found: Decision, expected: tuple) -> None:
    probs, action = expected
    assert alike(dict(found.probabilities), probs)
    if isinstance(found.action, Lookup):
        assert alike(tuple(asdict(found.action).values()), action)
    else:
        code, text = action
        assert found.action.code.value == code
        assert found.action.text.startswith(text or "")


def decided(seed: int, name: str, threshold: float) -> Iterator[tuple[Decision, tuple]]:
    """Every decision in a random session, and what it should be."""
    lesson = Lesson(seed)
    [episode] = lesson.measured(1)
    who = decider(lesson.flow, name)
    for events, pending in moments(episode):
        moment = Transcript.of(lesson.flow, events).moment(pending)
        found = decide(lesson.flow, moment, who, threshold=threshold)
        yield found, deciding.decide(lesson.file, events, pending, name, threshold)


@given(seeds, st.sampled_from(DECIDERS), st.sampled_from((0.05, *THRESHOLDS)))
@settings(max_examples=20, deadline=None)
def test_every_decision_in_a_random_session_is_the_one_defined(
    seed: int, name: str, threshold: float
):
    for found, expected in decided(seed, name, threshold):
        assert_decided_alike(found, expected)


def test_the_random_sessions_reach_every_reason_and_lookups_of_any_chance():
    reasons, chances = set(), set()
    for seed in range(30):
        for found, _ in decided(seed, DECIDERS[seed % 2], 0.1):
            match found.action:
                case Lookup(chance=chance):
                    chances.add(chance)
                case hand_back:
                    reasons.add(hand_back.code)

    asked = {Reason.ORACLE_FAILED, Reason.ORACLE_INCOMPLETE}
    assert reasons == set(Reason) - asked
    assert len(chances) > 4


@given(seeds, st.sampled_from(DECIDERS))
@settings(max_examples=30, deadline=None)
def test_the_audit_of_random_sessions_is_the_one_defined(seed: int, name: str):
    lesson = Lesson(seed)

    assert_audited_alike(lesson.flow, lesson.file, lesson.measured(3), name)


@given(seeds, st.sampled_from(DECIDERS), st.sampled_from((0.05, *THRESHOLDS)))
@settings(max_examples=100, deadline=None)
def test_the_replay_of_random_sessions_is_the_one_defined(
    seed: int, name: str, threshold: float
):
    lesson = Lesson(seed)
    # The gate leaves out what follows a turn whose last call has no result.
    measured = lesson.measured(3, unanswered=0.05)

    assert_replayed_alike(lesson.flow, lesson.file, measured, name, threshold)


@given(seeds)
@settings(max_examples=6, deadline=None)
def test_the_replay_of_long_sessions_stops_at_the_caps_defined(seed: int):
    lesson = Lesson(seed, steady=True)
    measured = lesson.measured(1, n_turns=40, n_orders=30)
    measured += lesson.named([steadily(60)])

    assert_replayed_alike(lesson.flow, lesson.file, measured, "reach", 0.01)


@pytest.mark.parametrize(
    ("published", "name"),
    [("airline-reach", "reach"), ("airline-reach", "habit"), ("airline-f2", "habit")],
)
def test_published_flows_are_audited_and_replayed_as_defined(published: str, name: str):
    flow = read_flow(shared(f"reference/flows/{published}.flow.json"))
    measured, file = sessions(AIRLINE, 5), flow_json(flow)

    assert_audited_alike(flow, file, measured, name)
    for threshold in THRESHOLDS:
        assert_replayed_alike(flow, file, measured, name, threshold)


@pytest.mark.parametrize("name", DECIDERS)
@pytest.mark.parametrize(
    ("n_learned", "n_measured"),
    [(8, 6), pytest.param(60, 50, marks=pytest.mark.slow)],
)
def test_flows_learned_from_retail_are_audited_and_replayed_as_defined(
    n_learned: int, n_measured: int, name: str
):
    manifest = read_manifest(shared("manifests/retail.json"))
    training = sessions(f"{RETAIL}run1__114.jsonl.gz", n_learned)
    flow = learn(training, manifest, Settings(surprise=0.9, window=3)).flow
    measured, file = (
        sessions(f"{RETAIL}run2__114.jsonl.gz", n_measured),
        flow_json(flow),
    )

    assert_audited_alike(flow, file, measured, name)
    for threshold in THRESHOLDS:
        assert_replayed_alike(flow, file, measured, name, threshold)
