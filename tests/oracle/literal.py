"""
The state of a request read straight off its page, from all that came before.

Nothing is kept from one step to the next, and no code is shared with `stretto.oracle`.
"""

import json
import re

from stretto.episodes.episode import AssistantTurn, ToolResult, UserMessage

SPACE = r"[^\S\x1c-\x1f]+"


def trim(text):
    return re.sub(rf"\A{SPACE}|{SPACE}\Z", "", text)


def clip(text, n):
    text = trim(text)
    return text[:n] + "…" if len(text) > n else text


def state(events, no_result):
    """The state after `events`."""
    said = [e.text for e in events if isinstance(e, UserMessage)]
    replies = [
        e.text
        for e in events
        if isinstance(e, AssistantTurn) and not e.calls and trim(e.text or "")
    ]
    calls = [c for e in events if isinstance(e, AssistantTurn) for c in e.calls]
    found = {"customer_request": clip(said[0], 1000) if said else None}
    if len(said) > 1:
        found["later_customer_messages"] = [clip(text, 600) for text in said[1:][-4:]]
    if replies:
        found["agent_last_message"] = clip(replies[-1], 600)
    if len(calls) > 4:
        found["earlier_lookups"] = [earlier(events, call) for call in calls[-20:-4]]
    found["latest_results"] = [latest(events, call, no_result) for call in calls[-4:]]
    return found


def result_of(events, call):
    found = None
    for event in events:
        if isinstance(event, ToolResult) and event.call_id == call.id:
            found = event
    return found


def earlier(events, call):
    arguments = json.dumps(
        call.arguments, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    result = result_of(events, call)
    became = "ok" if result is not None and not result.error else "error"
    return f"{call.tool}({clip(arguments, 160)}) → {became}"


def latest(events, call, no_result):
    result = result_of(events, call)
    shown = {"tool_call": call.tool, "arguments": call.arguments}
    shown["result"] = no_result if result is None else clip(result.content, 1500)
    if result is None or result.error:
        shown["error"] = True
    return shown


def before_each_decision(episode):
    """
    The events before each point where a call has returned.

    A turn's calls come one by one there, each with its result where it has one.
    """
    results = episode.results()
    events = []
    for event in episode.events:
        if isinstance(event, AssistantTurn) and event.calls:
            for call in event.calls:
                events.append(AssistantTurn(event.text, (call,)))
                if call.id in results:
                    events.append(results[call.id])
                    yield [*events]
        elif not isinstance(event, ToolResult):
            events.append(event)


def as_it_happened(episode):
    """The events, each call of a turn just before its result and none without one."""
    calls = {
        call.id: call
        for event in episode.events
        if isinstance(event, AssistantTurn)
        for call in event.calls
    }
    events = []
    for event in episode.events:
        if isinstance(event, ToolResult):
            events += [AssistantTurn(calls=(calls[event.call_id],)), event]
        elif not (isinstance(event, AssistantTurn) and event.calls):
            events.append(event)
    return events
