import pytest

from stretto.episodes.episode import AssistantTurn, UserMessage
from stretto.traces.hosts import Extent, Grouping, grouped, server_name
from stretto.traces.merge import merge, qualified
from stretto.traces.sessionlog import Header, SessionLog
from stretto.traces.turns import Conversation
from tests.traces.logs import call, cancelled, entry, listing, log, result, said


def of(
    start: int, end: int, server: str | None = "a", host: str | None = "h"
) -> SessionLog:
    """A log that lasts from `start` to `end`."""
    spoken = entry(end - start, "client", {"method": "notifications/initialized"})
    return log(spoken, start=start, host_session=host, server_name=server)


def group(*logs: SessionLog) -> Grouping:
    return grouped([Extent.of(log) for log in logs])


def groups(*logs: SessionLog) -> list[tuple[tuple[int, ...], str | None]]:
    return [(group.logs, group.session) for group in group(*logs).groups]


def test_logs_of_one_host_that_overlap_are_one_session():
    assert groups(of(0, 10), of(5, 20, "b"), of(15, 30, "c")) == [((0, 1, 2), "h")]


def test_a_log_that_starts_as_the_others_end_is_still_of_their_session():
    assert groups(of(0, 10), of(10, 20, "b")) == [((0, 1), "h")]
    assert groups(of(0, 10), of(11, 20, "b")) == [((0,), None), ((1,), None)]


def test_a_session_lasts_as_long_as_its_longest_log():
    assert groups(of(0, 100), of(5, 10, "b"), of(50, 60, "c")) == [((0, 1, 2), "h")]


def test_the_logs_of_a_session_stand_in_the_order_of_their_start():
    assert groups(of(5, 20, "b"), of(0, 10)) == [((1, 0), "h")]


def test_logs_of_other_hosts_or_of_none_stay_alone():
    logs = [of(0, 9), of(0, 9, "b", host="i"), of(0, 9, "c", host=None)]

    assert groups(*logs) == [((0,), None), ((1,), None), ((2,), None)]


def test_a_log_that_names_no_server_stays_alone():
    assert groups(of(0, 9), of(0, 9, None), of(0, 9, "b")) == [
        ((0, 2), "h"),
        ((1,), None),
    ]


def test_the_sessions_of_a_host_are_numbered_where_several_were_merged():
    logs = [of(0, 9), of(5, 9, "b"), of(50, 59), of(55, 59, "b"), of(90, 99)]

    assert groups(*logs) == [((0, 1), "h#0"), ((2, 3), "h#1"), ((4,), None)]


def test_two_logs_of_one_server_that_overlap_keep_their_session_apart():
    found = group(of(0, 10), of(2, 8, "b"), of(5, 20), of(100, 110), of(100, 110, "b"))

    assert found.apart == ("h",)
    assert [(g.logs, g.session) for g in found.groups] == [
        ((0,), None),
        ((1,), None),
        ((2,), None),
        ((3, 4), "h"),
    ]


def test_a_server_that_was_started_again_is_of_the_same_session():
    logs = [of(0, 100, "b"), of(0, 10), of(20, 30)]

    assert group(*logs).apart == ()
    assert groups(*logs) == [((0, 1, 2), "h")]


def test_names_stay_bare_unless_a_group_holds_several_logs():
    assert not group(of(0, 10), of(5, 20)).merges
    assert group(of(0, 10), of(5, 20, "b")).merges


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ({"server_name": "orders", "domain": "shop"}, "orders"),
        ({"domain": "shop"}, "shop"),
        ({}, "own-name_1.0"),
        ({"server_name": "my orders/ö::x"}, "my_orders____x"),
    ],
)
def test_a_server_goes_by_the_first_name_its_log_gives(header, expected):
    info = {"serverInfo": {"name": "own-name_1.0"}}
    entries = [
        entry(0, "client", {"id": 1, "method": "initialize"}),
        entry(1, "server", {"id": 1, "result": info}),
    ]

    assert server_name(log(*entries, **header)) == expected


def test_only_its_answer_to_initialize_names_a_server():
    info = {"serverInfo": {"name": "orders"}}
    entries = [
        entry(0, "client", {"id": 1, "method": "initialize"}),
        entry(1, "client", {"id": 1, "result": info}),
        entry(1, "server", {"id": 2, "result": info}),
        entry(1, "server", {"id": 1, "result": {"serverInfo": {"name": ""}}}),
    ]

    assert server_name(log(*entries)) is None


def test_an_answer_of_the_stateless_era_names_its_server():
    about = {"io.modelcontextprotocol/serverInfo": {"name": "orders"}}
    tool = {"name": "get", "serverInfo": {"name": "of a tool"}}
    entries = [
        entry(1, "server", {"id": 1, "result": {"tools": [tool]}}),
        entry(1, "server", {"id": 2, "result": {"_meta": about}}),
    ]

    assert server_name(log(*entries)) == "orders"


def test_a_qualified_log_names_tools_and_ids_after_the_server():
    entries = [
        said(0, "user", "hello"),
        *listing(1, 1, {"name": "get", "title": "Get"}, {"title": "nameless"}, 3),
        call(2, "x", tool="get", name="kept"),
        cancelled(3, "x"),
        entry(
            4, "server", {"method": "notifications/message", "params": {"name": "x"}}
        ),
        entry(5, "client", {"id": None, "method": "ping"}),
    ]

    found = qualified(log(*entries, server_name="s"))

    assert [message for entry in found.entries for message in entry.messages] == [
        {"role": "user", "content": "hello"},
        {"id": "s::1", "method": "tools/list"},
        {
            "id": "s::1",
            "result": {
                "tools": [{"name": "s::get", "title": "Get"}, {"title": "nameless"}, 3]
            },
        },
        {
            "jsonrpc": "2.0",
            "id": "s::x",
            "method": "tools/call",
            "params": {"name": "s::get", "arguments": {"name": "kept"}},
        },
        {"method": "notifications/cancelled", "params": {"requestId": "s::x"}},
        {"method": "notifications/message", "params": {"name": "x"}},
        {"id": None, "method": "ping"},
    ]


def test_a_log_without_a_server_stays_as_it_is():
    bare = log(call(0, 1))

    assert qualified(bare) is bare


def orders(*entries, start: int = 1000, **header) -> SessionLog:
    return log(*entries, start=start, server_name="orders", host_session="h", **header)


def stock(*entries, start: int = 1300, **header) -> SessionLog:
    return log(*entries, start=start, server_name="stock", host_session="h", **header)


def test_merged_logs_share_one_clock():
    first = orders(call(0, 1), result(700, 1))
    second = stock(call(100, 1), result(400, 1))

    merged = merge([first, second], "h")

    assert [(e.t_ms, e.messages[0]["id"]) for e in merged.entries] == [
        (0, "orders::1"),
        (400, "stock::1"),
        (700, "orders::1"),  # at the same time as the next, and of an earlier log
        (700, "stock::1"),
    ]


def test_calls_of_one_turn_may_go_to_several_servers():
    merged = merge(
        [
            orders(call(0, 1), result(700, 1, "W1")),
            stock(call(100, 1), result(300, 1, "none left")),
        ],
        "h",
    )

    [turn, late, later] = Conversation.of(merged.entries).events()

    assert [(call.id, call.tool) for call in turn.calls] == [
        ("orders::1", "orders::get"),
        ("stock::1", "stock::get"),
    ]
    assert (late.content, later.content) == ("none left", "W1")


def test_a_call_left_open_ends_with_its_log():
    merged = merge(
        [
            orders(call(0, 1), call(5, 2), result(6, 2), said(9, "user", "hello?")),
            stock(call(900, 1), result(901, 1)),
        ],
        "h",
    )

    end = next(e for e in merged.entries if e.sender == "proxy")
    assert end.t_ms == 9
    assert end.messages[0]["params"] == {"requestId": "orders::1"}
    assert [
        len(turn.calls)
        for turn in Conversation.of(merged.entries).events()
        if isinstance(turn, AssistantTurn)
    ] == [2, 1]


def test_a_call_that_was_withdrawn_is_not_withdrawn_again():
    merged = merge([orders(call(0, 1), cancelled(1, 1)), stock(call(0, 1))], "h")

    ended = [
        e.messages[0]["params"]["requestId"]
        for e in merged.entries
        if e.sender == "proxy"
    ]
    assert ended == ["stock::1"]


def test_what_was_said_is_kept_once():
    talk = [said(0, "user", "hi"), said(0, "assistant", "hi!"), said(0, "user", "hi")]
    merged = merge(
        [orders(*talk[:2], call(1, 1), result(2, 1)), stock(*talk, call(1, 1))], "h"
    )

    events = Conversation.of(merged.entries).events()
    assert [e.text for e in events if isinstance(e, UserMessage)] == ["hi", "hi"]
    assert [e.text for e in events if getattr(e, "text", None) == "hi!"] == ["hi!"]


def test_another_line_at_the_same_place_is_kept():
    merged = merge([orders(said(0, "user", "a")), stock(said(0, "user", "b"))], "h")

    events = Conversation.of(merged.entries).events()
    assert [event.text for event in events] == ["a", "b"]


def test_the_merged_header_says_what_the_logs_agree_on():
    first = orders(domain="shop", agent=None)
    second = stock(domain="shop", agent="m1")
    third = log(
        start=2000, server_name="c", host_session="h", domain="other", agent="m2"
    )

    assert merge([first, second], "h#3").header == Header(
        2, "h#3", 1000, domain="shop", agent="m1", host_session="h"
    )
    assert merge([first, second, third], "h").header.domain is None


def test_the_merged_log_is_of_the_highest_version():
    old = SessionLog(Header(1, "s", 1000, host_session="h", server_name="a"))

    assert merge([old, stock()], "h").header.version == 2
