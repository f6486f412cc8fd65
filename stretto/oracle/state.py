"""
What a System-One model is shown: a short account of a session so far.

Only what is named here is ever sent. Texts are cut; text beside calls is left out.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from stretto.canonical import Json, compact
from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.oracle.clip import clip
from stretto.oracle.omit import (
    Omission,
    applying,
    arguments_without,
    result_without,
)

N_LATEST = 4
"""The calls shown with their results."""

N_EARLIER = 16
"""The calls before them, shown in a line each."""

N_MESSAGES = 4
"""The customer's messages shown besides the first."""

MAX_FIRST, MAX_MESSAGE, MAX_RESULT, MAX_ARGUMENTS = 1000, 600, 1500, 160
"""Characters of the first message, of another one, of a result, of an earlier call's
arguments."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A call; its result is None until there is one."""

    id: str
    tool: str
    arguments: Json
    line: str
    result: str | None = None
    failed: bool = True


class Slice:
    """
    A session so far as a request's state, kept event by event.

    It holds no more than the state can show, however long the session is. A copy grows
    on its own.
    """

    __slots__ = ("_first", "_later", "_made", "_no_result", "_omit", "_said")

    def __init__(self, no_result: str, omit: tuple[Omission, ...] = ()) -> None:
        """
        An empty session.

        Args:
            no_result: The text that stands for a result that is not there.
            omit: What is left out of calls and results.
        """
        self._no_result, self._omit = no_result, omit
        self._first: str | None = None
        self._later: deque[str] = deque(maxlen=N_MESSAGES)
        self._said = ""
        self._made: deque[_Made] = deque(maxlen=N_LATEST + N_EARLIER)

    @classmethod
    def of(
        cls,
        events: Iterable[Event],
        no_result: str,
        omit: tuple[Omission, ...] = (),
    ) -> "Slice":
        """The session of these events."""
        slice = cls(no_result, omit)
        for event in events:
            slice.add(event)
        return slice

    def copy(self) -> "Slice":
        """The same session so far."""
        other = Slice(self._no_result, self._omit)
        other._first, other._said = self._first, self._said
        other._later, other._made = self._later.copy(), self._made.copy()
        return other

    def add(self, event: Event) -> None:
        """One event more."""
        match event:
            case UserMessage(text=text) if self._first is None:
                self._first = clip(text, MAX_FIRST)
            case UserMessage(text=text):
                self._later.append(clip(text, MAX_MESSAGE))
            case AssistantTurn(text=text, calls=()):
                self._said = clip(text or "", MAX_MESSAGE) or self._said
            case AssistantTurn(calls=calls):
                self._made.extend(map(self._begun, calls))
            case ToolResult():
                self._settle(event)

    def json(self) -> dict[str, Json]:
        """The state; a key whose value would be empty is left out, but for two."""
        made = [*self._made]
        earlier, latest = made[:-N_LATEST], made[-N_LATEST:]
        state: dict[str, Json] = {"customer_request": self._first}
        if self._later:
            state["later_customer_messages"] = [*self._later]
        if self._said:
            state["agent_last_message"] = self._said
        if earlier:
            state["earlier_lookups"] = [_line(one) for one in earlier]
        state["latest_results"] = [self._whole(one) for one in latest]
        return state

    def _settle(self, result: ToolResult) -> None:
        for index in range(len(self._made) - 1, -1, -1):
            if self._made[index].id == result.call_id:
                omit = applying(self._omit, self._made[index].tool)
                shown = clip(result_without(result.content, omit), MAX_RESULT)
                self._made[index] = replace(
                    self._made[index], result=shown, failed=result.error
                )
                return

    def _begun(self, call: ToolCall) -> _Made:
        arguments = arguments_without(call.arguments, applying(self._omit, call.tool))
        line = f"{call.tool}({clip(compact(arguments), MAX_ARGUMENTS)})"
        return _Made(call.id, call.tool, arguments, line)

    def _whole(self, made: _Made) -> Json:
        shown: dict[str, Json] = {
            "tool_call": made.tool,
            "arguments": made.arguments,
            "result": self._no_result if made.result is None else made.result,
        }
        return {**shown, "error": True} if made.failed else shown


def _line(made: _Made) -> str:
    return f"{made.line} → {'error' if made.failed else 'ok'}"
