"""Ceilings: which turns could have been told before them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import AssistantTurn, Episode
from stretto.episodes.manifest import read_manifest
from stretto.episodes.site import Site
from stretto.evaluate.ceiling import Trigger, TurnKind, llm_turns, normal
from stretto.traces.reader import read
from tests.conftest import shared
from tests.evaluate import literal_costs as literal
from tests.evaluate import sessions
from tests.toys import SHOP, Script

EVERY = [(words, fresh) for words in (False, True) for fresh in (False, True)]


def under(script: Script) -> list[tuple[bool, bool]]:
    """By LLM turn: whether it is speculable from tool state, and with words."""
    turns = llm_turns(script.episode(), SHOP)
    return [(t.speculable(), t.speculable(words=True)) for t in turns]


def test_a_read_of_what_a_result_held_is_speculable_and_the_first_turn_is_not():
    script = Script().user("I am u1").turn(("find", {"user": "u1"}, {"orders": ["A"]}))
    script.turn(("get", {"order": " a "}, {"n": 1}))

    assert under(script) == [(False, False), (True, True)]


def test_what_only_the_user_said_is_speculable_with_words_alone():
    script = Script().user("Order W12, please").turn(("find", {}, "ok"))
    script.turn(("get", {"order": "W12"}, "ok"))

    assert under(script)[1] == (False, True)


@pytest.mark.parametrize(
    ("said", "value", "is_said"),
    [
        ("it was 1234", 234, False),
        ("it was 234, yes", 234, True),
        ("it was 234.", 234.0, True),
        ("it is A1", "A1", False),
        ("it is xA12x", "A12", True),
        ("it is true", True, True),
    ],
)
def test_a_mention_has_three_characters_and_a_number_stands_alone(said, value, is_said):
    script = Script().user(said).turn(("find", {}, "ok"))
    script.turn(("get", {"x": value}, "ok"))

    assert under(script)[1] == (False, is_said)


def test_failed_results_results_to_come_and_a_write_beside_a_read_count_for_nothing():
    script = Script().user("hi").turn(("find", {}, ValueError("A77")))
    script.turn(("get", {"order": "A77"}, {"order": "B88"}))
    script.turn(("get", {"order": "B88"}, "ok"), ("cancel", {"order": "B88"}, "ok"))

    assert under(script) == [(False, False)] * 3


def test_a_result_that_is_no_json_counts_line_by_line():
    script = Script().user("hi").turn(("find", {}, "x"))
    episode = script.turn(("get", {"order": "Second One"}, "ok")).episode()
    lines = [
        e if e != episode.events[2] else type(e)(e.call_id, e.tool, False, text)
        for e, text in zip(episode.events, ["first\n  second one \n"] * 5, strict=False)
    ]

    turns = llm_turns(Episode("e", tuple(lines)), SHOP)

    assert turns[1].speculable()


def test_the_published_flag_outlives_a_write_and_the_fresh_one_does_not():
    script = Script().user("hi").turn(("find", {}, {"order": "A77"}))
    script.turn(("cancel", {"order": "A77"}, "done"))
    script.turn(("get", {"order": "A77"}, "ok")).turn(("get", {"order": "A77"}, "ok"))

    _, _, after_write, after_read = llm_turns(script.episode(), SHOP)

    assert after_write.speculable()
    assert not after_write.speculable(fresh=True)
    assert after_read.speculable(fresh=True)


def test_each_turn_has_its_kind_what_triggered_it_and_the_latest_site():
    script = Script().reply("Welcome!").user("hi").turn(("find", {}, ValueError("no")))
    script.reply().turn(("cancel", {}, "ok")).turn(("think", {}, "ok"))

    turns = llm_turns(script.episode(), SHOP)

    assert [(t.kind, t.trigger, t.site, t.left) for t in turns] == [
        (TurnKind.READS, Trigger.USER, None, 3),
        (TurnKind.REPLY, Trigger.RESULTS, Site("find", True), 2),
        (TurnKind.WRITES, Trigger.AGENT, Site("find", True), 1),
        (TurnKind.OTHER, Trigger.WRITTEN, Site("cancel", False), 0),
    ]


def test_whole_floats_are_integers_and_a_boolean_is_no_number():
    assert normal(5.0) == normal(5) == normal(" 5 ") == "5"
    assert normal(True) == normal(" TRUE") == "true"
    assert normal(0.5) == "0.5"
    assert normal(None) == "null"


def assert_alike(episode, manifest):
    turns = llm_turns(episode, manifest)
    places = [i for i, e in enumerate(episode.events) if isinstance(e, AssistantTurn)]
    if places and places[0] == 0 and not episode.events[0].calls:
        places = places[1:]
    tools = {tool: str(kind) for tool, kind in manifest.tools.items()}
    for words, fresh in EVERY:
        found = [turn.speculable(words=words, fresh=fresh) for turn in turns]
        assert found == [
            literal.is_ceiling(episode, place, tools, words=words, fresh=fresh)
            for place in places
        ]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_every_turn_is_as_the_definition_has_it(seed):
    for episode in sessions.episodes(seed, 3):
        assert_alike(episode, sessions.MANIFEST)


@pytest.mark.parametrize(
    ("path", "domain"),
    [
        ("sessions/tau2-retail-codesque16/retail__gpt-5-mini__114.jsonl.gz", "retail"),
        ("sessions/tau2-sierra-prs/airline__gpt-4.1__20.json.gz", "airline"),
    ],
)
def test_every_turn_of_recorded_sessions_is_as_the_definition_has_it(path, domain):
    manifest = read_manifest(shared(f"manifests/{domain}.json"))

    for episode in read([shared(path)]):
        assert_alike(episode, manifest)
