"""Which arguments are asked for, what is picked, and what that makes of a call."""

from dataclasses import replace

import pytest

from stretto.episodes.manifest import Kind, Manifest, ToolDocs
from stretto.evaluate.closed import ClosedValues, spelled
from stretto.flow.deciders.arbiter import Asker
from stretto.flow.flow import Flow
from stretto.learn.any_tool import AnyAsker
from stretto.learn.value_opinions import value_opinions
from stretto.learn.values import (
    AnsweredValue,
    AskedValue,
    values_answered,
    values_asked,
    verdict,
)
from stretto.oracle.answer import ChoiceAnswer
from stretto.oracle.mock import Mock
from stretto.oracle.scripted import ScriptedOracle
from stretto.oracle.value import Pick, Place
from stretto.traces.reader import read
from tests.conftest import shared
from tests.toys import Script, taught

MANIFEST = Manifest(
    "shop",
    {"find": Kind.READ, "search": Kind.READ, "cancel": Kind.WRITE},
    {"search": ToolDocs("Searches.", {"sort": "How to sort."})},
)


def searching(sort: str, *, cancel: str | None = None, **more: object) -> Script:
    """A session with one search after a call, and maybe a write after that."""
    script = Script().user("hello").turn(("find", {"q": "hello"}, {"id": "U100"}))
    script.turn(("search", {"id": "U100", "sort": sort, **more}, "ok"))
    if cancel is not None:
        script.turn(("cancel", {"id": "U100", "reason": cancel}, "ok"))
    return script.reply()


EPISODES = [
    searching("price", cancel="late").episode("a"),
    searching("name", cancel="late").episode("b"),
    searching("price", cancel="late", ok=True, n=2).episode("c"),
]
FLOW: Flow = replace(taught(EPISODES, MANIFEST).flow, model="m")
CLOSED = ClosedValues.of(EPISODES)


def asked(script: Script, **how: bool) -> list[AskedValue]:
    return [*values_asked(Asker.of(FLOW), script.episode("t"), CLOSED, **how)]


def test_values_are_closed_while_they_are_few_and_no_lists():
    closed = ClosedValues()
    for n in range(12):
        closed.add("t", {"few": f"v{n}", "list": [n], "one": "x", "flag": n > 5})
    closed.add("t", {"list": "text", "few": "v3"})

    assert closed.options(Place("t", "few")) == tuple(
        sorted(f"v{n}" for n in range(12))
    )
    assert closed.options(Place("t", "list")) == ()
    assert closed.options(Place("t", "one")) == ("x",)
    assert closed.options(Place("t", "flag")) == ("false", "true")
    assert closed.options(Place("t", "never")) == ()
    closed.add("t", {"few": "another"})
    closed.add("t", {"few": "v1"})
    assert closed.options(Place("t", "few")) == ()


@pytest.mark.parametrize(
    ("value", "text"),
    [("Text ", "Text "), (True, "true"), (None, "null"), (2, "2"), (2.5, "2.5"),
     ([], None), ({}, None)],
)  # fmt: skip
def test_a_string_is_an_option_as_it_is_and_the_rest_as_json(value, text):
    assert spelled(value) == text


def test_what_stands_in_what_was_said_is_not_asked_and_what_does_not_is():
    [one] = asked(searching("price", cancel="late"))

    assert (one.place, one.actual, one.options) == (
        Place("search", "sort"), "price", ("name", "price"),
    )  # fmt: skip
    assert one.step == 1
    question = one.request.questions["value"]
    assert "How to sort." in question.instructions
    assert one.request.state["pending_call"] == {
        "tool": "search", "other_arguments": {"id": "U100"},
    }  # fmt: skip
    assert one.request.state["customer_request"] == "hello"


def test_of_any_call_writes_are_asked_too_and_numbers():
    script = searching("price", cancel="late", n=2)
    lookups = {one.place: one.options for one in asked(script)}
    calls = {one.place: one.options for one in asked(script, any_tool=True)}

    assert lookups == {Place("search", "n"): (), Place("search", "sort"): (
        "name", "price")}  # fmt: skip
    assert calls == lookups | {
        Place("search", "n"): ("2",), Place("cancel", "reason"): ("late",),
    }  # fmt: skip
    assert [one.request is None for one in asked(script, any_tool=True)] == [
        True, False, True,
    ]  # fmt: skip
    state = asked(script, any_tool=True)[1].request.state
    assert {*state} == {"customer_request", "flow_goal", "pending_call", "transcript"}


def test_a_call_that_follows_no_call_is_asked_nothing():
    script = Script().user("hi").turn(("search", {"sort": "price"}, "ok")).reply()

    assert asked(script) == asked(script, any_tool=True) == []


def test_one_value_is_taken_without_asking_and_none_is_no_answer():
    def refuse(request):
        assert [*request.questions["value"].criteria] == ["name", "price"]
        return {"value": ChoiceAnswer("name", {"name": 0.9, "price": 0.1})}

    found = asked(searching("price", cancel="late", n=2), any_tool=True)
    picks = [one.pick for one in values_answered(found, ScriptedOracle(refuse))]
    plain = asked(searching("price", n=2))

    assert picks == [
        Pick("2", {"2": 1.0}), Pick("name", {"name": 0.9, "price": 0.1}),
        Pick("late", {"late": 1.0}),
    ]  # fmt: skip
    assert [one.pick for one in values_answered(plain[:1], Mock())] == [None]


def one(actual: str, pick: str | None, p: float = 1.0) -> AnsweredValue:
    place = Place("search", "sort")
    value = AskedValue("e", "t", "a", 1, place, actual, ("x", "y"), None)
    return AnsweredValue(value, None if pick is None else Pick(pick, {pick: p}))


@pytest.mark.parametrize(
    ("values", "right"),
    [
        ([one("x", "x", 0.9)], True),
        ([one("x", "x", 0.89)], None),
        ([one("x", "y", 0.9)], False),
        ([one("x", "y", 0.89)], None),
        ([one("x", None)], None),
        ([one("x", "x"), one("y", "y", 0.95)], True),
        ([one("x", "x"), one("y", None)], None),
        ([one("x", None), one("y", "x", 0.95)], False),
    ],
)
def test_a_call_is_right_where_all_are_sure_and_wrong_where_one_is(values, right):
    assert verdict(values, 0.9) is right


def test_sums_are_of_what_was_asked_and_of_what_was_fixed_apart():
    found = asked(searching("price", cancel="lost", n=2), any_tool=True)
    fixed_wrong = values_answered(found, Mock())
    summed = value_opinions([*fixed_wrong])

    assert (summed.asked, summed.fixed, summed.unanswerable) == (1, 2, 0)
    assert (summed.fixed_agreed.part, summed.fixed_agreed.whole) == (1, 2)
    [row] = summed.rows
    assert (row.place, row.options) == (Place("search", "sort"), 2)
    assert row.agreed.part == summed.agreement.agreed.part == 0  # the mock says name


def test_every_step_after_a_call_is_asked_about_among_all_tools():
    script = searching("price", cancel="late")
    asker = AnyAsker.of(Asker.of(FLOW))
    steps = [*asker.steps(script.episode("t"))]

    assert [(s.step, s.took) for s in steps] == [
        (1, "search"), (2, "cancel"), (3, "respond"),
    ]  # fmt: skip
    assert {*steps[0].request.questions["next"].criteria} == {
        "cancel", "find", "respond", "search",
    }  # fmt: skip
    [answer, *_] = asker.answered(steps, Mock())
    assert answer.pick.option == "cancel"  # the mock's first
    nothing = ScriptedOracle(lambda _: {"next": ChoiceAnswer("other", {"other": 1.0})})
    assert [*asker.answered(steps, nothing)] == [None, None, None]


def test_values_of_recorded_sessions_are_those_counted_by_hand():
    path = shared("sessions/tau2-sierra-prs/airline__gpt-4o-2024-11-20__50.json.gz")
    episodes = [*read([path])]
    by_hand: dict[Place, set[str]] = {}
    for episode in episodes:
        for turn in episode.turns:
            for call in turn.calls:
                for name, value in call.arguments.items():
                    text = spelled(value)
                    by_hand.setdefault(Place(call.tool, name), set()).add(
                        "\0" if text is None else text
                    )
    closed = ClosedValues.of(episodes)

    for place, values in by_hand.items():
        few = len(values) <= 12 and "\0" not in values
        assert closed.options(place) == (tuple(sorted(values)) if few else ())
    assert closed.options(Place("book_reservation", "cabin"))
