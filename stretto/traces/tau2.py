"""
τ²-bench: result files, and the same simulations in a list or one a line.

The customer of this benchmark has tools too. Their calls and results are the
customer's own, and no part of the episode.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, groupby
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
from stretto.traces.calls import CallIds, answered, arguments
from stretto.traces.decode import Unreadable
from stretto.traces.expected import expected_calls
from stretto.traces.head import Head
from stretto.traces.ledger import Ledger
from stretto.traces.reader import ReadOptions
from stretto.traces.record import (
    amount,
    converted,
    first_object,
    first_text,
    grade,
    label,
    mapping,
    objects,
    required_name,
    session_id,
    whole,
    words,
)
from stretto.traces.stream import Record, fields, records


class Tau2:
    """Simulations of τ²-bench."""

    def sniff(self, head: Head) -> bool:
        """Whether it is a result file, or begins with a simulation."""
        return _is_document(head) or _is_simulation(first_object(head.value))

    def read(
        self,
        paths: Sequence[Path],
        options: ReadOptions,  # noqa: ARG002
        ledger: Ledger,
    ) -> Iterator[Episode]:
        """One episode per simulation."""
        for path in paths:
            if _is_document(Head.of(path)):
                for _, document in groupby(fields(path, ledger), lambda r: r.top):
                    yield from _document(document, path, ledger)
            else:
                yield from converted(
                    records(path, ledger),
                    partial(_episode, path, ledger, None),
                    path,
                    ledger,
                )


READER = Tau2()


def message_events(messages: list[dict[str, Json]], ledger: Ledger) -> list[Event]:
    """
    The events of a simulation's messages: its greeting and the customer's own calls
    left out.

    Raises:
        Unreadable: a message's calls are not as they should be.
    """
    ids = CallIds(ledger)
    events: list[Event] = []
    for index, message in enumerate(messages):
        match message.get("role"):
            case "assistant":
                turn = _turn(message, ids)
                if index == 0 and not turn.calls and not amount(message.get("cost")):
                    continue  # the scripted greeting
                events.append(turn)
            case "user":
                events.append(UserMessage(words(message.get("content"))))
            case "tool":
                if sent := ids.last(message.get("id")):
                    failed = message.get("error") is True
                    content = words(message.get("content"))
                    events.append(ToolResult(sent.id, sent.tool, failed, content))
                elif message.get("requestor") != "user":
                    ledger.count("stray results")
    return events


class _Run(NamedTuple):
    """What holds for every simulation of a file."""

    domain: str
    agent: str
    is_solo: bool
    """Whether the agent worked alone, with the customer's tools as its own."""


def _is_document(head: Head) -> bool:
    value = mapping(head.value)
    info = mapping(value.get("info"))
    return "messages" not in value and (
        "simulations" in value or "agent_info" in info or "environment_info" in info
    )


def _is_simulation(value: dict[str, Json]) -> bool:
    if "traj" in value:
        return False
    if "task_id" in value and ("reward_info" in value or "run_info" in value):
        return True
    return "turn_idx" in first_object(value.get("messages"))


def _document(
    document: Iterator[Record], path: Path, ledger: Ledger
) -> Iterator[Episode]:
    about: dict[str, Json] = {}
    for first in document:
        if first.position is None:
            about[first.key] = first.value
        elif first.key == "simulations":
            break
    else:
        if about.get("simulations") is not None:
            ledger.problem(path, "`simulations` is not an array")
        return
    if "info" not in about and "domain" not in about:
        about |= _later(path, first.top)
    run = _run(about)
    yield from converted(
        (record for record in chain([first], document) if record.key == "simulations"),
        partial(_episode, path, ledger, run),
        path,
        ledger,
    )


def _later(path: Path, top: int) -> dict[str, Json]:
    """The document's fields that are no arrays, wherever they stand."""
    unheard = Ledger()
    return {
        record.key: record.value
        for record in fields(path, unheard)
        if record.position is None and record.top == top
    }


def _run(about: dict[str, Json]) -> _Run:
    info = mapping(about.get("info"))
    environment = mapping(info.get("environment_info"))
    agent = mapping(info.get("agent_info"))
    user = mapping(info.get("user_info"))
    return _Run(
        first_text(environment.get("domain_name"), about.get("domain")),
        first_text(agent.get("llm"), about.get("model"), about.get("agent"), "unknown"),
        agent.get("implementation") == "llm_agent_solo"
        or user.get("implementation") == "dummy_user",
    )


def _episode(path: Path, ledger: Ledger, run: _Run | None, record: Record) -> Episode:
    simulation = record.value
    if not isinstance(simulation, dict):
        raise Unreadable("is not an object")
    if "messages" not in simulation:
        raise Unreadable("has no `messages`")
    run_info = mapping(simulation.get("run_info"))
    run = run or _run({**run_info, **simulation})
    events = message_events(objects(simulation["messages"], "messages"), ledger)
    return Episode(
        session_id(record, path, simulation.get("id"), run_info.get("simulation_id")),
        answered(events, ledger) if run.is_solo else tuple(events),
        task=label(simulation.get("task_id")),
        trial=whole(simulation.get("trial")),
        domain=run.domain,
        agent=run.agent,
        reward=grade(mapping(simulation.get("reward_info")).get("reward")) or 0.0,
        expected=expected_calls(_actions(simulation), given="arguments"),
    )


def _actions(simulation: dict[str, Json]) -> Json:
    """The task's actions: those that were checked, else those that it lists."""
    checks = mapping(simulation.get("reward_info")).get("action_checks")
    if isinstance(checks, list):
        return [mapping(check).get("action") for check in checks]
    criteria = mapping(mapping(simulation.get("task")).get("evaluation_criteria"))
    return criteria.get("actions")


def _turn(message: dict[str, Json], ids: CallIds) -> AssistantTurn:
    usage = message.get("usage")
    return AssistantTurn(
        words(message.get("content")) or None,
        tuple(
            _call(call, ids)
            for call in objects(message.get("tool_calls"), "tool_calls")
            if call.get("requestor") in (None, "assistant")
        ),
        Usage(
            whole(usage.get("prompt_tokens")),
            whole(usage.get("completion_tokens")),
            amount(message.get("cost")),
        )
        if isinstance(usage, dict)
        else None,
    )


def _call(call: dict[str, Json], ids: CallIds) -> ToolCall:
    tool = required_name(call.get("name"), "call")
    id = ids.sent(call.get("id"), tool)
    return ToolCall(id, tool, arguments(call.get("arguments")))
