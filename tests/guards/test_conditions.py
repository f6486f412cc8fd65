"""What each condition of a rule file makes of facts: true, false, or not known."""

import json
from datetime import datetime

import pytest

from stretto.episodes.episode import ToolCall
from stretto.files import Node
from stretto.guards.conditions import condition
from stretto.guards.facts import Facts
from stretto.guards.paths import NotKnown
from stretto.guards.retail import SOURCES
from stretto.guards.terms import Moment
from tests.guards.world import read_order
from tests.toys import Script

ARGUMENTS = {
    "order_id": "#W1",
    "other_id": "#W9",
    "n": 2,
    "is": True,
    "none": None,
    "items": [{"id": "a", "tags": ["x", "y"]}, {"id": "b"}, 7],
    "days": ["2024-05-14", "2024-05-20"],
    "at": "2024-05-14T16:00:00",
    "zoned": "2024-05-14T16:00:00+02:00",
}
STATUS = {"record": "order", "of": "order_id", "at": "status"}
UNREAD = {"record": "order", "of": "other_id", "at": "status"}
T, F = {"equal": [1, 1]}, {"equal": [1, 2]}
U = {"equal": [UNREAD, "pending"]}


def says(said: object, session: Script | None = None, **options: object) -> object:
    """True, False, or the reason it is not known."""
    events = (read_order() if session is None else session).events
    now = options.get("now", datetime(2024, 5, 15, 15))
    facts = Facts.of(SOURCES, events, now=now)  # type: ignore[arg-type]
    made = condition(Node(json.loads(json.dumps(said)), "rules.json"))
    try:
        return made(Moment(facts, ToolCall("c", "change", ARGUMENTS)))
    except NotKnown as what:
        return str(what)


@pytest.mark.parametrize(
    ("name", "parts", "expected"),
    [
        ("all", [T, T], True), ("all", [T, F], False), ("all", [T, U], None),
        ("all", [U, F], False), ("all", [F, U], False), ("all", [U, U], None),
        ("any", [F, F], False), ("any", [F, T], True), ("any", [F, U], None),
        ("any", [U, T], True), ("any", [T, U], True), ("any", [U, U], None),
    ],
)  # fmt: skip
def test_what_is_not_known_stays_so_unless_the_rest_decides(name, parts, expected):
    found = says({name: parts})

    assert found == ("the order was not looked up" if expected is None else expected)


def test_not_turns_what_is_known_round() -> None:
    assert says({"not": T}) is False
    assert says({"not": F}) is True
    assert says({"not": U}) == "the order was not looked up"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"equal": [STATUS, "pending"]}, True),
        ({"equal": [{"argument": "n"}, "2"]}, False),
        ({"equal": [{"argument": "n"}, 2]}, True),
        ({"equal": [{"argument": "is"}, 1]}, False),
        ({"equal": [{"argument": "is"}, True]}, True),
        ({"equal": [{"argument": "none"}, 1]}, "the call has no none"),
        ({"equal": [{"argument": "items[1].id"}, "b"]}, True),
        ({"equal": [{"argument": "items[9].id"}, "b"]}, "the call has no items[9].id"),
        ({"equal": [{"argument": "items[*].tags[*]"}, ["x", "y"]]}, True),
        ({"in": [STATUS, ["pending", "open"]]}, True),
        ({"in": [STATUS, "pending"]}, "what it is to be in is no list"),
        ({"every_in": [{"argument": "items[*].id"}, ["a", "b", "c"]]}, True),
        ({"every_in": [{"argument": "items[*].id"}, ["a", "c"]]}, False),
        ({"among": [["a", "a"], ["a", "b"]]}, False),
        ({"among": [["a", "a"], ["a", "b", "a"]]}, True),
        ({"contains": [STATUS, "end"]}, True),
        ({"contains": [STATUS, "x"]}, False),
        ({"contains": [{"argument": "n"}, "x"]}, "what is compared is no text"),
        ({"starts": [STATUS, "pend"]}, True),
        ({"starts": [STATUS, "end"]}, False),
        ({"at_most": [{"argument": "n"}, 2]}, True),
        ({"at_most": [{"count": {"argument": "items"}}, 2]}, False),
        ({"at_least": [{"argument": "n"}, 3]}, False),
        ({"at_least": [STATUS, 3]}, "what is compared is no number"),
        ({"at_least": [{"argument": "is"}, 0]}, "what is compared is no number"),
        ({"equal": [{"count": {"argument": "items[*].id"}, "starts": "a"}, 1]}, True),
        ({"before": [{"argument": "days"}, {"now": True}]}, True),
        ({"before": [{"argument": "days[1]"}, {"now": True}]}, False),
        ({"before": [{"argument": "n"}, {"now": True}]}, "what is compared is no date"),
        ({"within": {"argument": "at"}, "hours": 23}, True),
        ({"within": {"argument": "at"}, "hours": 22.9}, False),
        ({"within": {"argument": "zoned"}, "hours": 24},
         "how long ago that was is not known"),
        ({"read": "order", "of": "order_id"}, True),
        ({"read": "order", "of": "other_id"}, False),
        ({"read": "order", "of": "no_such"}, "the call has no no_such"),
        ({"given": "order_id"}, True),
        ({"given": "none"}, False),
        ({"identified": True}, True),
        ({"in": ["ann_1", {"identities": True}]}, True),
        ({"in": ["ann_1", {"ids": "user"}]}, True),
        ({"in": ["ann_1", {"ids": "parcel"}]}, "no parcel was looked up"),
        ({"in": ["paypal_7", {"keys": {"each": "user", "at": "payment_methods"}}]},
         True),
        ({"in": ["x", {"each": "user", "at": "no_such"}]}, False),
        ({"agreed": True}, False),
    ],
)  # fmt: skip
def test_a_condition_on_a_session_in_which_an_order_was_read(said, expected) -> None:
    assert says(said) == expected


def test_nobody_identified_and_nothing_read_is_not_known_where_it_is_a_value() -> None:
    empty = Script().user("Is that okay?")

    assert says({"identified": True}, empty) is False
    assert says({"in": ["a", {"identities": True}]}, empty) == (
        "no customer has been identified"
    )
    assert says({"in": ["a", {"each": "user", "at": "x"}]}, empty) == (
        "no user was looked up"
    )
    own = {"each": "user", "identified": True, "at": "user_id"}
    assert says({"in": ["ann_1", own]}) is True
    assert says({"agreed": True}, empty) is True
    assert says({"agreed": True, "questions": "unknown"}, empty) == (
        "the customer's last message is a question"
    )
    assert says({"before": [["2024-01-01"], {"now": True}]}, now=None) == (
        "nobody says what time it is"
    )


def test_an_earlier_call_counts_where_it_succeeded_with_the_same_arguments() -> None:
    def done(*same: str, tool: str = "change") -> object:
        return says({"done": [tool], "same": [*same]}, session)

    session = Script().turn(("change", {"order_id": "#W1", "n": 3}, "ok"))
    session.turn(("pay", {"order_id": "#W1"}, ValueError("no")))
    assert [done("order_id"), done("order_id", "n"), done("other_id")] == [
        True, False, False,
    ]  # fmt: skip
    assert [done(), done("order_id", tool="pay")] == [True, False]
    assert done("missing") == "the call has no missing"
