"""A flow's program: its numbers, its families, and its runs."""

import json
import math
from dataclasses import replace
from random import Random

import pytest

from stretto.episodes.manifest import Kind, Manifest
from stretto.episodes.site import Site
from stretto.episodes.step import Outcome
from stretto.episodes.vocabulary import Vocabulary, symbol
from stretto.errors import ProgramError
from stretto.flow.flow import Flow
from stretto.flow.run import Numbers, Runner, data, families, numbers, predictives
from stretto.flow.wire import read_flow
from stretto.habit.backoff import Backoff, Counts, Habit
from stretto.program.handlers import simulate
from stretto.program.standard import STANDARD
from stretto.program.text import parse
from tests.claims import claim
from tests.conftest import shared
from tests.toys import TOY, taught

TOY_FLOW = taught(TOY).flow
GET = Site("get", False)
FLOWS = ["shop", "airline-f2", "airline-reach", "retail-5-sessions"]


def published(name: str) -> Flow:
    return read_flow(shared(f"reference/flows/{name}.flow.json"))


@claim("program:numbers")
def test_handing_back_is_0_then_come_the_reads_and_then_the_other_tools():
    tools = numbers(TOY_FLOW)

    assert tools.names == ("respond", "find", "get", "cancel")
    assert [tools.of(tool) for tool in ("respond", "get", "gone")] == [0, 2, 4]
    assert [tools.tool(n) for n in (0, 2, 4, -1)] == [None, "get", None, None]


def test_tools_are_numbered_in_order_whatever_order_the_file_has_them_in():
    sites = replace(TOY_FLOW.sites, reads=("get", "find"))
    tools = {"cancel": Kind.WRITE, "get": Kind.READ, "add": Kind.WRITE}
    flow = replace(TOY_FLOW, sites=sites, manifest=Manifest("shop", tools))

    assert numbers(flow).names == ("respond", "find", "get", "add", "cancel")


@claim("program:data")
def test_a_run_is_told_the_call_its_failure_and_the_cap():
    tools = Numbers(("respond", "find", "get"))

    assert data(tools, Site("get", True), max_lookups=3) == {
        "call": 2, "call_failed": True, "max_lookups": 3,
    }  # fmt: skip
    assert data(tools, Site("gone", False))["call"] == 3


@claim("program:decide")
def test_a_decision_weighs_what_the_agent_did_next_in_training():
    found = predictives(TOY_FLOW).decide(2, False)

    assert found.probs == (3 / 5, 0, 2 / 5, 0, 0)
    assert (found.site, found.options) == (GET, ("get",))


@claim("program:outcome")
def test_an_outcome_weighs_how_the_calls_went_in_training():
    found = predictives(TOY_FLOW).outcome(2)

    assert (found.p, found.tool) == (4 / 5, "get")


def test_a_site_without_lookups_hands_back():
    found = predictives(TOY_FLOW).decide(3, False)

    assert found.probs[0] == 1
    assert found.options == ()


@pytest.mark.parametrize("number", [0, 4, 100])
def test_after_no_known_tool_nothing_is_left_but_handing_back(number):
    found = predictives(TOY_FLOW)

    assert found.decide(number, False).probs[0] == 1
    assert found.decide(number, True).site is None
    assert found.outcome(number).p == 0.5


@pytest.mark.parametrize("args", [(-1, False), (1.0, False), (True, False), (1, 0)])
def test_arguments_of_another_type_make_no_decision(args):
    with pytest.raises(ValueError, match=r"no tool's number|no boolean"):
        families(TOY_FLOW)["Decide"].make(*args)


@pytest.mark.parametrize("number", [-1, 1.0, True, (1,)])
def test_an_argument_of_another_type_makes_no_outcome(number):
    with pytest.raises(ValueError, match="no tool's number"):
        families(TOY_FLOW)["Outcome"].make(number)


def with_level_1(flow: Flow, level: dict, vocab: Vocabulary) -> Flow:
    base = Backoff(1, 1.0, vocab.size, ({}, level))
    return replace(flow, habit=Habit(base, 1.0, {}), vocab=vocab)


def test_counts_are_summed_over_features_then_rounded_half_away_from_zero():
    vocab = TOY_FLOW.vocab
    get = vocab.id("get")
    level = {
        (symbol(get, Outcome.OK, 0),): Counts({get: 1.25, 0: 1.0}, 2.25),
        (symbol(get, Outcome.OK, 7),): Counts({get: 1.25, 0: 0.25}, 1.5),
        (symbol(get, Outcome.ERROR, 7),): Counts({get: 9.0}, 9.0),
        (symbol(0, Outcome.REPLY, 0),): Counts({get: 9.0}, 9.0),
    }
    found = predictives(with_level_1(TOY_FLOW, level, vocab))

    assert found.decide(2, False).probs[:3] == ((1 + 1) / 6, 0, (1 + 3) / 6)
    assert found.outcome(2).p == (3.75 + 1) / (3.75 + 9 + 2)


def test_lookups_counted_more_often_than_the_total_leave_none_to_hand_back():
    vocab = TOY_FLOW.vocab
    level = {
        (symbol(vocab.id("get"), Outcome.OK),): Counts({vocab.id("get"): 3.0}, 2.0)
    }
    found = predictives(with_level_1(TOY_FLOW, level, vocab))

    assert found.decide(2, False).probs[:3] == (1 / 5, 0, 4 / 5)


def test_a_habit_without_histories_knows_nothing():
    base = Backoff(0, 1.0, 5, ({},))
    found = predictives(replace(TOY_FLOW, habit=Habit(base, 1.0, {})))

    assert found.decide(2, False).probs[:3] == (1 / 2, 0, 1 / 2)
    assert found.outcome(2).p == 1 / 2


def test_every_read_may_be_on_offer_at_every_site():
    sites = replace(TOY_FLOW.sites, every_read=True)
    found = predictives(replace(TOY_FLOW, sites=sites))

    assert found.decide(2, False).probs[:4] == (3 / 6, 1 / 6, 2 / 6, 0)


def literal_decide(raw: dict, tool: str, failed: bool) -> list[float]:
    """The rule, straight from a flow file's JSON."""
    ids = {a["Tool"]: i for i, a in enumerate(raw["vocab"]) if isinstance(a, dict)}
    nexts = {tuple(site): next_ for site, next_ in raw["sites"]["next"]}
    offered = sorted(nexts.get((tool, failed), {}))
    total, lookups = 0.0, dict.fromkeys(offered, 0.0)
    for (code,), counts in raw["habit"]["base"]["levels"][1]:
        if code // 4096 == 4 * ids[tool] + failed:
            total += counts["total"]
            for action, n in counts["by_action"]:
                for name in offered:
                    lookups[name] += n * (ids[name] == action)
    weights = [max(0.0, total - sum(lookups.values())), *lookups.values()]
    rounded = [math.floor(w + 0.5) for w in weights]
    return [(1 + n) / (len(rounded) + sum(rounded)) for n in rounded]


@pytest.mark.parametrize("name", FLOWS)
def test_every_decision_of_a_published_flow_is_the_rule_applied_to_its_file(name):
    path = shared(f"reference/flows/{name}.flow.json")
    raw, flow = json.loads(path.read_text()), read_flow(path)
    tools, found = numbers(flow), predictives(flow)

    for tool in tools.names[1:]:
        for failed in (False, True):
            decision = found.decide(tools.of(tool), failed)
            offered = [0, *map(tools.of, decision.options)]
            expected = literal_decide(raw, tool, failed)
            assert [decision.probs[n] for n in offered] == expected
            assert sum(decision.probs) == pytest.approx(1)


@claim("program:default")
def test_a_flow_without_a_program_runs_the_standard_one():
    flow = published("retail-5-sessions")
    site = Site(next(iter(flow.sites.next)).tool, False)
    runs = [
        simulate(runner.after(site), Random(7))
        for runner in (Runner.of(flow), Runner.of(flow, STANDARD))
    ]

    assert flow.program == STANDARD
    assert runs[0].choices
    assert runs[0] == runs[1]


def test_a_program_that_is_not_the_flows_own_is_checked_too():
    with pytest.raises(ProgramError, match="no variable `gone`"):
        Runner.of(TOY_FLOW, parse("pure(gone)"))
