"""
Spans as exporters write them: OTLP's JSON, and dumps with attributes as they are.

Both come out with the attributes of the OpenTelemetry GenAI semantic conventions.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby
from pathlib import Path

from stretto.canonical import Json
from stretto.traces.decode import Unreadable, decode
from stretto.traces.head import Head
from stretto.traces.ledger import Ledger
from stretto.traces.record import first_object, first_text, label, mapping, report
from stretto.traces.stream import Record, fields, records

_HOLDERS = frozenset({"resourceSpans", "spans"})
_NO_SPANS = "holds no `resourceSpans`"


@dataclass(frozen=True, slots=True)
class Span:
    """One operation of an agent."""

    trace: str
    """The trace's id, in hexadecimal digits."""
    id: str
    """The span's own id, in hexadecimal digits."""
    name: str
    start: int
    """In nanoseconds of Unix time; 0 where it is not known."""
    end: int
    attributes: Mapping[str, Json]
    error: str | None
    """What went wrong, which may be left unsaid; None where nothing did."""


def is_spans(head: Head) -> bool:
    """Whether a file that begins so holds spans."""
    first = first_object(head.value)
    return _is_document(head) or _is_span(first) or "resourceSpans" in first


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
    resources = _objects(value.get("resourceSpans"))
    spans = [span for resource in resources for span in _resource(resource)]
    return spans + _objects(value.get("spans"))


def _resource(value: dict[str, Json]) -> list[dict[str, Json]]:
    scopes = _objects(value.get("scopeSpans"))
    return [span for scope in scopes for span in _objects(scope.get("spans"))]


def _objects(value: Json) -> list[dict[str, Json]]:
    """An array's items; what is no object becomes an empty one, and so is reported."""
    return [mapping(item) for item in value] if isinstance(value, list) else []


def _otlp(raw: dict[str, Json]) -> Span:
    attributes, status = _attributes(raw.get("attributes")), mapping(raw.get("status"))
    return Span(
        _trace(label(raw.get("traceId"))),
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
    return {first_text(p.get("key")): _value(p.get("value")) for p in _objects(values)}


def _value(value: Json) -> Json:
    match value:
        case {"stringValue": plain} | {"boolValue": plain} | {"doubleValue": plain}:
            return plain
        case {"bytesValue": plain}:
            return plain
        case {"intValue": digits}:
            return _integer(digits)
        case {"arrayValue": array}:
            return [_value(item) for item in _objects(mapping(array).get("values"))]
        case {"kvlistValue": pairs}:
            return _attributes(mapping(pairs).get("values"))
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
        _trace(_hex(where.get("trace_id"), 32)),
        _hex(where.get("span_id"), 16),
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
        given = named.pop("gen_ai.tool.args", None)
        named.setdefault("gen_ai.tool.call.arguments", given)
        named.setdefault("gen_ai.tool.call.result", output)
    elif named.get("gen_ai.operation.name") == "call_llm":
        said: Json = [] if _asks(output) else [{"content": output}]
        named["gen_ai.operation.name"] = "chat"
        named.setdefault("gen_ai.output.messages", said)
    return named


def _asks(output: Json) -> bool:
    """Whether what a model put out is the calls it asks for, and no text."""
    try:
        asked = decode(output, Ledger()) if isinstance(output, str) else output
    except Unreadable:
        return False
    return isinstance(asked, list) and all("tool.name" in mapping(a) for a in asked)


def _trace(trace: str) -> str:
    if not trace:
        raise Unreadable("has a span without a trace id")
    return trace


def _hex(id: Json, digits: int) -> str:
    """An id as OpenTelemetry writes it, where a dump has it as a number."""
    if type(id) is int and id >= 0:
        return f"{id:0{digits}x}"
    return label(id).removeprefix("0x")


def _nanoseconds(time: Json) -> int:
    """A time as a number, a number's text, or a date; 0 for the rest."""
    match time:
        case bool():
            return 0
        case int():
            return time
        case float() if math.isfinite(time):
            return int(time)
        case str():
            return _written(time)
        case _:
            return 0


def _written(time: str) -> int:
    try:
        return int(time)
    except ValueError:
        pass
    try:
        return round(datetime.fromisoformat(time).timestamp() * 1e9)
    except (ValueError, OverflowError):
        return 0


def _error(failed: bool, message: Json, attributes: Mapping[str, Json]) -> str | None:
    kind = attributes.get("error.type")
    return first_text(message, label(kind)) if failed or kind is not None else None
