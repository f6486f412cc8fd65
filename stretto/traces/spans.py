"""
Spans as exporters write them: OTLP's JSON, and dumps with attributes as they are.

Both come out with the attributes of the OpenTelemetry GenAI semantic conventions.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path

from stretto.canonical import Json
from stretto.traces.decode import Unreadable, decode
from stretto.traces.head import Head
from stretto.traces.ledger import Ledger
from stretto.traces.record import first_object, first_text, label, mapping, objects
from stretto.traces.stream import Record, fields, records

_HOLDERS = frozenset({"resourceSpans", "spans"})
_NO_SPANS = "holds no `resourceSpans`"


@dataclass(frozen=True, slots=True)
class Span:
    """One operation of an agent."""

    trace: str
    id: str
    name: str
    start: int
    """In nanoseconds of Unix time; 0 where it is not known."""
    end: int
    attributes: Mapping[str, Json]
    error: str | None
    """What went wrong, which may be left unsaid; None where nothing did."""


def is_spans(head: Head) -> bool:
    """Whether a file that begins so holds spans."""
    return _is_document(head) or _is_export(first_object(head.value))


def read_spans(path: Path, ledger: Ledger) -> Iterator[Span]:
    """The spans of a file in its order. One that cannot be read is reported."""
    for record in _records(path, ledger):
        try:
            found = _found(record)
        except Unreadable as cause:
            report(record, str(cause), path, ledger)
            continue
        for raw in found:
            try:
                yield _otlp(raw) if "traceId" in raw else _dumped(raw)
            except Unreadable as cause:
                report(record, str(cause), path, ledger)
            except RecursionError:
                report(record, "has a span nested too deep", path, ledger)


def _is_document(head: Head) -> bool:
    value = mapping(head.value)
    return isinstance(value.get("resourceSpans"), list) or _is_span(
        first_object(value.get("spans"))
    )


def _is_span(value: dict[str, Json]) -> bool:
    """Whether a dump would hold it as a span."""
    return "attributes" in value and ("context" in value or "trace_id" in value)


def _records(path: Path, ledger: Ledger) -> Iterator[Record]:
    """The parts of a file that hold spans."""
    if not _is_document(Head.of(path)):
        yield from records(path, ledger)
        return
    for _, group in groupby(fields(path, ledger), lambda record: record.top):
        first = next(group)
        has_spans = False
        for record in chain([first], group):
            if record.key in _HOLDERS:
                has_spans = True
                yield record
        if not has_spans:
            report(first._replace(key=""), _NO_SPANS, path, ledger)


def _found(record: Record) -> list[dict[str, Json]]:
    """The spans in a part of a file, as they are."""
    value = mapping(record.value)
    match record.key:
        case "resourceSpans":
            return _resource(value)
        case "spans":
            return [value]
    if _is_span(value):
        return [value]
    if not _HOLDERS & value.keys():
        raise Unreadable(_NO_SPANS)
    resources = objects(value.get("resourceSpans"), "resourceSpans")
    spans = objects(value.get("spans"), "spans")
    return [span for resource in resources for span in _resource(resource)] + spans


def _resource(value: dict[str, Json]) -> list[dict[str, Json]]:
    return [
        span
        for scope in objects(value.get("scopeSpans"), "scopeSpans")
        for span in objects(scope.get("spans"), "spans")
    ]


def _otlp(raw: dict[str, Json]) -> Span:
    attributes, status = _attributes(raw.get("attributes")), mapping(raw.get("status"))
    return Span(
        _trace(raw.get("traceId")),
        label(raw.get("spanId")),
        first_text(raw.get("name")),
        _nanoseconds(raw.get("startTimeUnixNano")),
        _nanoseconds(raw.get("endTimeUnixNano")),
        attributes,
        _error(
            status.get("code") in (2, "STATUS_CODE_ERROR"),
            status.get("message"),
            attributes,
        ),
    )


def _attributes(values: Json) -> dict[str, Json]:
    pairs = map(mapping, values if isinstance(values, list) else [])
    return {first_text(pair.get("key")): _value(pair.get("value")) for pair in pairs}


def _value(value: Json) -> Json:
    match value:
        case {"stringValue": plain} | {"boolValue": plain} | {"doubleValue": plain}:
            return plain
        case {"bytesValue": plain}:
            return plain
        case {"intValue": whole}:
            return _integer(whole)
        case {"arrayValue": {"values": [*items]}}:
            return [_value(item) for item in items]
        case {"kvlistValue": {"values": pairs}}:
            return _attributes(pairs)
        case _:
            return None


def _integer(value: Json) -> Json:
    try:
        return int(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _dumped(raw: dict[str, Json]) -> Span:
    where, status = mapping(raw.get("context")) or raw, mapping(raw.get("status"))
    attributes = _conventional(mapping(raw.get("attributes")))
    return Span(
        _trace(where.get("trace_id")),
        label(where.get("span_id")),
        first_text(raw.get("name")),
        _nanoseconds(raw.get("start_time")),
        _nanoseconds(raw.get("end_time")),
        attributes,
        _error(
            first_text(status.get("status_code")).lower() == "error",
            status.get("description"),
            attributes,
        ),
    )


def _conventional(attributes: dict[str, Json]) -> dict[str, Json]:
    """Attributes by the names that the conventions have for them."""
    named = dict(attributes)
    output = named.pop("gen_ai.output", None)
    if named.get("gen_ai.operation.name") == "execute_tool":
        named.setdefault("gen_ai.tool.call.arguments", named.pop("gen_ai.tool.args", None))
        named.setdefault("gen_ai.tool.call.result", output)
    elif named.get("gen_ai.operation.name") == "call_llm":
        named["gen_ai.operation.name"] = "chat"
        named.setdefault("gen_ai.output.messages", [] if _asks(output) else [{"content": output}])
    return named


def _asks(output: Json) -> bool:
    """Whether what a model put out is the calls it asks for, and no text."""
    try:
        asked = decode(output, Ledger()) if isinstance(output, str) else output
    except Unreadable:
        return False
    return isinstance(asked, list) and all("tool.name" in mapping(a) for a in asked)


def _trace(id_: Json) -> str:
    if not (trace := label(id_)):
        raise Unreadable("has a span without a trace id")
    return trace


def _nanoseconds(time: Json) -> int:
    """A time as a number, as a number's text, or as a date; 0 for the rest."""
    ...
    

def _error(failed: bool, message: Json, attributes: Mapping[str, Json]) -> str | None:
    kind = attributes.get("error.type")
    return first_text(message, label(kind)) if failed or kind is not None else None
