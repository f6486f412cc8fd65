"""The fixture's tools that need several rounds: they answer with questions first."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from mcp import types

from tests.conformance.contents import text

Answers: TypeAlias = Mapping[str, types.InputResponse]
Questions: TypeAlias = dict[str, types.InputRequest]


class Round(NamedTuple):
    """What a call of the tool brings this time."""

    answers: Answers
    state: str | None
    capabilities: types.ClientCapabilities


Outcome: TypeAlias = types.InputRequiredResult | str


def asks(message: str, field: str, kind: str = "string") -> types.ElicitRequest:
    """A question for the user, with one field to fill in."""
    form = {
        "type": "object",
        "properties": {field: {"type": kind}},
        "required": [field],
    }
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=message, requested_schema=form)
    )


def _samples(said: str, max_tokens: int) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=text(said))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=[message], max_tokens=max_tokens
        )
    )


def _lists_roots() -> types.ListRootsRequest:
    return types.ListRootsRequest()


def _wants(questions: Questions, state: str | None = None) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=questions, request_state=state)


def _filled(answer: types.InputResponse | None, field: str) -> Any:
    """What the user filled in; None where nothing was."""
    if isinstance(answer, types.ElicitResult) and answer.content:
        return answer.content.get(field)
    return None


def _eliciting(given: Round) -> Outcome:
    name = _filled(given.answers.get("user_name"), "name")
    if name is None:
        return _wants({"user_name": asks("What is your name?", "name")})
    return f"Hello, {name}!"


def _sampling(given: Round) -> Outcome:
    answer = given.answers.get("capital_question")
    if not isinstance(answer, types.CreateMessageResult):
        question = _samples("What is the capital of France?", 100)
        return _wants({"capital_question": question})
    said = answer.content
    return said.text if isinstance(said, types.TextContent) else "no text"


def _listing_roots(given: Round) -> Outcome:
    answer = given.answers.get("client_roots")
    if not isinstance(answer, types.ListRootsResult):
        return _wants({"client_roots": _lists_roots()})
    return "Roots: " + ", ".join(str(root.uri) for root in answer.roots)


def _keeping_state(given: Round) -> Outcome:
    if given.state != "asked" or "confirm" not in given.answers:
        return _wants({"confirm": asks("Please confirm", "ok", "boolean")}, "asked")
    return "state-ok"


def _asking_for_several(given: Round) -> Outcome:
    questions: Questions = {
        "user_name": asks("What is your name?", "name"),
        "greeting": _samples("Generate a greeting", 50),
        "client_roots": _lists_roots(),
    }
    if given.state != "asked" or not questions.keys() <= given.answers.keys():
        return _wants(questions, "asked")
    return "All three were answered."


def _asking_twice(given: Round) -> Outcome:
    if given.state == "named" and "step2" in given.answers:
        return f"Color: {_filled(given.answers['step2'], 'color')}"
    if given.state == "begun" and "step1" in given.answers:
        question = asks("Step 2: What is your favorite color?", "color")
        return _wants({"step2": question}, "named")
    return _wants({"step1": asks("Step 1: What is your name?", "name")}, "begun")


def _asking_what_the_client_can(given: Round) -> Outcome:
    can, questions = given.capabilities, Questions()
    if can.elicitation is not None:
        questions["user_name"] = asks("What is your name?", "name")
    if can.sampling is not None:
        questions["greeting"] = _samples("Generate a greeting", 50)
    if can.roots is not None:
        questions["client_roots"] = _lists_roots()
    if not questions or given.answers:
        return "Nothing is left to ask."
    return _wants(questions)


TOOLS: Mapping[str, Callable[[Round], Outcome]] = {
    "test_input_required_result_elicitation": _eliciting,
    "test_input_required_result_sampling": _sampling,
    "test_input_required_result_list_roots": _listing_roots,
    "test_input_required_result_request_state": _keeping_state,
    "test_input_required_result_multiple_inputs": _asking_for_several,
    "test_input_required_result_multi_round": _asking_twice,
    "test_input_required_result_tampered_state": _keeping_state,
    "test_input_required_result_capabilities": _asking_what_the_client_can,
    "test_streaming_elicitation": _eliciting,
}


def prompt(given: Round) -> types.InputRequiredResult | types.GetPromptResult:
    """The prompt that needs a context, or the question for it."""
    context = _filled(given.answers.get("user_context"), "context")
    if context is None:
        question = asks("What context should the prompt use?", "context")
        return _wants({"user_context": question})
    message = types.PromptMessage(role="user", content=text(f"Context: {context}"))
    return types.GetPromptResult(messages=[message])
