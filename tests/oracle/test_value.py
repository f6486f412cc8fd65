"""Arguments, and the next step among all tools, as questions."""

from dataclasses import replace

from stretto.episodes.site import Site
from stretto.oracle.answer import ChoiceAnswer, NoulAnswer, Response
from stretto.oracle.any_tool import (
    any_tool_request,
    any_tool_rubric,
    any_tool_state,
)
from stretto.oracle.omit import read_omission
from stretto.oracle.value import Pick, Place, read_value, value_request
from stretto.oracle.wording import shipped_wording
from tests.toys import Script

WORDS = replace(
    shipped_wording(),
    context="Context.", data_note="", last_ok="{tool} returned.",
    last_error="{tool} failed.", v1_next="Which tool?", v1_respond="None.",
    value="Which {arg} of {tool}?", value_doc="{arg}: {doc}",
    value_option="{arg} of {tool} is this.", tool_fallback="Calls {tool}.",
)  # fmt: skip
GONE = "(nothing)"
PLACE = Place("cancel", "reason")


def test_an_argument_is_asked_beside_the_state_and_the_calls_other_arguments():
    request = value_request(
        "m", {"customer_request": "hi"}, PLACE, {"id": "W1"}, ("no", "late"),
        doc="Why.", wording=WORDS,
    )  # fmt: skip
    [(id, asked)] = request.questions.items()

    assert id == "value"
    assert asked.instructions == "Context. Which reason of cancel? reason: Why."
    assert [*asked.criteria.items()] == [
        ("late", "reason of cancel is this."), ("no", "reason of cancel is this."),
    ]  # fmt: skip
    assert request.state == {
        "customer_request": "hi",
        "pending_call": {"tool": "cancel", "other_arguments": {"id": "W1"}},
    }


def test_an_argument_without_documentation_is_asked_without_it():
    request = value_request("m", {}, PLACE, {}, ("no",), doc="", wording=WORDS)

    assert request.questions["value"].instructions == "Context. Which reason of cancel?"


def test_an_answer_is_the_option_chosen_and_what_each_was_given():
    def read(answer):
        return read_value(Response("m", {"value": answer}), ("late", "no"))

    assert read(ChoiceAnswer("no", {"no": 0.7, "maybe": 0.3})) == Pick(
        "no", {"late": 0.0, "no": 0.7}
    )
    assert read(ChoiceAnswer("no", {"no": 0.7})).p == 0.7
    assert read(ChoiceAnswer("maybe", {"maybe": 1.0})) is None
    assert read(NoulAnswer(0.5)) is None
    assert read_value(Response("m", {}), ("no",)) is None


def test_any_tool_is_an_option_and_none_is_too():
    tools = {"b": "B.", "a": "A."}
    request = any_tool_request("m", {}, Site("b", True), tools, WORDS)
    [(id, asked)] = request.questions.items()

    assert id == "next"
    assert asked.instructions == "Context. b failed. Which tool?"
    assert asked.criteria == {"a": "A.", "b": "B.", "respond": "None."}
    assert any_tool_rubric("a", " ", WORDS) == "Calls a."
    assert len(any_tool_rubric("a", "x" * 900, WORDS)) == 401


def test_the_state_is_the_first_request_and_the_last_twelve_messages_and_calls():
    script = Script().user("one").reply("two").turn(("get", {"id": "W1"}, {"x": 1}))
    script.turn(("get", {}, ValueError("no")), ("cancel", {"secret": 1}, None))
    state = any_tool_state(script.events, GONE, (read_omission("cancel:$.secret"),))

    assert state == {
        "customer_request": "one",
        "flow_goal": "",
        "transcript": [
            {"customer": "one"},
            {"agent": "two"},
            {"tool_call": "get", "arguments": {"id": "W1"}, "result": '{"x": 1}'},
            {"tool_call": "get", "arguments": {}, "result": "no", "error": True},
            {"tool_call": "cancel", "arguments": {}, "result": GONE, "error": True},
        ],
    }
    for n in range(20):
        script.user(f"{n}")
    assert any_tool_state(script.events, GONE)["transcript"] == [
        {"customer": f"{n}"} for n in range(8, 20)
    ]


def test_texts_are_cut_and_blank_ones_left_out():
    script = Script().user("é" * 2000).reply(" ").turn(("get", {}, "y" * 5000))
    state = any_tool_state(script.events, GONE)

    assert state["customer_request"] == "é" * 1000 + "…"
    said, made = state["transcript"]
    assert said == {"customer": "é" * 1000 + "…"}
    assert len(made["result"]) == 2501
    assert any_tool_state([], GONE) == {
        "customer_request": None, "flow_goal": "", "transcript": [],
    }  # fmt: skip
