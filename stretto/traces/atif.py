"""ATIF, the agent trajectory interchange format: one object a session."""

from collections.abc import Iterator, Sequence
from pathlib import Path

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
from stretto.traces.completions import ERRORS
from stretto.traces.decode import Unreadable
from stretto.traces.head import Head
from stretto.traces.ledger import Ledger
from stretto.traces.reader import ReadOptions
from stretto.traces.record import (
    amount,
    first_object,
    first_text,
    mapping,
    objects,
    one_each,
    required_name,
    session_id,
    whole,
    words,
)
from stretto.traces.stream import Record


class Atif:
    """ATIF trajectories of version 1. They hold no reward."""

    def sniff(self, head: Head) -> bool:
        """Whether it begins with a trajectory."""
        version = first_object(head.value).get("schema_version")
        return isinstance(version, str) and version.startswith("ATIF-v1.")

    def read(
        self,
        paths: Sequence[Path],
        options: ReadOptions,  # noqa: ARG002
        ledger: Ledger,
    ) -> Iterator[Episode]:
        """One episode per trajectory."""
        return one_each(paths, ledger, _episode)


READER = Atif()


def _episode(path: Path, ledger: Ledger, record: Record) -> Episode:
    trajectory = mapping(record.value)
    if "steps" not in trajectory:
        raise Unreadable("has no `steps`")
    agent = mapping(trajectory.get("agent"))
    return Episode(
        session_id(record, path, trajectory.get("session_id")),
        tuple(_events(objects(trajectory["steps"], "steps"), ledger)),
        agent=first_text(agent.get("model_name"), agent.get("name"), "unknown"),
    )


def _events(steps: list[dict[str, Json]], ledger: Ledger) -> Iterator[Event]:
    ids = CallIds(ledger)
    for step in steps:
        match step.get("source"):
            case "user":
                yield UserMessage(words(step.get("message")))
            case "agent":
                calls = objects(step.get("tool_calls"), "tool_calls")
                yield AssistantTurn(
                    words(step.get("message")) or None,
                    tuple(_call(call, ids, ledger) for call in calls),
                    _usage(step.get("metrics")),
                )
                yield from _results(step, ids, ledger)


def _call(call: dict[str, Json], ids: CallIds, ledger: Ledger) -> ToolCall:
    tool = required_name(call.get("function_name"), "call")
    id = ids.sent(call.get("tool_call_id"), tool)
    return ToolCall(id, tool, parsed_arguments(call.get("arguments"), ledger))


def _usage(metrics: Json) -> Usage | None:
    if not isinstance(metrics, dict):
        return None
    return Usage(
        whole(metrics.get("prompt_tokens")),
        whole(metrics.get("completion_tokens")),
        amount(metrics.get("cost_usd")),
    )


def _results(
    step: dict[str, Json], ids: CallIds, ledger: Ledger
) -> Iterator[ToolResult]:
    calls = objects(step.get("tool_calls"), "tool_calls")
    only = calls[0].get("tool_call_id") if len(calls) == 1 else None
    for result in objects(mapping(step.get("observation")).get("results"), "results"):
        sent = ids.last(result.get("source_call_id") or only)
        if sent is None:
            ledger.count("stray results")
            continue
        content = words(result.get("content"))
        marked = mapping(result.get("extra")).get("is_error") is True
        failed = marked or content.startswith(ERRORS)
        yield ToolResult(sent.id, sent.tool, failed, content)
