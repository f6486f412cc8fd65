"""
MedAgentBench: runs of an agent that writes `GET` and `POST` requests to a FHIR server.

A request is a call. Its tool is the method and the kind of record, `GET Patient`; its
arguments are the query's parameters, or the record that was posted.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from stretto.canonical import Json
from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.manifest import Kind, Manifest
from stretto.traces.calls import arguments as sorted_arguments
from stretto.traces.decode import Unreadable
from stretto.traces.head import Head
from stretto.traces.ledger import Ledger
from stretto.traces.reader import ReadOptions
from stretto.traces.record import (
    first_object,
    first_text,
    grade,
    label,
    mapping,
    objects,
    one_each,
    session_id,
    whole,
    words,
)
from stretto.traces.stream import Record

KINDS: Mapping[str, Kind] = {"GET": Kind.READ, "POST": Kind.WRITE}
"""By method; HTTP's own meaning of it."""

_FAILED = ("Error in sending the GET request", "Invalid POST request")
_BEFORE = "Here is the response from the GET request:\n"
_AFTER = (
    ". Please call FINISH if you have got answers for all the questions and finished "
    "all the requested tasks"
)
_ADDED = "_format=json"
"""What the benchmark adds to each query; the agent did not say it."""
_BASE = "fhir"
"""The path's segment that records stand behind."""


class MedAgentBench:
    """
    Runs of MedAgentBench. A request that only gets is of a tool that only reads, which
    the ledger's manifest says, and one that posts is of a tool that writes.
    """

    def sniff(self, head: Head) -> bool:
        """Whether it begins with a run."""
        run = first_object(head.value)
        return all(key in run for key in ("task_id", "eval_mrn", "instruction"))

    def read(
        self,
        paths: Sequence[Path],
        options: ReadOptions,  # noqa: ARG002
        ledger: Ledger,
    ) -> Iterator[Episode]:
        """One episode per run; runs that the benchmark itself failed are counted."""
        return one_each(paths, ledger, _episode)


READER = MedAgentBench()


def _episode(path: Path, ledger: Ledger, record: Record) -> Episode | None:
    run = record.value
    if not isinstance(run, dict):
        raise Unreadable("is not an object")
    if "turns" not in run:
        raise Unreadable("has no `turns`")
    if run.get("infra_fail") is True:
        ledger.count("crashed")
        return None
    asked = [words(run.get(field)) for field in ("context", "instruction")]
    events: list[Event] = [UserMessage("\n".join(filter(None, asked)))]
    for turn in objects(run["turns"], "turns"):
        events += _turn(turn, f"{len(events)}")
    _note_tools(events, ledger)
    about = mapping(run.get("diagnostics"))
    return Episode(
        session_id(record, path),
        tuple(events),
        task=label(run.get("task_id")),
        trial=max(whole(run.get("attempt")) - 1, 0),
        domain=first_text(about.get("benchmark")),
        agent=_agent(mapping(about.get("provenance")).get("model")),
        reward=grade(run.get("correct")) or 0.0,
    )


def _agent(model: Json) -> str:
    """The model, where one was named: `(agent default)` names none."""
    name = first_text(model)
    return "unknown" if not name or name.startswith("(") else name


def _turn(turn: dict[str, Json], id: str) -> Iterator[Event]:
    """What one round came to: a call and its result, or a message."""
    match turn.get("action_kind"):
        case "get" | "post" as kind:
            call = _call(turn, kind.upper(), id)
            yield AssistantTurn(None, (call,))
            if isinstance(seen := turn.get("observation"), str):
                yield ToolResult(call.id, call.tool, *_result(seen))
        case "finish" | "invalid":
            yield AssistantTurn(words(turn.get("agent_reply")))
        case other:
            raise Unreadable(f"has a turn of the kind {label(other)!r}")


def _call(turn: dict[str, Json], method: str, id: str) -> ToolCall:
    url = _url(turn.get("url"))
    kind, *record = _record(url.path)
    given = _query(url.query) if method == "GET" else mapping(turn.get("payload"))
    if record:
        given = {**given, "id": "/".join(record)}
    tool = f"{method} {kind}/{{id}}" if record else f"{method} {kind}"
    return ToolCall(id, tool, sorted_arguments(given))


def _url(url: Json) -> SplitResult:
    try:
        return urlsplit(words(url))
    except ValueError as cause:
        raise Unreadable(f"has a turn whose URL cannot be read: {cause}") from cause


def _record(path: str) -> list[str]:
    """The kind of record that a path leads to, and behind it which one."""
    parts = [unquote(part) for part in path.split("/") if part]
    if _BASE in parts:
        parts = parts[parts.index(_BASE) + 1 :]
    if not parts:
        raise Unreadable("has a turn whose URL leads to no record")
    return parts


def _query(query: str) -> dict[str, Json]:
    """
    A query's parameters, as the agent wrote them: a `+` is a plus. One that is given
    several times is a list.
    """
    found: dict[str, list[Json]] = {}
    for pair in query.removesuffix(_ADDED).split("&"):
        name, _, value = pair.partition("=")
        if name:
            found.setdefault(unquote(name), []).append(unquote(value))
    return {n: of[0] if len(of) == 1 else [*of] for n, of in found.items()}


def _result(seen: str) -> tuple[bool, str]:
    """Whether a request failed, and what it returned, without the benchmark's words."""
    if seen.startswith(_FAILED):
        return True, seen
    return False, seen.removeprefix(_BEFORE).removesuffix(_AFTER)


def _note_tools(events: Sequence[Event], ledger: Ledger) -> None:
    known = ledger.manifest.tools
    called = [e.tool for e in events if isinstance(e, ToolResult)]
    if new := {t: KINDS[t.partition(" ")[0]] for t in called if t not in known}:
        ledger.manifest = ledger.manifest.merged(Manifest("", new))
