"""The rule: what a flow does at a moment, and the reason it gives for handing back."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest

from stretto.episodes.episode import AssistantTurn
from stretto.episodes.site import Site
from stretto.errors import CannotDecide, NothingToLearn
from stretto.flow.decide import decide
from stretto.flow.deciders.decider import decider
from stretto.flow.deciders.protocol import AsksNothing, Chances, default_name
from stretto.flow.decision import HandBack, Lookup, Reason
from stretto.flow.flow import Bar, Flow, Promotion, SiteRecord, Surprise
from stretto.flow.moment import Moment, Transcript
from stretto.flow.options import options
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from tests.claims import claim
from tests.toys import SHOP, TOY, Script, taught

ORDERS = {"orders": ["W1", "W2", "W3"]}


def order(name: str) -> tuple[str, Mapping[str, str], Mapping[str, str]]:
    return "get", {"id": name}, {"id": name, "status": "sent"}


def reader() -> Script:
    """A customer whose orders the agent reads one after the other."""
    script = Script().user("hello").turn(("find", {"email": "a@b.c"}, ORDERS))
    return script.turn(order("W1")).turn(order("W2")).reply()


FLOW = taught([reader().episode(n) for n in ("a", "b", "c")]).flow


@dataclass(frozen=True)
class Fixed(AsksNothing):
    """A decider that always says the same."""

    weighed: Mapping[str, float]
    chances: Chances = Chances.EXCLUSIVE
    name: str = "fixed"

    def weigh(self, *_: object) -> Mapping[str, float]:
        return self.weighed


def moment(flow: Flow = FLOW) -> Moment:
    """After the customer was found."""
    events = Script().user("hi").turn(("find", {"email": "x@y.z"}, ORDERS)).events
    return Transcript.of(flow, events).moment()


def handed_back(flow: Flow, at: Moment, weighed: Mapping[str, float]) -> HandBack:
    action = decide(flow, at, Fixed(weighed)).action
    assert isinstance(action, HandBack)
    return action


@claim("rule:lookup-first")
def test_the_likeliest_lookup_is_made_with_the_first_value_not_yet_passed():
    action = decide(FLOW, moment(), decider(FLOW, "habit")).action

    assert isinstance(action, Lookup)
    assert (action.tool, action.arguments) == ("get", {"id": "W1"})


def test_a_flow_is_not_asked_after_a_message():
    at = Transcript.of(FLOW, Script().user("hi").reply().events).moment()

    assert handed_back(FLOW, at, {}).code is Reason.NOT_AFTER_CALL


@claim("sites:options")
def test_a_site_without_a_lookup_in_training_hands_back_before_anything_is_asked():
    events = Script().turn(("cancel", {}, "ok")).events
    at = Transcript.of(FLOW, events).moment()

    assert handed_back(FLOW, at, {"never": 1.0}).code is Reason.NO_OPTIONS


@claim("site:options")
def test_a_failed_call_is_a_site_of_its_own():
    events = Script().turn(("find", {}, ValueError("no such customer"))).events
    at = Transcript.of(FLOW, events).moment()

    assert str(at.site) == "find (error)"
    assert handed_back(FLOW, at, {}).code is Reason.NO_OPTIONS


@claim("rule:lookup-first")
def test_a_lookup_below_the_threshold_is_named_with_its_probability():
    found = handed_back(FLOW, moment(), {"get": 0.12, "respond": 0.88})

    assert found == HandBack(Reason.BELOW, "get at 0.12, below 0.3")


def test_a_whole_threshold_is_written_without_a_point():
    action = decide(
        FLOW, moment(), Fixed({"get": 0.5, "respond": 0.5}), threshold=1.0
    ).action

    assert action == HandBack(Reason.BELOW, "get at 0.50, below 1")


@claim("rule:lookup-first", "folds:rule")
def test_a_lookup_likely_enough_alone_is_held_back_by_its_arguments_chance():
    found = handed_back(FLOW, moment(), {"get": 0.32, "respond": 0.68})

    assert found == HandBack(
        Reason.BELOW_BOUND, "get at 0.32, times 0.88 for its arguments, below 0.3"
    )


def finding_again() -> Flow:
    """A flow whose `get` is followed by `find`, which only the customer can bind."""
    orders = "find", {"email": "a@b.c"}, ORDERS
    script = Script().user("hi").turn(orders).turn(order("W1")).turn(order("W2"))
    return taught([script.turn(orders).episode(n) for n in ("a", "b")]).flow


@claim("review:no-source")
def test_an_argument_that_only_the_customer_knows_is_never_bound():
    flow = finding_again()
    at = Transcript.of(flow, Script().turn(order("W9")).events).moment()

    action = decide(flow, at, Fixed({"find": 0.9, "get": 0.1, "respond": 0.0})).action

    assert isinstance(action, HandBack)
    assert action.code is Reason.UNBOUND
    assert action.text.startswith("find: email")


def test_no_probability_at_all_is_a_reason_of_its_own():
    assert handed_back(FLOW, moment(), {"get": 0.0, "respond": 1.0}).code is Reason.NONE


@claim("thresholds:off")
def test_a_site_switched_off_asks_nothing():
    off = replace(FLOW, thresholds={"find": 2.0})

    assert handed_back(off, moment(off), {"never": 1.0}).code is Reason.SWITCHED_OFF


@claim("thresholds:off")
@pytest.mark.parametrize(
    ("threshold", "code"),
    [(1.0, Reason.BELOW), (math.nextafter(1.0, 2.0), Reason.SWITCHED_OFF)],
)
def test_a_site_is_off_above_one_and_not_at_one(threshold, code):
    flow = replace(FLOW, thresholds={"find": threshold})

    assert handed_back(flow, moment(flow), {"get": 0.9, "respond": 0.1}).code is code


@claim("thresholds:site")
def test_a_sites_own_threshold_replaces_the_served_one():
    low = replace(FLOW, thresholds={"find": 0.05})
    action = decide(low, moment(low), Fixed({"get": 0.1, "respond": 0.9})).action

    assert isinstance(action, Lookup)


@claim("promoted:acts", "promoted:sites")
@pytest.mark.parametrize("listed", [True, False])
def test_a_promoted_flow_acts_only_where_it_was_promoted(listed):
    record = SiteRecord(1, 0, 0, 0, 0.0, promoted=False)
    held = replace(FLOW, promoted=Promotion(Bar(), {"find": record} if listed else {}))

    found = handed_back(held, moment(held), {"never": 1.0})

    assert found.code is Reason.NOT_PROMOTED


@claim("safety:closed-set")
def test_a_decider_cannot_widen_what_a_site_offers():
    with pytest.raises(CannotDecide, match="not offered: \\['cancel'\\]"):
        decide(FLOW, moment(), Fixed({"get": 0.1, "cancel": 0.9, "respond": 0.0}))


def test_under_independent_chances_the_best_whole_call_is_taken_not_the_likeliest():
    flow = finding_again()
    script = Script().turn(("find", {"email": "a"}, ORDERS)).turn(order("W1"))
    at = Transcript.of(flow, script.events).moment()
    weighed = {"find": 0.9, "get": 0.5, "respond": 0.0}

    exclusive = decide(flow, at, Fixed(weighed)).action
    independent = decide(flow, at, Fixed(weighed, Chances.INDEPENDENT)).action

    assert isinstance(exclusive, HandBack)
    assert isinstance(independent, Lookup)
    assert independent.tool == "get"


def test_under_independent_chances_the_reason_names_the_best_that_bound():
    flow = finding_again()
    script = Script().turn(("find", {"email": "a"}, ORDERS)).turn(order("W1"))
    at = Transcript.of(flow, script.events).moment()

    def reason(find: float, get: float) -> Reason:
        decider = Fixed({"find": find, "get": get, "respond": 0.0}, Chances.INDEPENDENT)
        action = decide(flow, at, decider, threshold=0.6).action
        assert isinstance(action, HandBack)
        return action.code

    assert reason(0.9, 0.61) is Reason.BELOW_BOUND
    assert reason(0.9, 0.5) is Reason.UNBOUND
    assert reason(0.5, 0.4) is Reason.BELOW


def test_the_surprise_gate_trips_on_a_run_of_surprising_steps():
    gated = replace(FLOW, surprise=Surprise(window=2, threshold=0.5))
    script = Script()
    for _ in range(4):
        script.turn(("find", {"email": "a"}, ORDERS))
    at = Transcript.of(gated, script.events).moment()

    assert len(at.surprise) == 3
    assert handed_back(gated, at, {}).code is Reason.SURPRISED


def test_a_flow_without_a_gate_scores_nothing():
    assert Transcript.of(FLOW, reader().events).moment().surprise == []


def test_across_servers_only_the_sites_own_servers_lookups_may_be_chosen():
    tools = {"a::find": "read", "a::get": "read", "b::get": "read"}
    manifest = replace(SHOP, tools={t: SHOP.kind("find") for t in tools})
    found = ("a::find", {"email": "q"}, ORDERS)
    episodes = [
        Script()
        .turn(found)
        .turn(("b::get", {"id": "W1"}, {"id": "W1"}))
        .turn(found)
        .turn(("a::get", {"id": "W1"}, {"id": "W1"}))
        .episode(n)
        for n in ("x", "y")
    ]
    flow = taught(episodes, manifest).flow
    at = Transcript.of(flow, Script().turn(found).events).moment()

    decided = decide(flow, at, Fixed({"a::get": 0.4, "b::get": 0.6, "respond": 0.0}))

    assert isinstance(decided.action, Lookup)
    assert decided.action.tool == "a::get"
    assert decided.probabilities["b::get"] == 0.6


@claim("folds:none")
def test_a_flow_asks_for_reach_where_it_holds_it_and_for_the_habit_otherwise():
    assert default_name(FLOW) == "reach"
    assert default_name(replace(FLOW, reach=None)) == "habit"


def test_reach_is_an_error_and_no_hand_back_for_a_flow_without_it():
    with pytest.raises(CannotDecide, match="no reach counts"):
        decider(replace(FLOW, reach=None), "reach")


@claim("habit:hand-back-mass")
def test_the_habit_of_the_worked_example_offers_what_the_toy_gives():
    flow = taught(TOY).flow
    at = Transcript.of(
        flow,
        Script().user("hi").turn(("find", {}, "ok")).turn(("get", {}, "ok")).events,
    ).moment()

    weighed = decider(flow, "habit").weigh(at, ("get",))

    assert weighed["get"] == pytest.approx(259 / 540)
    assert weighed["respond"] == pytest.approx(1 - 259 / 540)


def test_a_call_of_constants_alone_is_not_made_again():
    found = "find", {"page": "all"}, ORDERS
    episodes = [
        Script().turn(found).turn(found).reply().episode(n) for n in ("a", "b", "c")
    ]
    settings = Settings(alpha=1.0, features=False, constants=True)
    flow = learn(episodes, SHOP, settings).flow
    at = Transcript.of(flow, Script().turn(found).events).moment()

    action = decide(flow, at, Fixed({"find": 0.9, "respond": 0.1})).action

    assert action == HandBack(Reason.UNBOUND, "find: already looked up")


def test_a_write_among_a_sites_counts_is_never_on_offer():
    site = Site("find", False)
    widened = replace(FLOW, sites=replace(FLOW.sites, next={site: {"cancel": 9}}))

    assert options(widened, site) == ()


def test_the_flows_own_lookups_do_not_count_as_surprising():
    gated = replace(FLOW, surprise=Surprise(window=2, threshold=9.0))
    served = [
        event if not isinstance(event, AssistantTurn) or not event.calls
        else replace(event, calls=(replace(event.calls[0], id="shop::stretto-a1-1"),))
        for event in reader().events
    ]  # fmt: skip

    assert len(Transcript.of(gated, reader().events).surprise) == 3
    assert len(Transcript.of(gated, served).surprise) == 1  # the reply


def test_a_threshold_that_is_no_number_is_a_mistake():
    with pytest.raises(ValueError, match="no number"):
        decide(FLOW, moment(), decider(FLOW, "habit"), threshold=float("nan"))


def test_a_read_called_as_handing_back_is_cannot_be_learned():
    manifest = replace(SHOP, tools={**SHOP.tools, "respond": SHOP.kind("find")})

    with pytest.raises(NothingToLearn, match="called 'respond'"):
        taught(TOY, manifest)
