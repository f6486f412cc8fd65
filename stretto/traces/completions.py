"""Chat-completion messages as events."""

from stretto.canonical import Json
from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.traces.calls import CallIds, parsed_arguments
from stretto.traces.ledger import Ledger
from stretto.traces.record import mapping, objects, required_name, words

ERRORS = ("Error", "Unknown action ")
"""How the text of a failed result begins, where nothing else marks it."""


def chat_events(messages: list[dict[str, Json]], ledger: Ledger) -> list[Event]:
    """
    The events of a chat. Messages of roles other than user, assistant and tool are
    left out, and so are results of unknown calls.
    """
    ids = CallIds(ledger)
    events: list[Event] = []
    for message in messages:
        match message.get("role"):
            case "assistant":
                events.append(_turn(message, ids, ledger))
            case "user":
                events.append(UserMessage(words(message.get("content"))))
            case "tool":
                if sent := ids.last(message.get("tool_call_id")):
                    content = words(message.get("content"))
                    failed = content.startswith(ERRORS)
                    events.append(ToolResult(sent.id, sent.tool, failed, content))
                else:
                    ledger.count("stray results")
    return events


def _turn(message: dict[str, Json], ids: CallIds, ledger: Ledger) -> AssistantTurn:
    calls = objects(message.get("tool_calls"), "tool_calls")
    return AssistantTurn(
        words(message.get("content")) or None,
        tuple(_call(call, ids, ledger) for call in calls),
    )


def _call(call: dict[str, Json], ids: CallIds, ledger: Ledger) -> ToolCall:
    function = mapping(call.get("function")) or call
    tool = required_name(function.get("name"), "call")
    id = ids.sent(call.get("id"), tool)
    return ToolCall(id, tool, parsed_arguments(function.get("arguments"), ledger))
