"""Costs: β, δ and θ*, by hand, by the definition, and by a bootstrap done literally."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import AssistantTurn, Episode, Usage
from stretto.episodes.manifest import read_manifest
from stretto.errors import StrettoError
from stretto.evaluate.balance import INPUT, TokenPrices
from stretto.evaluate.ceiling import llm_turns
from stretto.evaluate.costing import ALL, costing
from stretto.evaluate.costs import Costs, costs, thresholds
from stretto.evaluate.detours import Detour, detours
from stretto.evaluate.outlay import outlay
from stretto.evaluate.replay import Replayer
from stretto.flow.deciders.decider import decider
from stretto.flow.wire import flow_json
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.traces.reader import read
from tests.conftest import shared
from tests.evaluate import literal, sessions
from tests.evaluate import literal_costs as by_definition
from tests.evaluate.test_replay import FLOW, find, get_user, order
from tests.toys import SHOP, Script

CACHED = TokenPrices(5, 0.1, 1.25)


def spent(episode: Episode, *prompts: int, output: int = 0) -> Episode:
    """The episode, its turns' prompts as long as this; 0 for not recorded."""
    left = iter(prompts)
    events = [
        replace(event, usage=Usage(prompt, output))
        if isinstance(event, AssistantTurn) and (prompt := next(left))
        else event
        for event in episode.events
    ]
    return replace(episode, events=tuple(events))


def costed(episodes, wasted, prices=INPUT, manifest=SHOP, **how) -> Costs:
    """The costs of these episodes, each with its detours."""
    sums = [
        outlay(episode, llm_turns(episode, manifest), of)
        for episode, of in zip(episodes, wasted, strict=True)
    ]
    return costs([e.task_or_id for e in episodes], sums, prices, **how)


def worked() -> Episode:
    """Three turns, of which the second is a ceiling turn; prompts grow by 7 and 10."""
    script = Script().user("hi").turn(("find", {}, "A"))
    script.turn(("get", {"x": "A"}, "1234567")).reply("ok")
    return spent(script.episode(), 100, 107, 117, output=20)


def test_the_worked_example_comes_to_what_it_comes_to_by_hand():
    # [{"arguments":{},"name":"find"}] is 32 characters and its result "A" is 3;
    # [{"arguments":{"x":"A"},"name":"get"}] is 38 and "1234567" is 9: 82 by 17 tokens.
    rate = 82 / 17
    found = costed([worked()], [{Detour("find", "get"): 2}])

    beta, delta = 107 + 38 / rate, 9 / rate * 2
    assert found.characters == {"unknown": pytest.approx(rate)}
    assert found.pooled.beta.value == pytest.approx(beta)
    assert found.pooled.delta.value == pytest.approx(delta)
    assert found.pooled.threshold.value == pytest.approx(delta / (beta + delta))
    assert (found.pooled.ceiling_turns, found.pooled.detours) == (1, 2)
    assert found.sites["find"] == found.pooled
    assert found.pooled.beta.interval is None


def test_prices_are_those_of_output_of_the_cache_and_of_what_is_put_there():
    rate = 82 / 17
    found = costed([worked()], [{Detour("find", "get"): 2}], CACHED)

    beta = 0.1 * 107 + 5 * 20 + 1.25 * 38 / rate
    assert found.pooled.beta.value == pytest.approx(beta)
    assert found.pooled.delta.value == pytest.approx(9 / rate * (1.25 + 0.1))


def test_a_detour_behind_a_lookup_is_counted_at_the_lookups_own_site():
    script = Script().user("hi").turn(find()).turn(order("Z"))
    replayer = Replayer(FLOW, decider(FLOW, "habit"))

    found = detours(replayer, script.turn(get_user()).episode(), 0.2)

    assert found == Counter(
        {Detour("get_user", "get_order"): 1, Detour("get_order", "get_order"): 1}
    )


def test_sessions_without_tokens_are_an_error_that_says_so():
    with pytest.raises(StrettoError, match="record no tokens"):
        costed([Script().turn(("find", {}, "A")).episode()], [{}])


def test_an_agent_without_tokens_is_left_out_and_named():
    silent = replace(worked(), agent="silent")
    silent = spent(silent, 0, 0, 0)
    silent = replace(
        silent,
        events=tuple(
            replace(e, usage=None) if isinstance(e, AssistantTurn) else e
            for e in silent.events
        ),
    )

    found = costed([worked(), silent], [{}, {Detour("find", "get"): 9}])

    assert found.without_usage == ("silent",)
    assert (found.pooled.ceiling_turns, found.pooled.detours) == (1, 0)
    assert found.pooled.threshold.value is None


def several(seed: int, n: int = 8) -> tuple[list[Episode], list[Counter[Detour]]]:
    """Random sessions of two agents, with tokens, and detours at sites they have."""
    random = np.random.default_rng(seed)
    episodes, wasted = [], []
    for place, episode in enumerate(sessions.episodes(seed, n)):
        prompts = 100 + np.cumsum(random.integers(-5, 60, len(episode.turns)))
        named = replace(episode, agent="ab"[place % 2], task=str(place // 3))
        episodes.append(spent(named, *map(int, prompts), output=7))
        made = [c.tool for turn in episode.turns for c in turn.calls]
        picked = [made[i] for i in random.integers(0, len(made), 3)] if made else []
        wasted.append(Counter(Detour(tool, picked[0]) for tool in picked))
    return episodes, wasted


def pooled(episodes, wasted, prices=INPUT):
    """β, δ and θ* by the definition."""
    tools = {tool: str(kind) for tool, kind in sessions.MANIFEST.tools.items()}
    each = [list(of.elements()) for of in wasted]
    return by_definition.pooled(episodes, tools, each, prices)


def alike(found, expected):
    return (found is None) is (expected is None) and (
        found is None or found == pytest.approx(expected, rel=1e-9)
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([INPUT, CACHED, TokenPrices(0, 0, 0)]))
def test_pooled_costs_are_as_the_definition_has_them(seed, prices):
    episodes, wasted = several(seed)
    found = costed(episodes, wasted, prices, sessions.MANIFEST, draws=2).pooled

    values = (found.beta.value, found.delta.value, found.threshold.value)
    for value, expected in zip(values, pooled(episodes, wasted, prices), strict=True):
        assert alike(value, expected)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_sites_together_are_the_pool(seed):
    episodes, wasted = several(seed)
    found = costed(episodes, wasted, manifest=sessions.MANIFEST, draws=2)
    sites = found.sites.values()

    assert sum(s.ceiling_turns for s in sites) == found.pooled.ceiling_turns
    assert sum(s.detours for s in sites) == found.pooled.detours
    if found.pooled.ceiling_turns:
        worth = sum(s.ceiling_turns * (s.beta.value or 0) for s in sites)
        expected = found.pooled.ceiling_turns * found.pooled.beta.value
        assert worth == pytest.approx(expected)


def test_intervals_are_those_of_costs_figured_anew_on_each_draw_of_tasks():
    episodes, wasted = several(5, 12)
    draws, seed = 60, 3
    found = costed(
        episodes, wasted, manifest=sessions.MANIFEST, draws=draws, seed=seed
    ).pooled

    tasks = sorted({e.task for e in episodes})
    picks = np.random.default_rng(seed).integers(len(tasks), size=(draws, len(tasks)))
    drawn = []
    for pick in picks:
        chosen = [
            i for task in pick for i, e in enumerate(episodes) if e.task == tasks[task]
        ]
        drawn.append(pooled([episodes[i] for i in chosen], [wasted[i] for i in chosen]))
    for estimate, values in zip(
        (found.beta, found.delta, found.threshold),
        zip(*drawn, strict=True),
        strict=True,
    ):
        known = [value for value in values if value is not None]
        assert list(estimate.interval) == pytest.approx(
            list(np.quantile(known, [0.025, 0.975]))
        )


def test_thresholds_are_a_sites_own_where_it_has_enough_and_off_stays_off():
    episodes = [replace(worked(), id=name, task=name) for name in "ab"]
    flow = replace(FLOW, thresholds={"get_order": 2.0})
    wasted = [{Detour("find", "get"): 2, Detour("get", "get"): 1}] * 2
    found = costed(episodes, wasted)
    theta = found.pooled.threshold.value
    own = found.sites["find"].threshold.value

    by_site = thresholds(flow, found, at_least=2)

    assert own != pytest.approx(theta, abs=1e-4)
    assert by_site["find"] == round(own, 4)
    assert by_site["get_user"] == round(theta, 4)
    assert by_site["get_order"] == 2.0
    assert thresholds(flow, found, at_least=3)["find"] == round(theta, 4)
    assert thresholds(flow, found, by_site=False)["find"] == round(theta, 4)
    assert flow_json(replace(flow, thresholds=by_site))["stretto_flow"] == 2


def test_without_a_detour_there_is_no_threshold_to_write():
    with pytest.raises(StrettoError, match="no detour"):
        thresholds(FLOW, costed([worked()], [{}]))


@pytest.fixture(scope="module")
def retail():
    """A flow learned on training tasks, and another run's sessions of 12 test tasks."""
    folder = "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__"
    manifest = read_manifest(shared("manifests/retail.json"))
    known = list(read([shared(f"{folder}run1__114.jsonl.gz")]))[:60]
    flow = learn(known, manifest, Settings(alpha=5.0, features=False)).flow
    return flow, list(read([shared(f"{folder}run2__114.jsonl.gz")]))[60:72]


def test_costs_of_recorded_sessions_are_as_the_definition_has_them(retail):
    flow, measured = retail
    replayer = Replayer(flow, decider(flow, "habit"))
    wasted = [detours(replayer, episode, 0.1) for episode in measured]
    found = costing(replayer, measured, threshold=0.1)
    tools = {tool: str(kind) for tool, kind in flow.manifest.tools.items()}
    each = [list(of.elements()) for of in wasted]

    expected = by_definition.pooled(measured, tools, each)
    cost = found.costs.pooled

    assert cost.detours > 0
    assert (cost.beta.value, cost.delta.value, cost.threshold.value) == pytest.approx(
        expected
    )
    assert found.ceilings[ALL].state.part == cost.ceiling_turns
    for episode, of in zip(measured, wasted, strict=True):
        walk = literal.Replay(flow_json(flow), episode, "habit", 0.1)
        walk.row()
        unused = [lookup["key"][0] for lookup in walk.made if not lookup["used"]]
        assert Counter(d.tool for d in of.elements()) == Counter(unused)
