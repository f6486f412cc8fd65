"""A growing turn is shown to a flow as the whole log, read again, would have it."""

import json
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from unittest.mock import ANY

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from stretto.binding.bind import bind
from stretto.episodes.episode import Episode, ToolResult
from stretto.flow.decide import decide
from stretto.flow.deciders.habit import decider
from stretto.flow.flow import Flow, Surprise
from stretto.flow.moment import Moment, Transcript
from stretto.flow.options import every_option
from stretto.flow.surprise import tripped
from stretto.flow.wire import read_flow
from stretto.oracle.state import Slice
from stretto.proxy.unfolding import Unfolding
from stretto.traces.ledger import Ledger
from stretto.traces.sessionlog import Entry, read_log
from stretto.traces.turns import Called, Change, Conversation
from tests.conftest import shared
from tests.evaluate.lessons import Lesson
from tests.traces.logs import call, cancelled, result, said

TOOLS = ("find", "user", "get", "get", "price", "list_all", "cancel", "think")


class Talk:
    """A session at random: parallel and cancelled calls, lookups, late results."""

    def __init__(self, seed: int, *, chatty: bool) -> None:
        self.random = Random(seed)
        self.kinds = ["call"] * 4 + ["result"] * 6 + ["lookup", "cancel"]
        self.kinds += ["user", "reply"] * chatty
        self.t_ms = self.sent = 0
        self.open: list[object] = []

    def next(self) -> Entry | None:
        """What happens next; None for a moment in which nothing does."""
        self.t_ms += self.random.choice((1, 3, 20, 499, 501, 900))
        match self.random.choice(self.kinds):
            case "call":
                return self._call(self._id(), "client")
            case "lookup":
                return self._call(f"stretto-1-{self._id()}", "proxy")
            case "result" if self.open:
                at = self.random.choice((0, -1, -1))
                return self._result(self.open.pop(at))
            case "cancel" if self.open and self.random.random() < 0.3:
                return cancelled(self.t_ms, self.random.choice(self.open))
            case "user":
                return said(self.t_ms, "user", f"order W{self._number()}?")
            case "reply":
                return said(self.t_ms, "assistant", "A moment.")
        return None

    def _call(self, id, sender: str) -> Entry:
        self.open.append(id)
        arguments = {
            "find": {"name": "Ann"},
            "user": {"user_id": "u_11"},
            "get": {"order_id": f"W{self._number()}"},
            "price": {"orders": [f"W{self._number()}"]},
        }
        tool = self.random.choice(TOOLS)
        given = arguments.get(tool, {})
        return call(self.t_ms, id, sender=sender, tool=tool, **given)

    def _result(self, id) -> Entry:
        orders = [f"W{self._number()}" for _ in range(self.random.randrange(4))]
        text = self.random.choice(("u_11", json.dumps({"orders": orders}), "W101"))
        return result(self.t_ms, id, text)

    def _id(self) -> int:
        self.sent += 1
        return self.sent

    def _number(self) -> int:
        return 101 + self.random.randrange(5)


def literally(flow: Flow, conversation: Conversation, named: str) -> Moment:
    """The moment behind a call, from all that was said so far."""
    view = Episode("e", conversation.events()).after(named)
    transcript = Transcript.of(flow, view.episode.events, state=Slice("(none)"))
    return transcript.moment(view.pending)


def moments(flow: Flow, talk: Talk, n: int):
    """At each result of the turn under way: the moment as kept, and as read again."""
    conversation = Conversation()
    unfolding = Unfolding(flow, state=Slice("(none)"))
    turn: list[str] = []
    for entry in filter(None, (talk.next() for _ in range(n))):
        change = conversation.add(entry.t_ms, entry.sender, entry.messages[0])
        match change:
            case Called(made, joins):
                turn = [*turn, made.id] if joins else [made.id]
                unfolding.called(made, joins=joins)
            case ToolResult():
                unfolding.returned(change)
                if change.call_id in turn:
                    expected = literally(flow, conversation, change.call_id)
                    yield unfolding, conversation, expected
            case None:
                pass
            case _:
                unfolding.said(change)


@example(14565, False)  # two of a turn's calls pass one value and return another
@given(st.integers(0, 2**32), st.booleans())
@settings(max_examples=50, deadline=None)
def test_a_moment_is_the_one_of_the_log_read_up_to_there(seed: int, chatty: bool):
    flow = Lesson(seed % 40, steady=seed % 3 > 0).flow
    flow = replace(flow, surprise=None)

    for unfolding, _, expected in moments(flow, Talk(seed, chatty=chatty), 60):
        found = unfolding.moment()

        assert found.site == unfolding.site == expected.site
        assert found.history == expected.history
        assert found.pending == expected.pending
        assert found.state.json() == expected.state.json()
        for tool in flow.sites.reads:
            assert bound(flow, tool, found) == bound(flow, tool, expected)
        assert decided(flow, found) == decided(flow, expected)
        event(type(decided(flow, found).action).__name__)


@given(st.integers(0, 2**32), st.sampled_from((1, 2, 3)))
@settings(max_examples=40, deadline=None)
def test_the_surprise_gate_trips_as_over_the_log_read_up_to_there(seed: int, window):
    flow = Lesson(seed % 40, steady=True).flow
    flow = replace(flow, surprise=Surprise(window, 0.8))

    for unfolding, _, expected in moments(flow, Talk(seed, chatty=False), 60):
        found = unfolding.moment().surprise

        assert len(found) <= window
        assert tripped(flow, found) == tripped(flow, expected.surprise)
        event("tripped" if tripped(flow, found) else "not tripped")


@given(st.integers(0, 2**32), st.booleans())
@settings(max_examples=25, deadline=None)
def test_settled_events_and_the_turn_shown_are_the_views(seed: int, chatty: bool):
    flow = Lesson(3).flow

    for unfolding, conversation, _ in moments(flow, Talk(seed, chatty=chatty), 60):
        last = next(e for e in reversed(unfolding.shown()) if isinstance(e, ToolResult))
        view = Episode("e", conversation.events()).after(last.call_id)

        assert (*unfolding.settled, *unfolding.shown()) == view.episode.events


@given(st.integers(0, 2**32), st.booleans())
@settings(max_examples=15, deadline=None)
def test_decisions_do_not_depend_on_settled_events_being_kept(seed: int, chatty: bool):
    flow = Lesson(seed % 40, steady=seed % 3 > 0).flow
    talk = Talk(seed, chatty=chatty)

    assert_same_decisions(flow, filter(None, (talk.next() for _ in range(60))))


@pytest.mark.parametrize("folder", ["shop", "served", "shadow", "retail"])
def test_recorded_sessions_are_decided_on_as_if_all_were_kept(folder: str):
    flow = read_flow(shared("reference/flows/shop.flow.json"))
    for path in shared(f"reference/logs/{folder}").glob("*Z-?????.jsonl"):
        log = read_log(path, Ledger())

        assert log is not None
        assert assert_same_decisions(flow, log.entries) > 0


def assert_same_decisions(flow: Flow, entries: Iterable[Entry]) -> int:
    """A session decided on with all of it kept, and with what is needed: how often."""
    lean = Unfolding(flow, state=Slice("(none)"), keeps=False)
    leanest = Unfolding(flow, keeps=False)
    keeping = Unfolding(flow, state=Slice("(none)"))
    listening, conversation = Conversation(keeps=False), Conversation()
    n_decided = 0
    for entry in entries:
        for message in entry.messages:
            change = listening.add(entry.t_ms, entry.sender, message)
            take(lean, change)
            take(leanest, change)
            take(keeping, conversation.add(entry.t_ms, entry.sender, message))
        if keeping.site is not None:
            found, expected = lean.moment(), keeping.moment()
            assert found.state.json() == expected.state.json()
            assert found.surprise == expected.surprise
            assert leanest.moment() == replace(found, seen=ANY, state=None)
            for moment in (found, leanest.moment()):
                assert decided(flow, moment) == decided(flow, expected)
                for tool in every_option(flow):
                    assert bound(flow, tool, moment) == bound(flow, tool, expected)
            n_decided += 1
    assert not lean.settled
    return n_decided


def take(unfolding: Unfolding, change: Change | None) -> None:
    match change:
        case Called(made, joins):
            unfolding.called(made, joins=joins)
        case ToolResult():
            unfolding.returned(change)
        case None:
            pass
        case _:
            unfolding.said(change)


def test_a_reply_behind_a_call_still_open_leaves_no_site_to_decide_at():
    flow = Lesson(0, steady=True).flow
    conversation, unfolding = Conversation(), Unfolding(flow)
    for entry in (call(0, 1), call(1, 2), result(2, 1)):
        feed(conversation, unfolding, entry)
    assert unfolding.site is not None

    for entry in (said(3, "assistant", "Still looking."), result(4, 2)):
        feed(conversation, unfolding, entry)

    assert unfolding.site is None


def test_a_message_in_a_session_is_scored_as_handing_back():
    flow = replace(Lesson(0, steady=True).flow, surprise=Surprise(1, 0.0))
    conversation, unfolding = Conversation(), Unfolding(flow)
    for entry in (call(0, 1, tool="find", name="Ann"), result(2, 1, "u_11")):
        feed(conversation, unfolding, entry)
    expected = Transcript.of(flow, conversation.events())

    for entry in (said(3, "user", "u_11"), call(9, 2), result(10, 2)):
        feed(conversation, unfolding, entry)

    expected = literally(flow, conversation, "2")
    assert len(expected.surprise) == 1
    assert unfolding.moment().surprise == tuple(expected.surprise)


def feed(conversation: Conversation, unfolding: Unfolding, entry: Entry) -> None:
    """Take in an entry."""
    match conversation.add(entry.t_ms, entry.sender, entry.messages[0]):
        case Called(made, joins):
            unfolding.called(made, joins=joins)
        case ToolResult() as returned:
            unfolding.returned(returned)
        case None:
            pytest.fail("the entry adds nothing")
        case message:
            unfolding.said(message)


def bound(flow: Flow, tool: str, moment: Moment):
    """A lookup's arguments as things stand."""
    return bind(flow.bindings, flow.manifest, tool, moment.seen, moment.pending)


def decided(flow: Flow, moment: Moment):
    """What the flow does."""
    return decide(flow, moment, decider(flow), threshold=0.05)
