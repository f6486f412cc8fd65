"""Exploration: the published draw, and the rate at which it is told to take each."""

import json
from collections import Counter
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.tasks import task_group
from stretto.flow.decide import decide
from stretto.flow.deciders.protocol import AsksNothing, Chances
from stretto.flow.flow import Sites
from stretto.proxy.explore import Explored, Explorer, Splitmix
from stretto.proxy.serving import Exploration
from stretto.proxy.unfolding import Unfolding
from tests.claims import claim
from tests.proxy.engine.shop import FLOW, call, desk, lookups, result

THREE = replace(
    FLOW,
    sites=Sites(("find", "get"), {}, every_read=True),
)
"""Both reads are offered at every site; only `get` has a source in training."""


@dataclass(frozen=True)
class Fixed(AsksNothing):
    """A decider that always says the same."""

    weighed: dict[str, float]
    chances: Chances = Chances.EXCLUSIVE
    name: str = "fixed"

    def weigh(self, *_: object) -> dict[str, float]:
        return self.weighed


def behind_find() -> Unfolding:
    """The episode behind `find`."""
    episode = Unfolding(THREE)
    episode.said(UserMessage("hi"))
    episode.called(ToolCall("1", "find", {"email": "a@b.c"}), joins=False)
    episode.returned(ToolResult("1", "find", False, '{"orders": ["W1", "W2"]}'))
    return episode


def drawn(p_find: float, p_get: float, how: Exploration) -> Explored:
    """What is drawn behind `find`."""
    flow = bindable(THREE)
    weighed = {"find": p_find, "get": p_get, "respond": 1 - p_find - p_get}
    episode = behind_find()
    moment = episode.moment()
    greedy = decide(flow, moment, Fixed(weighed), threshold=0.3)
    explorer = Explorer(flow, "fixed", how)
    return explorer.drawn(greedy, moment, 0.3, episode.settled, episode.shown())


def bindable(flow):
    """The flow with a source for `find`, too, so that either may be made."""
    get = flow.bindings.args["get"], flow.bindings.sources[("get", "id")]
    args = {**flow.bindings.args, "find": replace(get[0], args={"email": get[0].calls})}
    sources = {**flow.bindings.sources, ("find", "email"): get[1]}
    return replace(flow, bindings=replace(flow.bindings, args=args, sources=sources))


def test_the_generator_is_splitmix64():
    assert Splitmix(0).next() == 16294208416658607535


def test_the_published_draw():
    content = '[{"kind":"user","text":"hi"}]'

    state = 15 ^ task_group(f"27/{content}")

    draw = Splitmix(state)
    assert state == 5287672448258307013
    assert draw.uniform() == pytest.approx(0.3454584656, abs=1e-10)
    assert draw.uniform() == pytest.approx(0.8773239837, abs=1e-10)


def test_the_seed_is_made_of_all_that_happened_in_the_published_spelling():
    explorer = Explorer(THREE, "fixed", Exploration(0.5, 15, "27"))

    assert explorer._state([], [UserMessage("hi")]) == 5287672448258307013


@st.composite
def happenings(draw: st.DrawFn) -> list[Event]:
    """Any events."""
    texts = st.sampled_from(["", "hi", "é\n", '"'])
    event = st.one_of(
        texts.map(UserMessage),
        texts.map(AssistantTurn),
        st.builds(ToolResult, st.just("c"), st.just("get"), st.booleans(), texts),
        st.just({"id": {"id": 1, "b": [{"usage": 1, "a": 2.5}]}, "call_id": 3}).map(
            lambda given: AssistantTurn(calls=(ToolCall("c", "get", given),))
        ),
    )
    return draw(st.lists(event, min_size=1, max_size=8))


def literally(task: str, seed: int, events: list[Event]) -> int:
    """The seed of the draw after these events, straight from the rule."""

    def plain(event: Event) -> object:
        match event:
            case UserMessage(text):
                return {"kind": "user", "text": text}
            case AssistantTurn(text, calls, _):
                made = [
                    {"id": c.id, "name": c.tool, "arguments": c.arguments}
                    for c in calls
                ]
                return {
                    "kind": "assistant",
                    "text": text,
                    "calls": made,
                    "usage": None,
                }
            case ToolResult(call_id, tool, error, text):
                return {
                    "kind": "tool_result",
                    "call_id": call_id,
                    "name": tool,
                    "error": error,
                    "content": text,
                }

    def bare(value: object) -> object:
        if isinstance(value, dict):
            left = {"id", "call_id", "usage"}
            return {k: bare(v) for k, v in value.items() if k not in left}
        return [bare(v) for v in value] if isinstance(value, list) else value

    said = [bare(plain(event)) for event in events]
    content = json.dumps(
        said, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return seed ^ task_group(f"{task}/{content}")


@given(happenings(), st.data())
@settings(max_examples=40, deadline=None)
def test_settled_events_are_hashed_once_and_the_seed_is_the_same(events, data):
    explorer = Explorer(THREE, "fixed", Exploration(0.5, 7, "t"))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(events) - 1), min_size=2)))

    for cut in cuts:
        found = explorer._state(events[:cut], events[cut:])

        assert found == literally("t", 7, events)


@claim("explore:rule")
def test_every_option_is_taken_as_often_as_it_is_told_to_be():
    told: dict[str, float] = {}
    n = 3000
    taken: Counter[str] = Counter()
    for seed in range(n):
        found = drawn(0.1, 0.5, Exploration(0.2, seed, "t"))
        tool = getattr(found.decision.action, "tool", "respond")
        taken[tool] += 1
        assert (
            told.setdefault(tool, found.policy["propensity"])
            == (found.policy["propensity"])
        )

    assert told == {"get": 0.8, "find": pytest.approx(0.2)}
    for tool, propensity in told.items():
        assert taken[tool] / n == pytest.approx(propensity, abs=0.03)


@claim("explore:rule")
def test_alternatives_are_drawn_in_proportion_to_their_probabilities():
    greedy = Counter(
        getattr(drawn(0.1, 0.2, Exploration(1.0, seed)).decision.action, "tool", None)
        for seed in range(1500)
    )

    assert greedy["find"] / 1500 == pytest.approx(1 / 3, abs=0.04)
    assert greedy["get"] / 1500 == pytest.approx(2 / 3, abs=0.04)
    found = drawn(0.1, 0.2, Exploration(1.0, 0))
    assert found.policy["propensity"] in (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_without_a_rate_the_choice_is_logged_and_never_changed():
    for seed in range(50):
        found = drawn(0.1, 0.5, Exploration(0.0, seed, "27"))

        assert found.decision.action.tool == "get"
        assert found.policy["propensity"] == 1.0
        assert found.policy["explored"] is False
        assert found.policy["epsilon"] == 0.0


def test_a_policy_holds_what_another_rule_needs():
    flow = bindable(THREE)
    found = drawn(0.0, 0.5, Exploration(0.1, 3, "27"))

    options = found.policy.pop("options")
    assert found.policy == {
        "decider": "fixed",
        "threshold": 0.3,
        "epsilon": 0.1,
        "explored": False,
        "greedy": "get",
        "propensity": 1.0,  # `find` has no probability, so nothing else can be drawn
        "task_id": "27",
        "events": 3,
    }
    assert [option["tool"] for option in options] == ["find", "get"]
    history = behind_find().moment().history
    ids = [flow.vocab.id(tool) for tool in ("find", "get")]
    assert [o["habit"] for o in options] == flow.habit.chance(history, ids, 1)
    assert options[1]["p"] == 0.5
    assert options[1]["arguments"] == {"id": "W1"}
    assert 0 < options[1]["binding"] < 1


@claim("explore:rule")
def test_an_option_that_cannot_be_bound_says_why_and_is_never_drawn():
    at = desk(THREE, Fixed({"find": 0.6, "get": 0.1, "respond": 0.3}),
              exploration=Exploration(1.0, 1, "27"))  # fmt: skip
    at.host_says(call(1))
    at.server_says(result(1))

    first = at.decisions[0]
    find, get = first["policy"]["options"]
    assert "no source in training" in find["unbound"]
    assert find["binding"] is find["arguments"] is None
    assert "unbound" not in get
    assert first["policy"]["greedy"] == "respond"
    assert first["policy"]["explored"] is True
    assert first["tool"] == "get"
    assert first["prob"] == 0.6
    assert lookups(at)[0] == ("get", {"id": "W1"})


def test_a_decision_at_which_nothing_was_weighed_has_no_policy():
    at = desk(exploration=Exploration(1.0))
    at.host_says(call(1, "cancel", id="W1"))
    at.server_says(result(1, "ok"))

    assert "policy" not in at.decisions[0]


def test_a_session_led_again_explores_alike():
    def session(seed: int) -> str:
        at = desk(exploration=Exploration(0.5, seed, "27"))
        for id_ in range(4):
            at.host_says(call(id_, "find", email=f"{id_}@b.c"))
            at.server_says(result(id_, {"orders": [f"W{id_}", f"X{id_}"]}))
        return json.dumps(at.decisions)

    assert session(1) == session(1)
