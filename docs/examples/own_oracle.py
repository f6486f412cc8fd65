"""An oracle of one's own: the more lookups there were, the likelier it hands back."""

from collections.abc import Mapping

from stretto.episodes.episode import AssistantTurn, ToolCall, ToolResult, UserMessage
from stretto.episodes.site import Site
from stretto.oracle.answer import Answer, ChoiceAnswer, NoulAnswer
from stretto.oracle.ask import ask
from stretto.oracle.next_step import next_step_request, read_next_step
from stretto.oracle.question import Choice, Request
from stretto.oracle.scripted import ScriptedOracle
from stretto.oracle.state import Slice
from stretto.oracle.wording import shipped_wording

LOOKUPS = {"get_order": "Reads an order.", "get_user": "Reads a customer."}
WORDING = shipped_wording()


def answer(request: Request) -> Mapping[str, Answer]:
    """An answer to each question, by its id."""
    go_on = 0.9 / len(request.state["latest_results"])
    answers: dict[str, Answer] = {}
    for id, question in request.questions.items():
        if isinstance(question, Choice):
            weights = {o: go_on / len(LOOKUPS) for o in question.criteria}
            if "respond" in weights:
                weights["respond"] = 1 - go_on
            total = sum(weights.values())
            p = {option: weight / total for option, weight in weights.items()}
            answers[id] = ChoiceAnswer(max(p, key=p.__getitem__), p)
        else:
            answers[id] = NoulAnswer(go_on)
    return answers


oracle = ScriptedOracle(answer)
session = Slice(WORDING.no_result)
session.add(UserMessage("Where are my parcels?"))
for number in range(1, 4):
    call = ToolCall(f"c{number}", "get_order", {"id": f"W{number}"})
    session.add(AssistantTurn(calls=(call,)))
    session.add(ToolResult(call.id, call.tool, False, '{"status": "sent"}'))
    request = next_step_request(
        oracle.model,
        session.json(),
        Site("get_order", False),
        LOOKUPS,
        predicates=(),
        wording=WORDING,
    )
    step = read_next_step(ask(oracle, request), LOOKUPS, ())
    assert step is not None
    split = ", ".join(f"{option} {p:.2f}" for option, p in step.split.items())
    print(f"after {number}: {step.pick}; in two halves: {split}")
