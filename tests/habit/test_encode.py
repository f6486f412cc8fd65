import json

import pytest

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.step import steps
from stretto.episodes.vocabulary import Vocabulary, symbol
from stretto.habit.encode import Encoded, encode, half_life_weights, symbol_of
from stretto.habit.features import NO_FEATURES, FeatureMap, Field
from tests.claims import claim
from tests.habit.toy import E1, E2
from tests.toys import TOY

VOCAB = Vocabulary.of(["cancel", "find", "get"])
STATUS = FeatureMap(
    {"find": (Field("Scalar", "status"),)},
    {("find", ("open",)): 1, ("find", ("∅",)): 2},
)


def returned(content, *, tool="find", error=False):
    return Episode(
        "e",
        (
            UserMessage("hello"),
            AssistantTurn(calls=(ToolCall("c1", tool, {}),)),
            ToolResult("c1", tool, error, content),
        ),
        task="7",
    )


def test_the_worked_example_is_encoded_as_its_page_writes_it():
    encoded = [encode(episode, VOCAB, NO_FEATURES) for episode in TOY]

    assert [(e.actions, e.symbols) for e in encoded] == [
        (E1.actions, E1.symbols),
        (E2.actions, E2.symbols),
    ]


def test_symbols_hold_action_outcome_and_feature_where_the_format_puts_them():
    assert symbol(0, 2) == 8192
    assert symbol(2, 0) == 32768
    assert symbol(3, 1) == 53248
    assert symbol(3, 0, 1) == 49153


@claim("flow:goal-free", "group:one")
def test_an_encoded_episode_keeps_its_task_and_weight_and_has_no_goal():
    encoded = encode(returned("{}"), VOCAB, NO_FEATURES, weight=0.5)

    assert encoded == Encoded("7", (2,), (32768,), group=1, weight=0.5)


def test_a_tool_outside_the_vocabulary_has_the_last_id():
    assert encode(returned("{}", tool="new"), VOCAB, NO_FEATURES).actions == (4,)


@pytest.mark.parametrize(
    ("content", "feature"),
    [
        ('{"status": "open"}', 1),
        ('{"status": "shut"}', 0),
        ("{}", 2),
        ("null", 2),
        ("Error: no such record", 0),
        ('{"status": NaN}', 0),
        ("[" * 100_000, 0),
    ],
)
def test_a_result_that_is_json_gives_its_step_a_feature(content, feature):
    (found,) = encode(returned(content), VOCAB, STATUS).symbols

    assert found == symbol(2, 0, feature)


def test_the_output_of_a_failed_call_has_a_feature_too():
    content = json.dumps({"status": "open"})

    assert encode(returned(content, error=True), VOCAB, STATUS).symbols == (
        symbol(2, 1, 1),
    )


def test_a_step_without_a_result_has_no_feature():
    turn = AssistantTurn(calls=(ToolCall("c1", "find", {}),))
    (step,) = steps([turn])

    assert symbol_of(step, VOCAB, STATUS) == symbol(2, 1)


def test_a_weight_halves_with_every_half_life_of_later_episodes():
    weights = half_life_weights(11, 10.0)

    assert weights[10] == 1.0
    assert weights[5] == pytest.approx(0.7071, abs=1e-4)
    assert weights[0] == 0.5
    assert half_life_weights(0, 10.0) == []
