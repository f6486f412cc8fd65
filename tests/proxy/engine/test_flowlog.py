"""The lines about what a flow decided, in the published form."""

import json
import math

from stretto.episodes.site import Site
from stretto.flow.decision import Decision, HandBack, Lookup, Reason
from stretto.program.handlers import Choice, Run
from stretto.proxy.flowlog import decision_line, run_line

GET = Site("get", False)
WEIGHED = {"get": 0.45, "find": 0.05, "respond": 0.5}


def test_a_lookup_is_told_with_its_arguments_and_their_chance():
    decision = Decision(GET, Lookup("get", {"id": "é"}, 0.45, 0.9), WEIGHED)

    assert decision_line("7", "decide#0", decision).decode() == (
        '{"action":"lookup","address":"decide#0","after":"7","arguments":{"id":"é"},'
        '"binding":0.9,"key":null,"ms":0,"oracle":{},"predicates":{},"prob":0.45,'
        '"probs":{"find":0.05,"get":0.45,"respond":0.5},"site":"get","tool":"get"}\n'
    )


def test_handing_back_is_told_with_its_reason_and_the_likeliest_lookups_probability():
    decision = Decision(Site("get", True), HandBack.below("get", 0.45, 0.5), WEIGHED)

    found = json.loads(decision_line(7, "decide#1", decision))

    assert (found["action"], found["reason"]) == ("hand_back", "get at 0.45, below 0.5")
    assert (found["prob"], found["site"], found["after"]) == (0.45, "get (error)", 7)
    assert found["binding"] is None
    assert "tool" not in found
    assert "arguments" not in found


def test_a_lookup_held_back_by_its_arguments_tells_their_chance():
    decision = Decision(GET, HandBack.below_bound("get", 0.4, 0.6, 0.3), WEIGHED)

    assert json.loads(decision_line(7, "decide#0", decision))["binding"] == 0.6


def test_where_nothing_was_weighed_there_is_no_probability():
    decision = Decision(None, HandBack.plain(Reason.NOT_AFTER_CALL))

    found = json.loads(decision_line(7, "decide#0", decision))

    assert (found["prob"], found["probs"], found["site"]) == (None, {}, None)


def test_shadow_what_is_withheld_and_a_policy_are_told_only_where_they_are():
    decision = Decision(GET, Lookup("get", {}, 0.4, 0.5), WEIGHED)
    plain = json.loads(decision_line(7, "decide#0", decision))

    told = json.loads(
        decision_line(
            7, "decide#0", decision, shadow=True, withheld="no", policy={"p": 1}
        )
    )

    assert told == plain | {"shadow": True, "withheld": "no", "policy": {"p": 1}}


def run(**choices: Choice) -> Run:
    return Run(0, choices, -0.25, 0.0, ())


def test_a_runs_choices_are_in_the_order_of_their_numbers_then_their_names():
    made = {
        name: Choice(value, -0.5)
        for name, value in {
            "outcome#10": True,
            "decide#10": 1,
            "outcome#2": True,
            "decide#2": 2,
            "z": 3,
            "a#b": 4,
            "decide#0": 5,
        }.items()
    }

    found = json.loads(run_line(7, GET, run(**made), max_lookups=8))

    assert [address for address, *_ in found["run"]["sites"]] == [
        "a#b",
        "z",
        "decide#0",
        "decide#2",
        "outcome#2",
        "decide#10",
        "outcome#10",
    ]
    assert found["run"]["sites"][2:5] == [
        ["decide#0", 5, 0.0],
        ["decide#2", 2, 0.0],
        ["outcome#2", True, -0.5],
    ]
    assert found["run"]["surprise"] == 1.25


def test_a_run_in_which_nothing_was_observed_is_not_surprising():
    nothing = Run(0, {"decide#0": Choice(0, -1.0)}, 0.0, 0.0, ())

    assert run_line("x", Site("get", True), nothing, max_lookups=3) == (
        b'{"after":"x","run":{"call":"get","failed":true,"max_lookups":3,'
        b'"sites":[["decide#0",0,0.0]],"surprise":-0.0}}\n'
    )


def test_what_was_impossible_has_no_number():
    made = Run(0, {"ok": Choice(True, -math.inf)}, 0.0, -math.inf, ())

    found = json.loads(run_line(7, GET, made, max_lookups=8))["run"]

    assert found["sites"] == [["ok", True, None]]
    assert found["surprise"] is None
