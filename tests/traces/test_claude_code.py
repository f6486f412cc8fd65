import json
from collections.abc import Iterable
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
from stretto.traces.claude_code import READER
from stretto.traces.head import Head
from stretto.traces.reader import Ledger, ReadOptions, read

Line = dict[str, Any]


def line(kind: str, uuid: str, parent: str | None, **told: Any) -> Line:
    """A line of a transcript, with what every line says of its surroundings."""
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ada/secret-project",
        "gitBranch": "secret-branch",
        "sessionId": "s1",
        "version": "2.0.49",
        "type": kind,
        "uuid": uuid,
        "timestamp": "2030-01-02T03:04:05.678Z",
    } | told


def user(uuid: str, parent: str | None, content: Any, **told: Any) -> Line:
    return line(
        "user", uuid, parent, message={"role": "user", "content": content}, **told
    )


def agent(uuid: str, parent: str | None, id: str, *content: Line, **told: Any) -> Line:
    """A part of an assistant message."""
    message = {"id": id, "role": "assistant", "model": "model-1", "content": content}
    return line("assistant", uuid, parent, message=message | told)


def text(of: str) -> Line:
    return {"type": "text", "text": of}


def use(id: str, name: str = "mcp__shop__get_order", **given: Any) -> Line:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def returned(id: str, content: Any = "fine", **told: Any) -> Line:
    return {"type": "tool_result", "tool_use_id": id, "content": content} | told


def take(folder: Path, *lines: Line) -> tuple[list[Episode], Ledger]:
    path = folder / "s1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ledger = Ledger()
    return list(READER.read([path], ReadOptions(), ledger)), ledger


def events(folder: Path, *lines: Line) -> tuple[Event, ...]:
    [episode], ledger = take(folder, *lines)
    assert ledger.problems == []
    return episode.events


def shape(events: Iterable[Event]) -> list[str]:
    """Each event in a word: what was said, called or returned."""
    shown = []
    for event in events:
        match event:
            case UserMessage(said):
                shown.append(f"user: {said}")
            case AssistantTurn(said, calls):
                shown.append(f"agent: {said or ''}{[call.id for call in calls]}")
            case ToolResult(id):
                shown.append(f"result: {id}")
    return shown


SESSION = [
    line("file-history-snapshot", "h", None, snapshot={}),
    user("u1", None, "Where is W1?"),
    agent("a1", "u1", "m1", {"type": "thinking", "thinking": "Hm."}),
    agent("a2", "a1", "m1", text("Let me look."), usage={"input_tokens": 1}),
    agent(
        *("a3", "a2", "m1", use("t1", order_id="W1")),
        usage={
            "input_tokens": 10,
            "cache_creation_input_tokens": 200,
            "cache_read_input_tokens": 3000,
            "output_tokens": 45,
        },
    ),
    user("u2", "a3", [returned("t1", [text("on its"), text("way")])]),
    agent("a4", "u2", "m2", text("On its way."), model="model-2"),
]


def test_a_session_is_an_episode_that_nobody_graded(tmp_path):
    [episode], ledger = take(tmp_path, *SESSION)

    assert (episode.id, episode.task, episode.domain) == ("s1", "", "")
    assert (episode.agent, episode.reward) == ("model-2", None)
    assert episode.events == (
        UserMessage("Where is W1?"),
        AssistantTurn(
            "Let me look.",
            (ToolCall("t1", "get_order", {"order_id": "W1"}),),
            Usage(3210, 45),
        ),
        ToolResult("t1", "get_order", False, "on its\nway"),
        AssistantTurn("On its way."),
    )
    assert ledger.problems == []


def test_where_the_user_worked_is_never_copied(tmp_path):
    [episode], ledger = take(tmp_path, *SESSION, user("u", "a4", [returned("?")]))

    assert "secret" not in f"{episode} {ledger}"


@pytest.mark.parametrize(
    "kind",
    ["queue-operation", "agent-setting", "last-prompt", "summary", "system", "x", None],
)
def test_lines_of_other_types_are_skipped(kind, tmp_path):
    other = {"type": kind, "sessionId": "s1", "content": "x", "message": text("y")}

    assert events(tmp_path, other, *SESSION, other) == events(tmp_path, *SESSION)


def test_lines_of_other_types_may_still_lead_to_others(tmp_path):
    lines = [
        user("u1", None, "hi"),
        line("attachment", "x", "u1", attachment={}),
        line("system", "y", "x", content="hook"),
        agent("a1", "y", "m1", text("hello")),
    ]

    assert shape(events(tmp_path, *lines)) == ["user: hi", "agent: hello[]"]


def test_a_sessions_lines_are_those_with_its_id(tmp_path):
    other = [
        user("v1", None, "other", sessionId="s2"),
        agent("b1", "v1", "m9", text("yes")) | {"sessionId": "s2"},
    ]

    episodes, _ = take(tmp_path, *SESSION[:3], *other, *SESSION[3:])

    assert [episode.id for episode in episodes] == ["s1", "s2"]
    assert shape(episodes[1].events) == ["user: other", "agent: yes[]"]
    assert episodes[0].events == events(tmp_path, *SESSION)


def test_a_resumed_session_counts_its_earlier_lines_once(tmp_path):
    again = [*SESSION, *SESSION, user("u3", "a4", "Thanks.")]

    [episode], ledger = take(tmp_path, *again)

    assert shape(episode.events)[-2:] == ["agent: On its way.[]", "user: Thanks."]
    assert len(episode.turns) == 2
    assert ledger.counts["repeated lines"] == len(SESSION)


def test_lines_repeated_in_another_file_count_once_too(tmp_path):
    for name, lines in {
        "a": SESSION,
        "b": [*SESSION, user("u3", "a4", "Thanks.")],
    }.items():
        text_ = "".join(json.dumps(each | {"sessionId": name}) + "\n" for each in lines)
        (tmp_path / f"{name}.jsonl").write_text(text_)

    first, second = read([tmp_path])

    assert (first.id, len(first.turns)) == ("a", 2)
    assert (second.id, shape(second.events)) == ("b", ["user: Thanks."])


def test_only_the_branch_that_ends_in_the_last_line_is_followed(tmp_path):
    lines = [
        user("u1", None, "hi"),
        agent("a1", "u1", "m1", text("hello")),
        user("u2", "a1", "Cancel W1"),
        agent("a2", "u2", "m2", use("t1")),
        user("u3", "a2", [returned("t1")]),
        user("u4", "a1", "Cancel W2"),
        agent("a3", "u4", "m3", text("Done.")),
    ]

    assert shape(events(tmp_path, *lines)) == [
        *("user: hi", "agent: hello[]", "user: Cancel W2", "agent: Done.[]")
    ]


def test_parallel_calls_are_one_turn_although_their_lines_fork(tmp_path):
    lines = [
        user("u1", None, "Compare W1 and W2"),
        agent("a1", "u1", "m1", use("t1")),
        agent("a2", "a1", "m1", use("t2")),
        user("u2", "a1", [returned("t1")]),
        user("u3", "a2", [returned("t2")]),
        agent("a3", "u3", "m2", text("Same.")),
    ]

    assert shape(events(tmp_path, *lines)) == [
        "user: Compare W1 and W2",
        "agent: ['t1', 't2']",
        "result: t1",
        "result: t2",
        "agent: Same.[]",
    ]


def test_a_call_off_the_way_belongs_to_its_message_all_the_same(tmp_path):
    lines = [
        user("u1", None, "Compare W1 and W2"),
        agent("a1", "u1", "m1", use("t1")),
        user("u2", "a1", [returned("t1")]),
        agent("a2", "a1", "m1", use("t2")),
        user("u3", "a2", [returned("t2")]),
        agent("a3", "u2", "m2", text("Same.")),
    ]

    assert shape(events(tmp_path, *lines))[1:] == [
        *("agent: ['t1', 't2']", "result: t1", "result: t2", "agent: Same.[]")
    ]


def test_several_calls_of_one_line_may_be_answered_in_one(tmp_path):
    lines = [
        agent("a1", None, "m1", use("t1"), use("t2")),
        user("u1", "a1", [returned("t2", "b"), returned("t1", "a", is_error=True)]),
    ]

    turn, second, first = events(tmp_path, *lines)

    assert [call.id for call in turn.calls] == ["t1", "t2"]
    assert (second.call_id, second.error, second.content) == ("t2", False, "b")
    assert (first.call_id, first.error, first.content) == ("t1", True, "a")


def test_messages_without_an_id_are_turns_of_their_own(tmp_path):
    lines = [
        agent("a1", None, "", text("one")),
        agent("a2", "a1", "", text("two")),
    ]

    assert shape(events(tmp_path, *lines)) == ["agent: one[]", "agent: two[]"]


def test_a_line_whose_parent_is_missing_follows_the_one_before_it(tmp_path):
    lines = [
        user("u1", None, "hi"),
        agent("a1", "gone", "m1", text("hello")),
        {k: v for k, v in user("u2", "", "bye").items() if k != "parentUuid"},
    ]

    assert shape(events(tmp_path, *lines)) == [
        "user: hi",
        "agent: hello[]",
        "user: bye",
    ]


def test_lines_that_lead_in_a_circle_are_read_once(tmp_path):
    lines = [user("u1", "a1", "hi"), agent("a1", "u1", "m1", text("hello"))]

    assert shape(events(tmp_path, *lines)) == ["user: hi", "agent: hello[]"]


def test_a_compacted_session_goes_on_from_what_was_compacted(tmp_path):
    lines = [
        *SESSION,
        line("system", "c", None, subtype="compact_boundary", logicalParentUuid="a4"),
        user("u5", "c", "The conversation so far: …", isCompactSummary=True),
        agent("a5", "u5", "m5", text("Anything else?")),
    ]

    assert shape(events(tmp_path, *lines)) == [
        *shape(events(tmp_path, *SESSION)),
        "agent: Anything else?[]",
    ]


def test_sub_agents_are_sessions_of_their_own(tmp_path):
    side = {"isSidechain": True}
    lines = [
        user("u1", None, "Compare the shops"),
        agent("a1", "u1", "m1", use("t1", "Task")),
        user("x1", None, "Look at shop 1", **side),
        user("y1", None, "Look at shop 2", **side),
        agent("x2", "x1", "m2", text("It is fine.")) | side,
        agent("y2", "y1", "m3", use("t2")) | side,
        user("y3", "y2", [returned("t2")], **side),
        user("u2", "a1", [returned("t1")]),
    ]

    episodes, _ = take(tmp_path, *lines)

    assert {episode.id: shape(episode.events) for episode in episodes} == {
        "s1": ["user: Compare the shops", "agent: ['t1']", "result: t1"],
        "s1/x1": ["user: Look at shop 1", "agent: It is fine.[]"],
        "s1/y1": ["user: Look at shop 2", "agent: ['t2']", "result: t2"],
    }


def test_a_file_of_a_sub_agent_alone_is_its_session(tmp_path):
    lines = [
        user("x1", "u9", "Look", isSidechain=True),
        agent("x2", "x1", "m1", text("Seen.")) | {"isSidechain": True},
    ]

    [episode], _ = take(tmp_path, *lines)

    assert episode.id == "s1/x1"


@pytest.mark.parametrize(
    ("content", "told", "expected"),
    [
        ("hello", {}, ["user: hello"]),
        ([text("hello"), text("there")], {}, ["user: hello\nthere"]),
        ([{"type": "image", "source": {}}], {}, []),
        ("", {}, []),
        (None, {}, []),
        ("Caveat: a note", {"isMeta": True}, []),
        ("[Request interrupted by user]", {}, []),
        ([text("[Request interrupted by user for tool use]")], {}, []),
        ([text("[Request interrupted by user]"), text("Stop.")], {}, ["user: Stop."]),
    ],
)
def test_the_user_said_what_the_host_did_not_write(content, told, expected, tmp_path):
    found = events(tmp_path, *SESSION, user("u9", "a4", content, **told))

    assert shape(found)[4:] == expected


def test_what_the_host_wrote_in_the_models_name_is_no_turn(tmp_path):
    note = agent("a5", "a4", "m5", text("API Error"), model="<synthetic>")

    [episode], _ = take(tmp_path, *SESSION, note)

    assert len(episode.turns) == 2
    assert episode.agent == "model-2"


@pytest.mark.parametrize(
    ("content", "beside", "expected"),
    [
        ("text", {"toolUseResult": "beside"}, "text"),
        ([text("a"), {"type": "image"}, text("b")], {}, "a\nb"),
        ([{"type": "image"}], {"toolUseResult": "beside"}, ""),
        ("", {"toolUseResult": "beside"}, "beside"),
        ([], {"toolUseResult": {"b": 1, "a": 2}}, '{"a":2,"b":1}'),
        (None, {"toolUseResult": [text("a"), text("b")]}, "a\nb"),
        (
            "",
            {"mcpMeta": {"structuredContent": {"n": 1}}, "toolUseResult": "x"},
            '{"n":1}',
        ),
        ("", {"mcpMeta": {"structuredContent": None}}, ""),
        ("", {}, ""),
    ],
)
def test_what_is_repeated_beside_a_result_counts_where_it_is_empty(
    content, beside, expected, tmp_path
):
    lines = [*SESSION[:5], user("u2", "a3", [returned("t1", content)], **beside)]

    assert events(tmp_path, *lines)[-1].content == expected


def test_what_is_repeated_beside_several_results_is_nobodys(tmp_path):
    lines = [
        agent("a1", None, "m1", use("t1"), use("t2")),
        user("u1", "a1", [returned("t1", ""), returned("t2", "")], toolUseResult="x"),
    ]

    assert [event.content for event in events(tmp_path, *lines)[1:]] == ["", ""]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["mcp__shop__get_order", "Bash"], ["get_order", "Bash"]),
        (["mcp__shop__get", "mcp__stock__get"], ["shop::get", "stock::get"]),
        (
            ["mcp__shop__get", "mcp__stock__get", "Read"],
            ["shop::get", "stock::get", "Read"],
        ),
        (["mcp__plugin__shop__get"], ["get"]),
        (["mcp__get"], ["get"]),
    ],
)
def test_a_tool_is_qualified_where_a_session_used_several_servers(
    names, expected, tmp_path
):
    uses = [use(f"t{n}", name) for n, name in enumerate(names)]

    [turn] = events(tmp_path, agent("a1", None, "m1", *uses))

    assert [call.tool for call in turn.calls] == expected


def test_a_server_used_in_an_abandoned_branch_is_not_used(tmp_path):
    lines = [
        user("u1", None, "hi"),
        agent("a1", "u1", "m1", use("t1", "mcp__stock__get")),
        agent("a2", "u1", "m2", use("t2", "mcp__shop__get")),
    ]

    [_, turn] = events(tmp_path, *lines)

    assert turn.calls[0].tool == "get"


def test_a_result_of_no_known_call_and_a_second_one_are_counted(tmp_path):
    lines = [*SESSION, user("u9", "a4", [returned("t1", "again"), returned("t9")])]

    [episode], ledger = take(tmp_path, *lines)

    assert episode.events == events(tmp_path, *SESSION)
    assert ledger.counts["stray results"] == 2


def test_a_call_that_was_never_answered_stays(tmp_path):
    [episode], ledger = take(tmp_path, *SESSION[:5])

    assert [call.id for call in episode.turns[0].calls] == ["t1"]
    assert ledger.counts["unanswered calls"] == 1


def test_a_call_id_used_again_is_told_apart(tmp_path):
    lines = [
        agent("a1", None, "m1", use("t")),
        user("u1", "a1", [returned("t", "a")]),
        agent("a2", "u1", "m2", use("t")),
        user("u2", "a2", [returned("t", "b")]),
    ]

    [episode], _ = take(tmp_path, *lines)

    assert {id: r.content for id, r in episode.results().items()} == {
        "t": "a",
        "t#2": "b",
    }


@pytest.mark.parametrize(
    ("block", "cause"),
    [
        ({"type": "tool_use", "id": "t9", "input": {}}, "has a call without a name"),
        (use("t9", a=json.loads("[" * 200 + "]" * 200)), "nested deeper than 128"),
    ],
)
def test_a_call_that_cannot_be_read_is_reported_with_its_line(block, cause, tmp_path):
    [episode], ledger = take(
        tmp_path, *SESSION, agent("a5", "a4", "m5", use("t5"), block)
    )

    assert [call.id for call in episode.turns[-1].calls] == ["t5"]
    [problem] = ledger.problems
    assert problem.line == 8
    assert cause in problem.cause


def test_a_line_that_is_no_object_is_reported_and_the_others_read(tmp_path):
    path = tmp_path / "s1.jsonl"
    rest = "".join(json.dumps(line) + "\n" for line in SESSION)
    path.write_text(f'3\n"x"\n{{"type": NaN}}\n{rest}{{"type": "us')
    ledger = Ledger()

    [episode] = READER.read([path], ReadOptions(), ledger)

    assert len(episode.turns) == 2
    assert {problem.line for problem in ledger.problems} == {1, 2, 3, 11}


def test_a_session_without_an_id_goes_by_its_file(tmp_path):
    [episode], _ = take(tmp_path, user("u1", None, "hi", sessionId=None))

    assert episode.id == "s1"


@pytest.mark.parametrize(
    "first",
    [
        SESSION[1],
        {"type": "queue-operation", "operation": "dequeue", "sessionId": "s1"},
        {"type": "summary", "summary": "Orders", "leafUuid": "a4"},
    ],
)
def test_a_transcript_is_known_by_how_it_begins(first, tmp_path):
    path = tmp_path / "s1.jsonl"
    path.write_text(f"{json.dumps(first)}\n{json.dumps(SESSION[1])}\n")

    assert READER.sniff(Head.of(path))
    assert len(list(read([path]))) == 1


@pytest.mark.parametrize(
    "other", ["[]", "x", '{"type":"user"}', '{"sessionId":"s"}', '{"messages":[]}']
)
def test_other_files_are_no_transcripts(other, tmp_path):
    path = tmp_path / "s1.jsonl"
    path.write_text(other)

    assert not READER.sniff(Head.of(path))


def test_rewards_are_given_by_session(tmp_path):
    take(tmp_path, *SESSION)

    [episode] = read([tmp_path], options=ReadOptions(rewards={"s1": 1.0}))

    assert episode.succeeded


JSON = st.recursive(
    st.sampled_from(
        [None, True, 3, 1e400, "x", "", "u1", "a1", "t1", "tool_use", "text"]
    ),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "id", "name", "input", "text", "content", "usage"]
            ),
            children,
            max_size=4,
        )
    ),
    max_leaves=8,
)
LINES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["user", "assistant", "system"]) | JSON,
        "uuid": st.sampled_from(["u1", "u2", "a1"]) | JSON,
        "parentUuid": st.sampled_from(["u1", "u2", "a1", None]) | JSON,
        "sessionId": st.just("s") | JSON,
        "isSidechain": st.booleans() | JSON,
        "toolUseResult": JSON,
        "mcpMeta": JSON,
        "message": st.fixed_dictionaries({"content": st.lists(JSON)}) | JSON,
    },
)


@given(st.lists(LINES, max_size=8))
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_transcript_whatever_makes_reading_fail(tmp_path, lines):
    path = tmp_path / "s1.jsonl"
    written = "".join(json.dumps(each) + "\n" for each in lines)
    path.write_text(written.replace("Infinity", "1e999"))

    for episode in READER.read([path], ReadOptions(), Ledger()):
        assert episode.id
