"""The oracles that ask nobody, and what is put around one that does."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from stretto.errors import AnswerMissing, OracleError, UnknownPlugin
from stretto.oracle.answer import (
    Answer,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    ScoreAnswer,
)
from stretto.oracle.ask import ask
from stretto.oracle.cache import Cache
from stretto.oracle.cached import Cached
from stretto.oracle.installed import ORACLES, oracle
from stretto.oracle.mock import Mock
from stretto.oracle.question import Choice, Noul, Request, Score
from stretto.oracle.replay import Replay
from stretto.oracle.scripted import ScriptedOracle
from stretto.oracle.settings import OracleSettings, model_of
from stretto.oracle.versions import Versions
from tests.claims import claim
from tests.oracle.strategies import REQUESTS

DONE = Request("latest", {}, {"n": Noul("Done?")})


def certain(request: Request) -> Mapping[str, Answer]:
    return {id: NoulAnswer(1.0) for id in request.questions}


class Counting:
    """Answers yes, and counts how often it is asked."""

    name, model = "counting", "latest"

    def __init__(self, *versions: str) -> None:
        self.asked = 0
        self.versions = versions or ("v1",)

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:  # noqa: ARG002
        self.asked += 1
        version = self.versions[min(self.asked, len(self.versions)) - 1]
        return Response(version, certain(request))


def test_the_mock_answers_as_it_is_published_to() -> None:
    request = Request(
        "any",
        None,
        {
            "c": Choice("?", {"z": "", "b": "", "a": ""}),
            "o": Choice("?", {"only": ""}),
            "n": Noul("?"),
            "s": Score("?", ("low", "mid", "high")),
        },
    )

    assert Mock().ask(request) == Response(
        "mock",
        {
            "c": ChoiceAnswer("a", {"a": 0.6, "b": 0.2, "z": 0.2}, 0.6),
            "o": ChoiceAnswer("only", {"only": 1.0}, 1.0),
            "n": NoulAnswer(0.5),
            "s": ScoreAnswer(0.0, {"0": 1.0, "1": 0.0, "2": 0.0}, 1.0),
        },
    )


@settings(max_examples=40, deadline=None)
@given(REQUESTS)
def test_the_mock_answers_every_request(request) -> None:
    assert ask(Mock(), request).answers.keys() == request.questions.keys()


def test_a_function_is_an_oracle() -> None:
    assert ask(ScriptedOracle(certain), DONE) == Response(
        "latest", {"n": NoulAnswer(1.0)}
    )


@pytest.mark.parametrize("raised", [KeyError("n"), ValueError("no"), OracleError("no")])
def test_whatever_an_oracle_raises_is_an_oracle_error(raised: Exception) -> None:
    def fails(_: Request) -> Mapping[str, Answer]:
        raise raised

    with pytest.raises(OracleError, match="n"):
        ask(ScriptedOracle(fails), DONE)


def test_an_answer_to_no_question_is_refused_whatever_oracle_gave_it() -> None:
    stray = ScriptedOracle(lambda _: {"other": NoulAnswer(0.5)})

    with pytest.raises(OracleError, match="no question that was asked"):
        ask(stray, DONE)


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    counting = Counting()
    cached = Cached(counting, Cache(tmp_path))

    assert (
        cached.ask(DONE)
        == cached.ask(DONE)
        == Cached(counting, Cache(tmp_path)).ask(DONE)
    )
    assert counting.asked == 1


def test_a_wrong_answer_is_never_kept(tmp_path: Path) -> None:
    wrong = ScriptedOracle(lambda _: {"n": NoulAnswer(1.5)})

    with pytest.raises(OracleError, match="no probability"):
        Cached(wrong, Cache(tmp_path)).ask(DONE)

    assert [*tmp_path.rglob("*.json")] == []


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"model":"m","answers":{"n":{"type":"noul","noul":2}}}'],
)
def test_a_damaged_answer_is_set_aside_and_asked_for_again(
    tmp_path: Path, content: str
) -> None:
    counting, cache = Counting(), Cache(tmp_path)
    cached = Cached(counting, cache)
    cached.ask(DONE)
    cache.path(DONE.key).write_text(content)

    assert cached.ask(DONE).answers == {"n": NoulAnswer(1.0)}
    assert counting.asked == 2
    assert cache.path(DONE.key).with_name(f"{DONE.key}.json.damaged").exists()


def test_replay_gives_what_was_kept_and_names_the_key_it_lacks(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    replay = Replay(cache, "latest")

    with pytest.raises(AnswerMissing, match=DONE.key):
        replay.ask(DONE)
    Cached(Counting(), cache).ask(DONE)
    assert replay.ask(DONE).answers == {"n": NoulAnswer(1.0)}


def test_replay_misses_a_damaged_answer_and_leaves_it(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    Cached(Counting(), cache).ask(DONE)
    cache.path(DONE.key).write_text("{")

    with pytest.raises(AnswerMissing):
        Replay(cache, "latest").ask(DONE)
    assert cache.path(DONE.key).read_text() == "{"


def test_two_versions_behind_one_name_are_a_mixture_and_one_is_none(tmp_path) -> None:
    cached = Cached(Counting("v1", "v1", "v2"), Cache(tmp_path))

    def asked(n: int) -> list[str]:
        cached.ask(Request("latest", n, DONE.questions))
        return [*cached.versions.mixtures()]

    assert asked(1) == asked(2) == []
    assert asked(3) == ["latest was answered by 2 versions: v1 (2), v2 (1)"]
    assert cached.versions.counts("latest") == {"v1": 2, "v2": 1}
    assert Versions().counts("latest") == {}


def test_the_oracles_are_found_by_name(tmp_path: Path) -> None:
    settings = OracleSettings(model="m-1", cache=tmp_path)

    assert {"mock", "replay"} <= {*ORACLES.names()}
    assert oracle("mock", settings).model == "mock"
    assert oracle("replay", settings) == Replay(Cache(tmp_path), "m-1")
    with pytest.raises(UnknownPlugin, match="delphi"):
        oracle("delphi", settings)


@claim("model:default")
def test_the_model_is_the_one_named_else_the_variables_else_the_latest() -> None:
    environ = {"TYPESAFE_DEFAULT_MODEL": "m-2"}

    assert model_of(OracleSettings("m-1", environ=environ)) == "m-1"
    assert model_of(OracleSettings(environ=environ)) == "m-2"
    assert model_of(OracleSettings()) == "jev-latest"
    assert replace(DONE, model="m-1").key != replace(DONE, model="m-2").key


def test_settings_never_show_a_variables_value() -> None:
    assert "c4n4ry" not in repr(OracleSettings(environ={"TYPESAFE_API_KEY": "c4n4ry"}))
