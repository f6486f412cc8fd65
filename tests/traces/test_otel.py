import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from stretto.traces.head import Head
from stretto.traces.otel import CONVENTIONS, READER
from stretto.traces.reader import Ledger, ReadOptions, read
from tests.conftest import shared


def value(of: Any) -> dict[str, Any]:
    """An attribute's value as OTLP's JSON has it."""
    match of:
        case bool():
            return {"boolValue": of}
        case int():
            return {"intValue": str(of)}
        case float():
            return {"doubleValue": of}
        case str():
            return {"stringValue": of}
        case list():
            return {"arrayValue": {"values": [value(item) for item in of]}}
        case _:
            return {"kvlistValue": {"values": attributes(of)}}


def attributes(of: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(item)} for key, item in of.items()]


def span(
    name: str, start: int, end: int, *, trace: str = "t1", id: str = "", **told: Any
) -> dict[str, Any]:
    """A span; a keyword's `__` is an attribute's dot."""
    named = {f"gen_ai.{key.replace('__', '.')}": item for key, item in told.items()}
    return {
        "traceId": trace,
        "spanId": id or f"{name}@{start}",
        "name": name,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": end,
        "attributes": attributes(named),
    }


def chat(start: int, end: int, *, said: str = "", heard: Any = None, **told: Any):
    """An inference."""
    told = {"operation__name": "chat", "request__model": "m"} | told
    if heard is not None:
        told["input__messages"] = heard
    if said:
        parts = [{"type": "text", "content": said}]
        told["output__messages"] = json.dumps([{"role": "assistant", "parts": parts}])
    return span("chat m", start, end, **told)


def tool(start: int, end: int, *, name: str = "get", **told: Any):
    """The execution of a tool."""
    told = {"operation__name": "execute_tool", "tool__name": name} | told
    return span(f"execute_tool {name}", start, end, **told)


def users(*texts: str) -> str:
    """A conversation up to here: what the user said, each time with a reply."""
    messages = []
    for text in texts:
        parts = [{"type": "text", "content": text}]
        messages.append({"role": "user", "parts": parts})
        messages.append(
            {"role": "assistant", "parts": [{"type": "text", "content": "ok"}]}
        )
    return json.dumps(messages)


def export(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def take(folder: Path, *requests: Any) -> tuple[list[Episode], Ledger]:
    """The episodes of export requests, one a line."""
    path = folder / "spans.jsonl"
    path.write_text("".join(json.dumps(request) + "\n" for request in requests))
    assert READER.sniff(Head.of(path))
    ledger = Ledger()
    return list(READER.read([path], ReadOptions(), ledger)), ledger


def events(folder: Path, *spans: dict[str, Any]) -> tuple[Event, ...]:
    [episode], ledger = take(folder, export(*spans))
    assert ledger.problems == []
    return episode.events


def shape(folder: Path, *spans: dict[str, Any]) -> list[list[str]]:
    """The calls of each turn, by the tools' names."""
    [episode], _ = take(folder, export(*spans))
    return [[call.tool for call in turn.calls] for turn in episode.turns]


def test_a_trace_is_an_episode_of_turns(tmp_path):
    spans = [
        chat(
            0,
            9,
            heard=users("Where is W1?"),
            usage__input_tokens=12,
            usage__output_tokens=3,
        ),
        tool(
            10,
            20,
            tool__call__id="c1",
            tool__call__arguments='{"order": "W1"}',
            tool__call__result="shipped",
        ),
        chat(21, 30, said="On its way.", heard=users("Where is W1?")),
        span("invoke_agent", 0, 40, operation__name="invoke_agent"),
    ]

    [episode], ledger = take(tmp_path, export(*spans))

    assert (episode.id, episode.domain, episode.agent) == ("t1", "otel", "m")
    assert (episode.task, episode.reward) == ("", None)
    assert episode.events == (
        UserMessage("Where is W1?"),
        AssistantTurn(None, (ToolCall("c1", "get", {"order": "W1"}),), Usage(12, 3)),
        ToolResult("c1", "get", False, "shipped"),
        AssistantTurn("On its way."),
    )
    assert ledger.conventions == CONVENTIONS


def test_traces_come_in_the_order_of_their_first_spans(tmp_path):
    spans = [
        chat(50, 60, trace="late"),
        chat(70, 80, trace="early"),
        chat(5, 6, trace="early"),
    ]

    episodes, _ = take(tmp_path, export(spans[0]), export(*spans[1:]))

    assert [(e.id, len(e.turns)) for e in episodes] == [("early", 2), ("late", 1)]


def test_spans_are_taken_by_their_start_and_then_their_end(tmp_path):
    spans = [
        tool(5, 9, name="c"),
        tool(5, 7, name="b"),
        tool(3, 20, name="a"),
        chat(0, 2),
    ]

    assert shape(tmp_path, *spans) == [["a", "b", "c"]]


def test_results_come_in_the_order_in_which_the_tools_ended(tmp_path):
    spans = [
        chat(0, 2),
        tool(3, 20, name="a", tool__call__result="1"),
        tool(5, 9, name="b", tool__call__result="2"),
    ]

    assert [e.content for e in events(tmp_path, *spans)[1:]] == ["2", "1"]


def test_tools_without_an_inference_are_of_one_turn_while_they_overlap(tmp_path):
    spans = [
        tool(0, 10, name="a"),
        tool(2, 3, name="b"),
        tool(9, 12, name="c"),
        tool(12, 14, name="d"),
    ]

    assert shape(tmp_path, *spans) == [["a", "b", "c"], ["d"]]


def test_tools_after_an_inference_are_of_its_turn_however_late(tmp_path):
    assert shape(
        tmp_path, tool(0, 9), chat(10, 11), tool(900, 901), tool(950, 960)
    ) == [
        ["get"],
        ["get", "get"],
    ]


@pytest.mark.parametrize("operation", ["chat", "generate_content", "text_completion"])
def test_three_operations_are_inferences(operation, tmp_path):
    assert shape(tmp_path, chat(0, 1, operation__name=operation)) == [[]]


@pytest.mark.parametrize("operation", ["embeddings", "create_agent", 3, ["chat"]])
def test_other_operations_are_no_part_of_the_episode(operation, tmp_path):
    assert events(tmp_path, chat(0, 1, operation__name=operation)) == ()


def test_of_what_the_user_said_only_the_new_is_told(tmp_path):
    spans = [
        chat(0, 1, heard=users("a")),
        chat(2, 3, heard=users("a", "b", "a")),
        chat(4, 5, heard=users("a")),
        chat(6, 7, heard=users("a", "b", "a", "c")),
    ]

    assert [getattr(event, "text", None) for event in events(tmp_path, *spans)] == [
        *("a", None, "b", "a", None, None, "c", None)
    ]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([{"role": "user", "content": "plain"}], ["plain"]),
        ([{"role": "user", "content": [{"type": "text", "text": "block"}]}], ["block"]),
        (
            [
                {
                    "role": "user",
                    "parts": [
                        {"type": "text", "content": "a"},
                        {"type": "blob", "content": "x"},
                        {"type": "text", "content": "b"},
                    ],
                }
            ],
            ["a\nb"],
        ),
        ([{"role": "user", "parts": [{"type": "tool_call_response"}]}], []),
        ([{"role": "system", "content": "be kind"}], []),
        ({"role": "user", "content": "alone"}, ["alone"]),
        ("not json", []),
        (3, []),
    ],
)
@pytest.mark.parametrize("as_text", [True, False])
def test_messages_may_be_json_text_or_a_structure(
    messages, expected, as_text, tmp_path
):
    if as_text and not isinstance(messages, str):
        messages = json.dumps(messages)

    found = events(tmp_path, chat(0, 1, heard=messages))

    assert [e.text for e in found if isinstance(e, UserMessage)] == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, None),
        ({"usage__input_tokens": 5}, Usage(5, 0)),
        ({"usage__output_tokens": 7}, Usage(0, 7)),
        ({"usage__input_tokens": "many"}, Usage(0, 0)),
    ],
)
def test_usage_is_missing_only_where_neither_side_was_counted(told, expected, tmp_path):
    [turn] = events(tmp_path, chat(0, 1, **told))

    assert turn.usage == expected


def test_a_call_without_an_id_goes_by_its_spans(tmp_path):
    turn, result = events(tmp_path, tool(0, 1, id="abcd"))

    assert turn.calls[0].id == result.call_id == "abcd"


def test_a_call_id_used_again_is_told_apart(tmp_path):
    spans = [chat(0, 1), tool(2, 3, tool__call__id="c"), tool(4, 5, tool__call__id="c")]

    turn, *results = events(tmp_path, *spans)

    assert (
        [call.id for call in turn.calls] == [r.call_id for r in results] == ["c", "c#2"]
    )


def test_a_tool_without_a_name_goes_by_its_spans(tmp_path):
    spans = [span("execute_tool find", 0, 1, operation__name="execute_tool")]

    assert shape(tmp_path, *spans) == [["find"]]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ('{"b": 1, "a": [2]}', {"a": [2], "b": 1}),
        ({"b": 1, "a": [2]}, {"a": [2], "b": 1}),
        ("not json", "not json"),
        (5, 5),
    ],
)
def test_arguments_may_be_json_text_or_a_structure(told, expected, tmp_path):
    turn, _ = events(tmp_path, tool(0, 1, tool__call__arguments=told))

    assert turn.calls[0].arguments == expected


def test_what_was_captured_of_the_calls_is_counted(tmp_path):
    spans = [
        tool(0, 1),
        tool(2, 3, tool__call__arguments="{}"),
        tool(4, 5, tool__call__arguments="{}", tool__call__result=""),
    ]

    [episode], ledger = take(tmp_path, export(*spans))

    assert [turn.calls[0].arguments for turn in episode.turns] == [None, {}, {}]
    assert ledger.counts["calls"] == 3
    assert ledger.counts["calls with arguments"] == 2
    assert ledger.counts["calls with results"] == 1


@pytest.mark.parametrize(
    ("status", "told", "expected"),
    [
        ({}, {"tool__call__result": {"b": 1, "a": 2}}, (False, '{"a":2,"b":1}')),
        ({}, {}, (False, "")),
        ({"code": 1}, {"tool__call__result": "fine"}, (False, "fine")),
        ({"code": 2, "message": "timed out"}, {}, (True, "timed out")),
        ({"code": "STATUS_CODE_ERROR"}, {}, (True, "")),
        ({"code": 2, "message": "no"}, {"tool__call__result": "x"}, (True, "x")),
    ],
)
def test_a_result_is_what_was_captured_or_else_the_error(
    status, told, expected, tmp_path
):
    _, result = events(tmp_path, tool(0, 1, **told) | {"status": status})

    assert (result.error, result.content) == expected


@pytest.mark.parametrize(("message", "expected"), [("", "E1"), ("no", "no")])
def test_an_error_type_makes_a_failure(message, expected, tmp_path):
    failed = tool(0, 1) | {"status": {"message": message}}
    failed["attributes"] += attributes({"error.type": "E1"})

    _, result = events(tmp_path, failed)

    assert (result.error, result.content) == (True, expected)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"response__model": "m-2030"}, "m-2030"),
        ({}, "m"),
        ({"request__model": 3}, "unknown"),
    ],
)
def test_the_agent_is_the_model_that_answered_first(told, expected, tmp_path):
    spans = [tool(0, 1), chat(2, 3, **told), chat(4, 5, response__model="other")]

    [episode], _ = take(tmp_path, export(*spans))

    assert episode.agent == expected


def test_attribute_values_of_every_type_are_read(tmp_path):
    given = [
        {"key": "int", "value": {"intValue": "12"}},
        {"key": "number", "value": {"intValue": 12}},
        {"key": "odd", "value": {"intValue": "a dozen"}},
        {"key": "double", "value": {"doubleValue": 1.5}},
        {"key": "bool", "value": {"boolValue": False}},
        {"key": "bytes", "value": {"bytesValue": "AQI="}},
        {
            "key": "array",
            "value": {"arrayValue": {"values": [{"stringValue": "a"}, {}]}},
        },
        {"key": "empty", "value": {"arrayValue": {}}},
        {"key": "map", "value": {"kvlistValue": {"values": [{"key": "k"}]}}},
        {"key": "none", "value": {}},
        {"key": "other", "value": {"newValue": 1}},
    ]
    made = tool(0, 1)
    value = {"kvlistValue": {"values": given}}
    made["attributes"].append({"key": "gen_ai.tool.call.arguments", "value": value})

    turn, _ = events(tmp_path, made)

    assert turn.calls[0].arguments == {
        "array": ["a", None],
        "bool": False,
        "bytes": "AQI=",
        "double": 1.5,
        "empty": [],
        "int": 12,
        "map": {"k": None},
        "none": None,
        "number": 12,
        "odd": "a dozen",
        "other": None,
    }


def test_a_bad_time_counts_as_the_beginning(tmp_path):
    spans = [tool(5, 6, name="b"), tool(7, 8, name="a") | {"startTimeUnixNano": "soon"}]

    assert shape(tmp_path, *spans) == [["a", "b"]]


def test_a_request_without_spans_is_reported_and_the_others_read(tmp_path):
    episodes, ledger = take(tmp_path, export(chat(0, 1)), {"resource": []}, {"logs": 1})

    assert len(episodes) == 1
    [problem] = ledger.problems
    assert (problem.line, problem.cause) == (3, "holds no `resourceSpans`")


@pytest.mark.parametrize("bad", [{"traceId": ""}, {"name": "x"}, 3, None])
def test_a_span_without_a_trace_is_reported_and_the_others_read(bad, tmp_path):
    episodes, ledger = take(tmp_path, export(chat(0, 1), bad))

    assert len(episodes) == 1
    [problem] = ledger.problems
    assert problem.cause == "resourceSpans[0]: has a span without a trace id"


def test_a_list_of_requests_is_read_as_well(tmp_path):
    path = tmp_path / "spans.json"
    path.write_text(json.dumps([export(chat(0, 1)), export(chat(2, 3)), {"x": 1}]))
    ledger = Ledger()

    [episode] = read([path], ledger=ledger)

    assert len(episode.turns) == 2
    [problem] = ledger.problems
    assert problem.cause == "[2]: holds no `resourceSpans`"


def test_a_line_cut_short_is_reported_and_the_others_read(tmp_path):
    path = tmp_path / "spans.jsonl"
    whole = json.dumps(export(chat(0, 1)))
    path.write_text(f"{whole}\n{whole[:200]}\n{whole}\n")
    ledger = Ledger()

    [episode] = read([path], ledger=ledger)

    assert len(episode.turns) == 2
    assert ledger.counts["problems"] > 0


def dumped(name: str, start: int, **told: Any) -> dict[str, Any]:
    """A span as a dump has it."""
    named = {f"gen_ai.{key.replace('__', '.')}": item for key, item in told.items()}
    return {
        "name": name,
        "start_time": start,
        "end_time": start + 1,
        "status": {"status_code": "ok", "description": None},
        "context": {"trace_id": 2**127 + 1, "span_id": 2**63 + start},
        "attributes": named,
    }


def dump(folder: Path, *spans: dict[str, Any]) -> tuple[Event, ...]:
    path = folder / "dump.json"
    path.write_text(json.dumps({"spans": list(spans), "final_output": "x"}))
    [episode] = read([path])
    assert episode.id == "80000000000000000000000000000001"
    return episode.events


def test_a_dump_with_plain_attributes_is_read_by_the_same_rules(tmp_path):
    spans = [
        dumped(
            "call_llm m",
            0,
            operation__name="call_llm",
            request__model="m",
            input__messages='[{"role": "user", "content": "What year is it?"}]',
            output='[{"tool.name": "clock", "tool.args": "{}"}]',
            usage__input_tokens=3,
            usage__output_tokens=2,
            usage__input_cost=0.25,
            usage__output_cost=0.5,
        ),
        dumped(
            "execute_tool clock",
            2,
            operation__name="execute_tool",
            tool__name="clock",
            tool__args='{"zone": "UTC"}',
            output="2030",
        ),
        dumped("call_llm m", 4, operation__name="call_llm", output="It is 2030."),
    ]

    assert dump(tmp_path, *spans) == (
        UserMessage("What year is it?"),
        AssistantTurn(
            None,
            (ToolCall("8000000000000002", "clock", {"zone": "UTC"}),),
            Usage(3, 2, 0.75),
        ),
        ToolResult("8000000000000002", "clock", False, "2030"),
        AssistantTurn("It is 2030."),
    )


def test_a_dumped_span_says_that_it_failed(tmp_path):
    failed = dumped("execute_tool clock", 2, operation__name="execute_tool")
    failed["status"] = {"status_code": "ERROR", "description": "no clock"}

    _, result = dump(tmp_path, failed)

    assert (result.error, result.content) == (True, "no clock")


@pytest.mark.parametrize("output", ['["a", "b"]', "[1", '{"tool.name": "x"}'])
def test_json_that_is_no_list_of_calls_is_what_was_said(output, tmp_path):
    [turn] = dump(tmp_path, dumped("m", 0, operation__name="call_llm", output=output))

    assert turn.text == output


def test_spans_one_a_line_with_dates_and_hexadecimal_ids_are_read(tmp_path):
    path = tmp_path / "spans.jsonl"
    times = ["2030-01-02T03:04:05.250000Z", "2030-01-02T03:04:05.000001Z"]
    lines = [
        dumped("execute_tool x", 0, operation__name="execute_tool", tool__name=name)
        | {"start_time": time, "end_time": time}
        | {"context": {"trace_id": "0xab", "span_id": f"0x{name}"}}
        for name, time in zip("ba", times, strict=True)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    [episode] = read([path])

    assert episode.id == "ab"
    assert [turn.calls[0].id for turn in episode.turns] == ["a", "b"]


@pytest.mark.parametrize(
    ("framework", "n_turns", "tools"),
    [
        ("AGNO", 3, ["get_current_time", "write_file"]),
        ("LANGCHAIN", 4, ["get_current_time", "write_file"]),
        ("OPENAI", 3, ["get_current_time", "write_file"]),
        ("SMOLAGENTS", 3, ["get_current_time", "write_file", "final_answer"]),
    ],
)
def test_a_published_dump_is_the_session_that_its_file_tells(framework, n_turns, tools):
    path = shared(f"sessions/otel-genai-any-agent/{framework}_trace.json")
    ledger = Ledger()

    [episode] = read([path], ledger=ledger)

    assert episode.agent == "mistral/mistral-small-latest"
    assert len(episode.turns) == n_turns
    calls = [call for turn in episode.turns for call in turn.calls]
    assert [call.tool for call in calls] == tools
    assert calls[0].arguments == {"timezone": "America/New_York"}
    assert calls[1].arguments == {"text": "2025"}
    assert [len(turn.calls) for turn in episode.turns][: len(tools)] == [1] * len(tools)
    assert len([e for e in episode.events if isinstance(e, UserMessage)]) == 1
    for name in ("calls", "calls with arguments", "calls with results"):
        assert ledger.counts[name] == len(tools)
    assert ledger.problems == []


JSON = st.recursive(
    st.sampled_from([None, True, 3, 1e400, "x", "", "chat", "execute_tool", "t1"]),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("scopeSpans", "spans", "traceId", "attributes", "key", "value"),
                    *("stringValue", "arrayValue", "values", "status", "context"),
                    *("gen_ai.operation.name", "gen_ai.output", "trace_id", "name"),
                ]
            ),
            children,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@given(st.sampled_from(["resourceSpans", "spans"]), JSON)
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_export_whatever_makes_reading_fail(tmp_path, key, body):
    path = tmp_path / "spans.json"
    written = json.dumps({key: [body, export(chat(0, 1))["resourceSpans"][0]]})
    path.write_text(written.replace("Infinity", "1e999"))

    for episode in READER.read([path], ReadOptions(), Ledger()):
        assert episode.id


def test_an_attribute_nested_too_deep_is_reported(tmp_path):
    deep = '{"arrayValue":{"values":[' * 60_000
    made = json.dumps(export(chat(0, 1)))
    path = tmp_path / "spans.jsonl"
    bad = made.replace(
        '"attributes": [', '"attributes": [{"key": "x", "value": ' + deep
    )
    path.write_text(f"{made}\n{bad}\n{made}\n")
    ledger = Ledger()

    [episode] = READER.read([path], ReadOptions(), ledger)

    assert len(episode.turns) == 2
    assert ledger.problems != []
