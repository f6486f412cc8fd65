import json
import random

import pytest

from stretto.canonical import Json
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.step import steps
from stretto.episodes.tasks import fold
from stretto.episodes.vocabulary import Vocabulary
from stretto.habit.concentration import grid
from stretto.habit.encode import encode
from stretto.habit.features import NO_FEATURES, Field
from stretto.habit.prequential import prequential
from stretto.habit.select import MAX_FIELDS, MIN_GAIN, select
from tests.claims import claim
from tests.habit import literal
from tests.habit.published import HABITS, sessions

VOCAB = Vocabulary.of(["find", "pay", "ship"])


def episode(task, *made):
    """Calls with their outputs, one a turn, then a message."""
    events: list[Event] = [UserMessage("hello")]
    for i, (tool, output) in enumerate(made):
        content = output if isinstance(output, str) else json.dumps(output)
        events.append(AssistantTurn(calls=(ToolCall(f"c{i}", tool, {}),)))
        events.append(ToolResult(f"c{i}", tool, False, content))
    events.append(AssistantTurn("done"))
    return Episode(f"e{task}", tuple(events), task=str(task), reward=1.0)


def told_by(output_of, n=60):
    """Episodes whose `find` output says whether to pay or to ship."""
    rng = random.Random(7)
    found = []
    for task in range(n):
        pays = rng.random() < 0.5
        output: Json = output_of(pays, rng)
        found.append(episode(task, ("find", output), ("pay" if pays else "ship", "ok")))
    return found


@claim("features:selection")
def test_the_field_that_tells_what_comes_next_is_chosen():
    episodes = told_by(
        lambda pays, rng: {"due": pays, "color": rng.choice(["red", "blue"]), "x": 1}
    )

    selection = select(episodes, VOCAB, alpha=1.0)

    assert selection.n_candidates == 2
    (chosen,) = selection.chosen
    assert chosen.candidate == ("find", Field("Scalar", "due"))
    assert chosen.gain >= MIN_GAIN
    assert selection.map.fields == {"find": (Field("Scalar", "due"),)}
    assert selection.map.ids == {("find", ("false",)): 1, ("find", ("true",)): 2}


def test_of_fields_that_tell_the_same_the_last_is_chosen():
    episodes = told_by(lambda pays, _: {"a": pays, "b": not pays, "c": [1] * pays})

    (chosen,) = select(episodes, VOCAB, alpha=1.0).chosen

    assert chosen.candidate.field == Field("Len", "c")


@claim("features:selection")
def test_a_field_that_tells_nothing_is_not_chosen():
    episodes = told_by(lambda _, rng: {"color": rng.choice(["red", "blue"])})

    selection = select(episodes, VOCAB, alpha=1.0)

    assert selection.chosen == ()
    assert selection.map == NO_FEATURES
    assert selection.n_candidates == 1


def test_nothing_is_chosen_of_outputs_that_are_text():
    episodes = told_by(lambda pays, _: f"due: {pays}")

    assert select(episodes, VOCAB, alpha=1.0).n_candidates == 0


def test_a_map_reads_eight_fields_at_most():
    tools = [f"ask{i}" for i in range(10)]
    rng = random.Random(7)
    episodes = []
    for task in range(80):
        bits = [rng.random() < 0.5 for _ in tools]
        made = [
            call
            for tool, bit in zip(tools, bits, strict=True)
            for call in ((tool, {"due": bit}), ("pay" if bit else "ship", "ok"))
        ]
        episodes.append(episode(task, *made))

    selection = select(episodes, Vocabulary.of([*tools, "pay", "ship"]), alpha=1.0)

    assert selection.n_candidates == 10
    assert len(selection.chosen) == MAX_FIELDS


@claim("features:selection")
@pytest.mark.parametrize(
    "name",
    [
        "airline",
        pytest.param("tau-bench-airline", marks=pytest.mark.slow),
        pytest.param("retail-pooled", marks=pytest.mark.slow),
    ],
)
def test_real_sessions_choose_what_the_literal_search_chooses(name):
    read = sessions(HABITS[name])
    alpha = grid(prequential(read.encoded, read.vocab.size)).median

    found = select(read.used, read.vocab, alpha=alpha)

    candidates, expected = literal_selection(read, alpha)
    assert found.n_candidates == len(candidates)
    assert [
        literal.Field(
            candidate.tool, candidate.field.kind == "Len", candidate.field.path
        )
        for candidate, _ in found.chosen
    ] == [field for field, _ in expected]
    assert [added.gain for added in found.chosen] == pytest.approx(
        [gain for _, gain in expected]
    )


def literal_selection(read, alpha):
    """The candidates, and those the literal search chooses with what each gains."""
    observed = [_observed(episode, read.vocab) for episode in read.used]
    outputs: literal.Outputs = {}
    for tool, value in (o for e in observed for o in e.outputs if o is not None):
        outputs.setdefault(tool, []).append(value)
    candidates = literal.discover(outputs)
    return candidates, literal.select(
        candidates,
        lambda chosen: literal.score(observed, chosen, outputs, alpha, read.vocab.size),
    )


def _observed(episode, vocab):
    return literal.Observed(
        encode(episode, vocab, NO_FEATURES),
        [_output(step.result) for step in steps(episode.events)],
        fold(episode.task),
    )


def _output(result):
    try:
        return None if result is None else (result.tool, json.loads(result.content))
    except ValueError:
        return None
