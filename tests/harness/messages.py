"""Episodes as a harness tells them: τ²-bench's messages."""

from collections.abc import Iterable, Iterator

from stretto.episodes.episode import AssistantTurn, Event, ToolResult, UserMessage


def messages(events: Iterable[Event]) -> Iterator[dict]:
    """A message for each event."""
    for event in events:
        match event:
            case UserMessage(text=text):
                yield {"role": "user", "content": text}
            case AssistantTurn(text=text, calls=calls):
                made = [
                    {"id": call.id, "name": call.tool, "arguments": call.arguments}
                    for call in calls
                ]
                yield {"role": "assistant", "content": text, "tool_calls": made}
            case ToolResult(call_id=id, error=error, content=content):
                yield {"role": "tool", "id": id, "error": error, "content": content}
