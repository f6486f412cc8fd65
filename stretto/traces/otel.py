"""Spans of OpenTelemetry's GenAI conventions as episodes, one a trace."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from stretto.canonical import Json
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from stretto.traces.calls import CallIds, parsed_arguments
from stretto.traces.decode import Unreadable, decode
from stretto.traces.head import Head
from stretto.traces.ledger import Ledger
from stretto.traces.reader import ReadOptions
from stretto.traces.record import (
    amount,
    first_text,
    label,
    mapping,
    required_name,
    whole,
)
from stretto.traces.spans import Span, is_spans, read_spans

CONVENTIONS = "OpenTelemetry GenAI semantic conventions 1.38.0"
"""What the attributes' names and meanings are taken from."""
DOMAIN = "otel"

_INFERENCE = frozenset({"chat", "generate_content", "text_completion"})


class Otel:
    """Reads spans, a file's traces at a time."""

    def sniff(self, head: Head) -> bool:
        """Whether it holds spans, in OTLP's form or with plain attributes."""
        return is_spans(head)

    def read(
        self,
        paths: Sequence[Path],
        options: ReadOptions,  # noqa: ARG002
        ledger: Ledger,
    ) -> Iterator[Episode]:
        """One episode per trace, each file's in the order of their first spans."""
        ledger.conventions = CONVENTIONS
        for path in paths:
            traces: dict[str, list[Span]] = {}
            for span in read_spans(path, ledger):
                traces.setdefault(span.trace, []).append(span)
            for spans in traces.values():
                spans.sort(key=lambda span: (span.start, span.end))
            for spans in sorted(traces.values(), key=lambda spans: spans[0].start):
                yield _episode(path, spans, ledger)


READER = Otel()


@dataclass(slots=True)
class _Turn:
    """One inference and the tools it called; tools alone where it was not traced."""

    inference: Span | None = None
    tools: list[Span] = field(default_factory=list)


def _episode(path: Path, spans: Sequence[Span], ledger: Ledger) -> Episode:
    turns = _turns(spans)
    inferences = [turn.inference for turn in turns if turn.inference is not None]
    first = inferences[0].attributes if inferences else {}
    return Episode(
        spans[0].trace,
        tuple(_events(path, turns, ledger)),
        domain=DOMAIN,
        agent=first_text(
            first.get("gen_ai.response.model"),
            first.get("gen_ai.request.model"),
            "unknown",
        ),
    )


def _turns(spans: Iterable[Span]) -> list[_Turn]:
    """
    The turns, in the order of their start.

    Tools that no inference was traced for are of one turn while they overlap.
    """
    turns: list[_Turn] = []
    for span in spans:
        operation = first_text(span.attributes.get("gen_ai.operation.name"))
        if operation in _INFERENCE:
            turns.append(_Turn(span))
        elif operation == "execute_tool":
            if not (turns and _joins(span, turns[-1])):
                turns.append(_Turn())
            turns[-1].tools.append(span)
    return turns


def _joins(tool: Span, turn: _Turn) -> bool:
    return turn.inference is not None or any(
        tool.start < other.end for other in turn.tools
    )


def _events(path: Path, turns: Iterable[_Turn], ledger: Ledger) -> Iterator[Event]:
    ids = CallIds(ledger)
    n_heard = 0
    for turn in turns:
        attributes = {} if turn.inference is None else turn.inference.attributes
        heard = _texts(attributes.get("gen_ai.input.messages"), "user")
        yield from map(UserMessage, heard[n_heard:])
        n_heard = max(n_heard, len(heard))
        said = "\n".join(_texts(attributes.get("gen_ai.output.messages")))
        calls = list(_calls(path, turn.tools, ids, ledger))
        made = tuple(call for _, call, _ in calls)
        yield AssistantTurn(said or None, made, _usage(attributes))
        calls.sort(key=lambda call: call.end)
        yield from (result for _, _, result in calls)


class _Call(NamedTuple):
    end: int
    call: ToolCall
    result: ToolResult


def _calls(
    path: Path, tools: Iterable[Span], ids: CallIds, ledger: Ledger
) -> Iterator[_Call]:
    """The calls. One that cannot be read is reported."""
    for tool in tools:
        try:
            yield _call(tool, ids, ledger)
        except Unreadable as cause:
            ledger.problem(path, f"span {tool.id}: {cause}")
        except RecursionError:
            ledger.problem(path, f"span {tool.id}: is nested too deep")


def _call(tool: Span, ids: CallIds, ledger: Ledger) -> _Call:
    told = tool.attributes
    named = first_text(told.get("gen_ai.tool.name"))
    name = required_name(named or tool.name.removeprefix("execute_tool "), "call")
    given = told.get("gen_ai.tool.call.arguments")
    returned = told.get("gen_ai.tool.call.result")
    arguments = None if given is None else parsed_arguments(given, ledger)
    content = (tool.error or "") if returned is None else label(returned)
    id = ids.sent(label(told.get("gen_ai.tool.call.id")) or tool.id, name)
    ledger.count("calls")
    ledger.count("calls with arguments", given is not None)
    ledger.count("calls with results", returned is not None)
    return _Call(
        tool.end,
        ToolCall(id, name, arguments),
        ToolResult(id, name, tool.error is not None, content),
    )


def _usage(attributes: Mapping[str, Json]) -> Usage | None:
    """What an inference cost; None where nobody counted."""
    prompt = attributes.get("gen_ai.usage.input_tokens")
    completion = attributes.get("gen_ai.usage.output_tokens")
    if prompt is None and completion is None:
        return None
    costs = ("gen_ai.usage.input_cost", "gen_ai.usage.output_cost")
    cost = sum(amount(attributes.get(key)) for key in costs)
    return Usage(whole(prompt), whole(completion), cost)


def _texts(messages: Json, role: str | None = None) -> list[str]:
    """The texts of a role's messages, or of all, leaving out those without text."""
    if isinstance(messages, str):
        try:
            messages = decode(messages, Ledger())
        except Unreadable:
            return []
    found = map(mapping, messages if isinstance(messages, list) else [messages])
    said = [_words(message) for message in found if role in (None, message.get("role"))]
    return [text for text in said if text is not None]


def _words(message: Mapping[str, Json]) -> str | None:
    """A message's text parts, one a line; None where it has none."""
    parts = message.get("parts", message.get("content"))
    if isinstance(parts, str):
        return parts
    texts = [
        first_text(part.get("content"), part.get("text"))
        for part in map(mapping, parts if isinstance(parts, list) else [])
        if part.get("type") == "text"
    ]
    return "\n".join(texts) if texts else None
