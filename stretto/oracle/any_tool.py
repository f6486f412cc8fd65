"""
The next step of an agent that may call any tool, writes too, as a question.

It is asked to measure what a flow that writes would take; no flow that is served does.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from stretto.canonical import Json
from stretto.episodes.episode import AssistantTurn, Event, ToolResult, UserMessage
from stretto.episodes.site import Site
from stretto.episodes.vocabulary import RESPOND
from stretto.oracle.clip import clip, trim
from stretto.oracle.next_step import NEXT, joined
from stretto.oracle.omit import (
    Omission,
    applying,
    arguments_without,
    result_without,
)
from stretto.oracle.question import Choice, Request
from stretto.oracle.wording import Wording, fill

N_ITEMS = 12
"""The messages and calls shown, the last ones."""

MAX_TEXT, MAX_RESULT, MAX_RUBRIC = 1000, 2500, 400
"""Characters of a message, of a result, and of a tool's rubric."""


def any_tool_request(
    model: str,
    state: Json,
    site: Site,
    rubrics: Mapping[str, str],
    wording: Wording,
) -> Request:
    """
    What is asked after the call at `site`.

    Args:
        rubrics: Every tool that may be called, described.
    """
    last = wording.last_error if site.failed else wording.last_ok
    told = joined(
        wording.context,
        wording.data_note,
        fill(last, tool=site.tool),
        wording.v1_next,
    )
    tools = {tool: rubrics[tool] for tool in sorted(rubrics)}
    options = {**tools, RESPOND: wording.v1_respond}
    return Request(model, state, {NEXT: Choice(told, options)})


def any_tool_rubric(tool: str, summary: str, wording: Wording) -> str:
    """A tool described as an option, in at most 400 characters."""
    return clip(trim(summary) or fill(wording.tool_fallback, tool=tool), MAX_RUBRIC)


def any_tool_state(
    events: Sequence[Event], no_result: str, omit: tuple[Omission, ...] = ()
) -> dict[str, Json]:
    """
    A session so far: what was asked first, and the last messages and calls.

    The goal is empty: nobody tells a flow what the customer wants.

    Args:
        no_result: The text that stands for a result that is not there.
        omit: What is left out of calls and results.
    """
    first = next((e.text for e in events if isinstance(e, UserMessage)), None)
    latest = [*islice(_items(events, no_result, omit), N_ITEMS)]
    return {
        "customer_request": None if first is None else clip(first, MAX_TEXT),
        "flow_goal": "",
        "transcript": latest[::-1],
    }


def _items(
    events: Sequence[Event], no_result: str, omit: tuple[Omission, ...]
) -> Iterator[Json]:
    """Messages and calls, the last one first."""
    results: dict[str, ToolResult] = {}
    for event in reversed(events):
        match event:
            case ToolResult():
                results.setdefault(event.call_id, event)
            case UserMessage(text=text) if trim(text):
                yield {"customer": clip(text, MAX_TEXT)}
            case AssistantTurn(text=text, calls=()) if trim(text or ""):
                yield {"agent": clip(text or "", MAX_TEXT)}
            case AssistantTurn(calls=calls):
                for call in reversed(calls):
                    left_out = applying(omit, call.tool)
                    result = results.get(call.id)
                    shown: dict[str, Json] = {
                        "tool_call": call.tool,
                        "arguments": arguments_without(call.arguments, left_out),
                        "result": no_result
                        if result is None
                        else clip(result_without(result.content, left_out), MAX_RESULT),
                    }
                    failed = result is None or result.error
                    yield {**shown, "error": True} if failed else shown
