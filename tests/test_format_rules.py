"""Rules of the formats page that hold across modules, on flows small enough to read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto import __version__
from stretto.binding.bind import Mention, Pick, chance
from stretto.binding.sources import Agreement, Bindings, Tally
from stretto.canonical import Json, compact
from stretto.episodes.manifest import Kind
from stretto.flow.decide import decide
from stretto.flow.deciders.decider import decider
from stretto.flow.deciders.protocol import AsksNothing, Chances
from stretto.flow.decision import Lookup as Made
from stretto.flow.flow import Flow
from stretto.flow.moment import Moment, Transcript
from stretto.flow.wire import flow_json, read_flow
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.oracle.predicates import Lookup
from tests.claims import claim
from tests.conftest import shared
from tests.flow.maximal import MAXIMAL
from tests.toys import SHOP, TOY, Script, taught

LEARNED = taught([replace(e, agent=a) for e, a in zip(TOY, "ba", strict=True)])
FLOW = LEARNED.flow


def written(flow: Flow = FLOW) -> dict[str, Any]:
    """The flow's file, for looking into."""
    return {**flow_json(flow)}


@claim("vocab:order", "vocab:other", "habit:vocab-size")
def test_the_vocabulary_is_respond_and_the_sorted_tools_and_one_id_is_for_others() -> (
    None
):
    vocab = written()["vocab"]

    assert vocab == ["Respond", {"Tool": "cancel"}, {"Tool": "find"}, {"Tool": "get"}]
    assert FLOW.vocab.id("unheard-of") == len(vocab)
    assert written()["habit"]["base"]["vocab_size"] == len(vocab) + 1


@claim("provenance:version", "provenance:sources", "provenance:arbiter-cases")
def test_provenance_names_the_build_and_the_agents_and_counts_what_taught() -> None:
    assert written()["provenance"] == {
        "stretto": __version__,
        "sources": ["a", "b"],
        "habit_episodes": 2,
        "arbiter_cases": 0,
        "compiled_unix_ms": 0,
    }


@claim("provenance:compiled")
def test_a_flow_is_stamped_with_the_clock_in_milliseconds() -> None:
    flow = learn(TOY, SHOP, Settings(alpha=1.0, now_ms=lambda: 1_790_561_041_051)).flow

    assert written(flow)["provenance"]["compiled_unix_ms"] == 1_790_561_041_051


@claim("group:one", "flow:goal-free")
def test_every_episode_has_group_one() -> None:
    assert written()["group"] == 1
    assert {group for (group, _), _ in written()["habit"]["top"]} == {1}


@claim("habit:order", "habit:levels", "habit:beta", "habit:top")
def test_the_habit_holds_a_level_per_length_and_the_longest_again_on_top() -> None:
    habit = written()["habit"]
    levels = habit["base"]["levels"]

    assert habit["base"]["order"] == 2
    assert [{len(history) for history, _ in level} for level in levels] == [
        {0},
        {1},
        {2},
    ]
    assert levels[0] == [
        [[], {"by_action": [[0, 5.0], [1, 1.0], [2, 2.0], [3, 3.0]], "total": 11.0}]
    ]
    assert habit["beta"] == habit["base"]["alpha"]
    assert habit["top"] == [[[1, history], counts] for history, counts in levels[2]]


@claim("alpha:median", "habit:alpha")
def test_a_flows_concentration_is_the_posterior_median_or_the_one_given() -> None:
    learned = learn(TOY, SHOP, Settings(features=False))
    posterior = learned.concentration

    assert posterior is not None
    assert posterior.low < learned.flow.habit.base.alpha < posterior.high
    assert learned.flow.habit.base.alpha == posterior.median
    assert learn(TOY, SHOP, Settings(alpha=3.5)).flow.habit.base.alpha == 3.5


@claim("sites:reads", "sites:next", "sites:every-read")
def test_sites_list_the_reads_and_what_came_next_and_no_more() -> None:
    assert written()["sites"] == {
        "reads": ["find", "get"],
        "next": [[["find", False], {"get": 2}], [["get", False], {"get": 1}]],
        "feeds": {},
    }


@claim("sites:every-read")
@pytest.mark.parametrize(("tool", "failed"), [("cancel", False), ("find", True)])
def test_with_every_read_each_site_offers_all_reads(tool: str, failed: bool) -> None:
    open_ = replace(FLOW, sites=replace(FLOW.sites, every_read=True))
    result: object = ValueError("no") if failed else "ok"
    moment = _after(open_, Script().turn((tool, {}, result)))

    weighed = decide(open_, moment, decider(open_, "habit")).probabilities

    assert written(open_)["sites"]["every_read"] is True
    assert weighed.keys() == {"find", "get", "respond"}


@claim("predicates:none", "model:empty")
def test_a_flow_without_an_arbiter_asks_nothing_of_nobody() -> None:
    file = written()

    assert (file["predicates"], file["weighed"], file["folds"]) == ([], [], [])
    assert file["model"] == ""


@claim("predicates:fields", "predicates:favors", "folds:rates")
def test_predicates_and_rates_are_read_as_the_published_airline_flow_has_them() -> None:
    path = shared("reference/flows/airline-f2.flow.json")
    flow, file = read_flow(path), json.loads(path.read_text(encoding="utf-8"))
    favored: set[object] = {p.favors for p in (*flow.predicates, *MAXIMAL.predicates)}
    rates = flow.folds[0].rates.sites

    assert {"same_lookup", "any_lookup", "hand_back"} <= favored
    assert any(isinstance(favors, Lookup) for favors in favored)
    assert [(p.id, p.favors, p.question, p.yes, p.no) for p in flow.predicates] == [
        (p["id"], p["favors"], p["question"], p["yes"], p["no"])
        for p in file["predicates"]
    ]
    assert {
        site: [rate.decisions, rate.agreed, rate.covered]
        for site, rate in rates.items()
    } == dict(file["folds"][0]["rates"]["sites"])


@claim("promoted:bar", "promoted:sites")
def test_a_promotion_is_read_as_the_published_shop_flow_has_it() -> None:
    promoted = read_flow(shared("reference/flows/shop.promoted.flow.json")).promoted

    assert promoted is not None
    bar, record = promoted.bar, promoted.sites["get_user_details"]
    assert (bar.threshold, bar.min_used, bar.min_lower, bar.min_tasks) == (
        0.3,
        0.7,
        0.5,
        3,
    )
    assert record.tasks <= record.used <= record.lookups <= record.decisions
    assert record.promoted is (record.lower >= bar.min_lower)


@claim("reach:sum", "reach:decider")
def test_the_reach_decider_gives_each_lookup_its_own_chance() -> None:
    moment = _after(FLOW, Script().turn(("find", {}, "ok")).turn(("get", {}, "ok")))
    assert FLOW.reach is not None

    weighed = decider(FLOW, "reach").weigh(moment, ("get",))

    assert weighed["get"] == pytest.approx(7 / 15)
    assert sum(FLOW.reach.chances(moment.history)) > 1.0


@claim("bindings:named-other", "bindings:described")
@pytest.mark.parametrize("mention", [Mention.OTHER, Mention.DESCRIBED])
def test_a_flow_without_the_later_counts_gives_such_picks_the_unmentioned_chance(
    mention: Mention,
) -> None:
    bindings = Bindings({}, {}, {"get": Agreement(Tally(4, 4), Tally(0, 9))})

    assert chance(bindings, "get", Pick({"id": "x"}, mention)) == 5 / 6


ORDERS = {"orders": ["W1", "W2", "W3", "W4"]}


@dataclass(frozen=True)
class Whatever(AsksNothing):
    """A decider that answers with the chances it was given, whatever the site."""

    weights: Mapping[str, float]
    chances: Chances
    name: str = "whatever"

    def weigh(
        self, _: Moment, offered: tuple[str, ...], __: object = None
    ) -> Mapping[str, float]:
        return {tool: self.weights.get(tool, 0.0) for tool in (*offered, "respond")}


def _after(flow: Flow, script: Script) -> Moment:
    return Transcript.of(flow, script.events).moment()


def _reading() -> Flow:
    """A flow that has seen orders read, and one of them cancelled."""
    script = Script().user("hi").turn(("find", {}, ORDERS))
    for name in ("W1", "W2"):
        script.turn(("get", {"id": name}, {"id": name}))
    script.turn(("cancel", {"id": "W2"}, "ok")).turn(("get", {"id": "W3"}, "sent"))
    return taught([script.episode(name) for name in "abc"]).flow


READING = _reading()


@claim("review:values")
def test_values_of_the_sessions_stand_in_the_features_and_constants_alone() -> None:
    script = Script().user("where are my blue-shoes, ann@home")
    script.turn(("find", {"size": 25}, {"tier": "gold", "orders": ["W1-secret"]}))
    script.turn(("get", {"id": "W1-secret"}, {"item": "blue-shoes"}))
    other = Script().turn(("find", {"size": 25}, {"tier": "tin", "orders": []}))
    other.turn(("cancel", {}, "ok"))
    episodes = [(script if i % 2 else other).episode(f"t{i}") for i in range(40)]
    flow = learn(episodes, SHOP, Settings(alpha=1.0, constants=True)).flow
    values = ("gold", "tin", "W1-secret", "blue-shoes", "ann@home", ":25", ",25")

    assert flow.map.ids
    assert flow.bindings.constants == {("find", "size"): 25}
    bare = replace(
        flow,
        map=replace(flow.map, ids={}),
        bindings=replace(flow.bindings, constants={}),
    )
    text = compact(flow_json(bare))
    assert [value for value in values if value in text] == []


CALLS: tuple[tuple[str, dict[str, Json], object], ...] = (
    ("find", {}, ORDERS),
    ("get", {"id": "W1"}, {"id": "W1"}),
    ("get", {"id": "W2"}, ValueError("gone")),
    ("cancel", {"id": "W4"}, {"id": "W4", "next": "W5"}),
    ("cancel", {"id": "W4"}, ValueError("cancel W9 instead")),
)


@claim("safety:reads-only", "safety:closed-set", "safety:own-arguments")
@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(CALLS), min_size=1, max_size=5),
    st.fixed_dictionaries({t: st.floats(0, 1) for t in ("find", "get", "cancel")}),
    st.floats(0, 1),
    st.sampled_from(Chances),
    st.booleans(),
)
def test_whatever_the_decider_says_a_flow_only_makes_reads_its_site_offers(
    calls: list[tuple[str, dict[str, Json], object]],
    weights: dict[str, float],
    threshold: float,
    chances: Chances,
    every_read: bool,
) -> None:
    flow = replace(READING, sites=replace(READING.sites, every_read=every_read))
    script = Script().user("please")
    for call in calls:
        script.turn(call)
    moment = _after(flow, script)
    assert moment.site is not None
    offered = {"find", "get"} if every_read else {*flow.sites.next.get(moment.site, ())}

    action = decide(
        flow, moment, Whatever(weights, chances), threshold=threshold
    ).action

    if isinstance(action, Made):
        assert flow.manifest.kind(action.tool) is Kind.READ
        assert action.tool in offered
        assert {*action.arguments.values()} <= {*ORDERS["orders"]}
