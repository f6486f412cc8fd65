from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.canonical import Json, compact, number, text
from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.traces import growing
from stretto.traces.ledger import Ledger
from stretto.traces.messages import answer
from stretto.traces.sessionlog import Entry, Sender, read_log
from stretto.traces.turns import Conversation
from tests.conftest import shared
from tests.traces.logs import call, cancelled, entry, initialize, result, said

TABLE = {
    "two calls at once": (
        [call(0, 1), call(2, 2), result(5, 1), result(6, 2)],
        ["[1,2]"],
    ),
    "500 ms after the answer is the same turn": (
        [call(0, 1), result(5, 1), call(505, 2)],
        ["[1,2]"],
    ),
    "501 ms after the answer is the next turn": (
        [call(0, 1), result(5, 1), call(506, 2)],
        ["[1]", "[2]"],
    ),
    "a value that only the answer held": (
        [call(0, 1), result(5, 1, "order O77"), call(9, 2, id="O77")],
        ["[1]", "[2]"],
    ),
    "a value that the conversation held before": (
        [
            said(0, "user", "check A1 and O77"),
            call(0, 1, id="A1"),
            result(5, 1, "order O77"),
            call(9, 2, id="O77"),
        ],
        ["user", "[1,2]"],
    ),
    "the user speaks between": (
        [call(0, 1), result(5, 1), said(6, "user", "and now?"), call(9, 2)],
        ["[1]", "user", "[2]"],
    ),
    "the agent replies between": (
        [call(0, 1), result(5, 1), said(6, "assistant", "Well."), call(9, 2)],
        ["[1]", "reply", "[2]"],
    ),
    "the proxy never continues a turn": (
        [call(0, 1), result(5, 1), call(6, "stretto-1", sender="proxy")],
        ["[1]", "[stretto-1]"],
    ),
    "the proxy joins a turn that is open": (
        [
            call(0, 1),
            call(1, 2),
            result(5, 1),
            call(6, "stretto-1", sender="proxy"),
            result(8, "stretto-1"),
            result(9, 2),
        ],
        ["[1,2,stretto-1]"],
    ),
    "a cancelled call holds no turn open": (
        [call(0, 1), cancelled(3, 1), call(5, 2)],
        ["[1]", "[2]"],
    ),
    "a value inside a longer one": (
        [call(0, 1), result(5, 1, "year 2012"), call(9, 2, limit=12)],
        ["[1]", "[2]"],
    ),
    "one character is no new value": (
        [call(0, 1), result(5, 1, "7 items"), call(9, 2, limit=7)],
        ["[1,2]"],
    ),
    "a call that is never answered": (
        [call(0, 1), call(1, 2), result(5, 2), call(60_000, 3)],
        ["[1,2,3]"],
    ),
    "a call joins while the user speaks": (
        [call(0, 1), said(1, "user", "hurry"), call(2, 2), result(3, 1), result(3, 2)],
        ["[1,2]", "user"],
    ),
    "but none follows once the user has spoken": (
        [call(0, 1), said(1, "user", "hurry"), result(3, 1), call(4, 2)],
        ["[1]", "user", "[2]"],
    ),
    "the turn's last call withdrawn": (
        [call(0, 1), result(5, 1), call(6, 2), cancelled(7, 2), call(8, 3)],
        ["[1,2]", "[3]"],
    ),
    "one of two withdrawn, the other answered after": (
        [call(0, 1), call(0, 2), cancelled(1, 2), result(5, 1), call(6, 3)],
        ["[1,2,3]"],
    ),
    "an id sent again before it was answered": (
        [call(0, 1), call(1, 1), result(5, 1), call(6, 2)],
        ["[1]", "[1#2,2]"],
    ),
    "a value known from a call's own arguments": (
        [call(0, 1, id="O77"), result(5, 1, "order O77"), call(9, 2, id="O77")],
        ["[1,2]"],
    ),
    "a value deep inside the arguments": (
        [call(0, 1), result(5, 1, "order O77"), call(9, 2, order={"ids": ["O77"]})],
        ["[1]", "[2]"],
    ),
    "true is no value, even if the answer says so": (
        [call(0, 1), result(5, 1, "true"), call(9, 2, all=True)],
        ["[1,2]"],
    ),
    "a number is compared as JSON spells it": (
        [call(0, 1), result(5, 1, "price 12.5"), call(9, 2, price=12.5)],
        ["[1]", "[2]"],
    ),
    "what an earlier turn returned is known": (
        [
            *(call(0, 1), result(5, 1, "order O77"), said(6, "assistant", "One sec.")),
            *(call(1000, 2), result(1005, 2, "O77 again"), call(1006, 3, id="O77")),
        ],
        ["[1]", "reply", "[2,3]"],
    ),
    "the host's answers, and the server's questions": (
        [
            call(0, 1),
            entry(1, "client", {"id": 1, "result": {}}),
            entry(
                2, "server", {"id": 9, "method": "tools/call", "params": {"name": "x"}}
            ),
            result(3, 1),
        ],
        ["[1]"],
    ),
}


def shape(events: Iterable[Event]) -> list[str]:
    """The events without results: calls by their ids, messages by who spoke."""
    shown = []
    for event in events:
        match event:
            case UserMessage():
                shown.append("user")
            case AssistantTurn(calls=()):
                shown.append("reply")
            case AssistantTurn(calls=calls):
                shown.append(f"[{','.join(call.id for call in calls)}]")
    return shown


@pytest.mark.parametrize(("entries", "turns"), TABLE.values(), ids=TABLE.keys())
def test_the_turns_are_those_of_the_table(entries, turns):
    assert shape(Conversation.of(entries).events()) == turns


def test_a_call_is_sent_after_the_answers_that_its_turn_had():
    entries, _ = TABLE["the proxy joins a turn that is open"]

    assert Conversation.of(entries).sent_after == {"1": 0, "2": 0, "stretto-1": 1}


def assert_same_changes(entries: Iterable[Entry]) -> None:
    """What each message adds does not depend on what is kept."""
    keeping, other = Conversation(), Conversation(keeps=False)
    for each in entries:
        for message in each.messages:
            change = keeping.add(each.t_ms, each.sender, message)
            assert other.add(each.t_ms, each.sender, message) == change
    assert other.events() == ()
    assert not other.sent_after


def test_the_first_of_two_answers_counts():
    entries = [call(0, 3), result(1, 3, "plain"), result(2, 3, "more", sender="proxy")]
    ledger = Ledger()

    events = Conversation.of(entries, ledger).events()

    assert events[1:] == (ToolResult("3", "get", False, "plain"),)
    assert not ledger.counts["stray results"]


def test_an_answer_to_nothing_that_was_asked_is_counted():
    ledger = Ledger()

    assert Conversation.of([result(0, 8)], ledger).events() == ()
    assert ledger.counts["stray results"] == 1


def test_a_cancelled_call_may_still_be_answered():
    entries = [
        call(0, 1),
        cancelled(1, 1),
        call(2, 2),
        result(3, 1, "late"),
        result(4, 2),
    ]

    results = [
        e for e in Conversation.of(entries).events() if isinstance(e, ToolResult)
    ]

    assert [(r.call_id, r.content) for r in results] == [("1", "late"), ("2", "")]


def test_a_late_answer_leaves_the_turn_under_way_as_it_was():
    entries = [
        *(call(0, 1), cancelled(1, 1), call(2, 2), result(3, 2)),
        result(400, 1, "late"),
        call(504, 3),
    ]

    assert shape(Conversation.of(entries).events()) == ["[1]", "[2]", "[3]"]


def test_ids_of_another_type_are_other_ids():
    entries = [call(0, 1), call(0, "1"), result(1, "1", "text"), result(2, 1, "number")]

    turn, *results = Conversation.of(entries).events()

    assert [call.id for call in turn.calls] == ["1", "1#2"]
    assert [(r.call_id, r.content) for r in results] == [
        ("1#2", "text"),
        ("1", "number"),
    ]


def test_the_first_initialize_names_the_client():
    entries = [initialize(0, "desk"), initialize(1, "lamp")]

    assert Conversation.of(entries).client == "desk"


def stateless(t_ms: int, client: Json, *, sender: str = "client") -> Entry:
    meta = {"io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"}}
    params = {"name": "get", "arguments": {}, "_meta": meta}
    message = {"id": t_ms, "method": "tools/call", "params": params}
    return entry(t_ms, sender, message)


@pytest.mark.parametrize(
    ("entries", "client"),
    [
        ([stateless(0, "desk"), stateless(1, "lamp")], "desk"),
        ([stateless(0, None), stateless(1, "lamp")], "lamp"),
        ([stateless(0, "probe"), initialize(1, "desk"), stateless(2, "lamp")], "desk"),
        ([initialize(0, "desk"), stateless(1, "lamp")], "desk"),
        ([stateless(0, "shop", sender="server")], None),
    ],
)
def test_a_host_that_greets_nobody_is_named_by_its_requests(entries, client):
    assert Conversation.of(entries).client == client


def test_arguments_left_out_are_none_at_all():
    params: list[dict[str, Json]] = [
        {"name": "get"},
        {"name": "get", "arguments": None},
    ]
    entries = [
        entry(0, "client", {"id": i, "method": "tools/call", "params": p})
        for i, p in enumerate(params)
    ]

    [turn] = Conversation.of(entries).events()

    assert [call.arguments for call in turn.calls] == [{}, {}]


def test_a_call_without_a_tool_or_an_id_is_none():
    entries = [
        entry(0, "client", {"id": 1, "method": "tools/call", "params": {}}),
        entry(
            0, "client", {"id": None, "method": "tools/call", "params": {"name": "x"}}
        ),
        entry(0, "client", {"method": "tools/call", "params": {"name": "x"}}),
    ]

    assert Conversation.of(entries).events() == ()


class Literal(NamedTuple):
    events: list[Event]
    sent_after: dict[str, int]


def literally(entries: Sequence[Entry]) -> Literal:
    """The rule, sentence by sentence, with every text in one string."""
    events: list[Event] = []
    sent_after: dict[str, int] = {}
    pending: dict[str, dict] = {}
    uses: dict[str, int] = {}
    known = returned = ""
    turn: int | None = None
    open_ = answered = 0
    answered_ms = None

    def leaves(value: Json) -> list[str]:
        if isinstance(value, dict):
            return [leaf for item in value.values() for leaf in leaves(item)]
        if isinstance(value, list):
            return [leaf for item in value for leaf in leaves(item)]
        if isinstance(value, str):
            return [value]
        return [] if value is None or isinstance(value, bool) else [number(value)]

    for t_ms, sender, message in (
        (e.t_ms, e.sender, message) for e in entries for message in e.messages
    ):
        if sender is Sender.CONTEXT:
            known += message["content"]
            if message["role"] == "user":
                events.append(UserMessage(message["content"]))
            elif message["role"] == "assistant" and message["content"]:
                events.append(AssistantTurn(message["content"]))
            continue
        if message.get("method") == "tools/call" and sender is not Sender.SERVER:
            key, arguments = compact(message["id"]), message["params"]["arguments"]
            if key in pending and pending.pop(key)["holds"]:
                open_ -= 1
            continues = (
                sender is Sender.CLIENT
                and open_ == 0
                and answered_ms is not None
                and t_ms - answered_ms <= 500
                and all(isinstance(event, ToolResult) for event in events[turn + 1 :])
                and not any(
                    len(leaf) >= 2 and leaf in returned and leaf not in known
                    for leaf in leaves(arguments)
                )
            )
            if open_ == 0 and not continues:
                known += returned
                returned, answered_ms, answered = "", None, 0
                turn = len(events)
                events.append(AssistantTurn())
            known += compact(arguments)
            id = text(message["id"])
            uses[id] = uses.get(id, 0) + 1
            if uses[id] > 1:
                id = f"{id}#{uses[id]}"
            made = ToolCall(id, message["params"]["name"], arguments)
            events[turn] = replace(events[turn], calls=(*events[turn].calls, made))
            open_ += 1
            answered_ms = None
            sent_after[id] = answered
            pending[key] = {"call": made, "holds": True}
        elif message.get("method") == "notifications/cancelled":
            found = pending.get(compact(message["params"]["requestId"]))
            if sender is not Sender.SERVER and found and found["holds"]:
                found["holds"] = False
                open_ -= 1
        elif "result" in message and sender is not Sender.CLIENT:
            found = pending.pop(compact(message["id"]), None)
            if found is None:
                continue
            error, content = answer(message)
            if found["holds"]:
                open_ -= 1
                answered += 1
                if open_ == 0:
                    answered_ms = t_ms
            returned += content
            events.append(
                ToolResult(found["call"].id, found["call"].tool, error, content)
            )
    return Literal(events, sent_after)


def infer(entries: Sequence[Entry]) -> Literal:
    conversation = Conversation.of(entries)
    return Literal(list(conversation.events()), conversation.sent_after)


WORDS = st.sampled_from(["A1", "O77", "order O77", "2012", "12", "7", "x", "", "12.5"])
IDS = st.sampled_from([1, "1", 2, 3])
VALUES = st.one_of(
    WORDS, st.sampled_from([12, 7, 12.5, True, None, ["O77", {"a": 12}]])
)
PAUSES = st.sampled_from([0, 1, 3, 250, 499, 500, 501])
STEPS = st.one_of(
    st.builds(
        call,
        PAUSES,
        IDS,
        sender=st.sampled_from(["client", "client", "proxy"]),
        a=VALUES,
    ),
    st.builds(result, PAUSES, IDS, WORDS, sender=st.sampled_from(["server", "proxy"])),
    st.builds(cancelled, PAUSES, IDS),
    st.builds(said, PAUSES, st.sampled_from(["user", "assistant", "system"]), WORDS),
)


@given(st.lists(STEPS, max_size=25))
@settings(max_examples=400, deadline=None)
def test_the_turns_are_those_of_the_rule_taken_word_by_word(steps):
    t_ms = 0
    entries = []
    for step in steps:
        t_ms += step.t_ms
        entries.append(replace(step, t_ms=t_ms))

    expected = literally(entries)

    assert_same_changes(entries)
    assert infer(entries) == expected
    with patch.object(growing, "_SHORT", -1):
        assert infer(entries) == expected


@pytest.mark.parametrize("folder", ["shop", "served", "shadow", "retail"])
def test_the_turns_of_published_logs_are_those_of_the_rule(folder):
    for path in shared(f"reference/logs/{folder}").glob("*Z-?????.jsonl"):
        log = read_log(path, Ledger())

        assert log is not None
        assert infer(log.entries) == literally(log.entries)
        assert_same_changes(log.entries)
