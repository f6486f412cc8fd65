"""
Whatever hosts, servers and deciders do, and in whatever order, no line is lost.

Nor is one invented, given twice, or changed but for lookups added at its end. A held
result is given in time, or its call was cancelled; and all that the proxy asks for by
itself are reads that the flow decided on and may make.
"""

import json
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest import TestCase

import pytest
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from stretto.episodes.site import Site
from stretto.errors import OracleError
from stretto.flow.deciders.protocol import Chances
from stretto.flow.moment import Moment
from stretto.flow.options import options
from stretto.oracle.answer import Response
from stretto.oracle.question import Noul, Request
from stretto.oracle.state import Slice
from stretto.proxy import choose, deliver, holding
from stretto.proxy.behind import Behind
from stretto.proxy.choose import Chooser
from stretto.proxy.deliver import Delivery
from stretto.proxy.follow import Follower
from stretto.proxy.holding import Holding
from stretto.proxy.permit import Permit
from stretto.proxy.requests import OwnCalls
from stretto.proxy.schema import RESERVED
from stretto.proxy.tooltable import ToolTable
from stretto.proxy.unfolding import Unfolding
from stretto.traces.appended import HEADER
from stretto.traces.reader import read
from tests.proxy.engine.desk import Desk, line
from tests.proxy.engine.shop import (
    FLOW,
    call,
    cancelled,
    engine,
    error,
    listing,
    result,
    silent,
    tool,
)
from tests.proxy.followed import followed

IDS = (1, 2, "1", "a", 2.5, 10**30)
HOLD_S, PATIENCE_S, ANSWER_S = 3.0, 2.0, 1.5
PER_CALL, PER_SESSION, QUESTIONS = 3, 12, 20

KINDS = ("found", "order", "failed", "error", "odd", "task")
BABBLE = (
    b"a banner\n",
    b"[]\n",
    {"method": "notifications/progress", "params": {"progressToken": 1}},
    {"method": "notifications/tools/list_changed"},
    {"id": 7, "method": "roots/list"},
    {"id": 8, "method": "elicitation/create"},
)
LIKELY = {
    "call": 12,
    "answer": 12,
    "answer_a_lookup": 12,
    "answer_a_question": 8,
    "wait": 4,
    "cancel": 2,
    "server_babbles": 2,
    "list_tools": 1,
    "host_babbles": 1,
    "answer_a_lookup_in_a_batch": 1,
    "take_an_id": 0.3,
    "close_a_stream": 0.3,
}
"""How often each thing happens, one to the other."""

seeds = st.integers(0, 2**32)


class Place(NamedTuple):
    """Where the host waits for an answer."""

    stream: str
    id: str


class Held(NamedTuple):
    """A line that neither passed nor may be lost."""

    place: Place
    said: bytes
    since: float


class Wild:
    """A decider that asks now and then, and says anything, sometimes outrageously."""

    name = "wild"

    def __init__(self, random: Random) -> None:
        self.random = random
        self.chances = random.choice(list(Chances))
        self.asks = random.choice((0.0, 0.3, 1.0))

    def state(self) -> Slice:
        return Slice("(none)")

    def question(self, moment: Moment, _: tuple[str, ...]) -> Request | None:
        if self.random.random() >= self.asks:
            return None
        return Request("m", moment.state.json(), {"go_on": Noul("?")})

    def weigh(
        self, _: Moment, offered: tuple[str, ...], __: object = None
    ) -> dict[str, float]:
        if self.random.random() < 0.05:
            raise RuntimeError("no answer")
        names = [*offered, "respond"]
        if self.random.random() < 0.05:
            names.append(self.random.choice(("cancel", "other")))
        numbers = (0.0, 0.4, 0.9, 0.9, 1.0, 1.0, float("nan"))
        return {name: self.random.choice(numbers) for name in names}


class Talk(RuleBasedStateMachine):
    """A session, and what must have become of each of its lines."""

    @initialize(seed=seeds)
    def begin(self, seed: int) -> None:
        settings = {
            "hold_s": HOLD_S,
            "patience_s": PATIENCE_S,
            "answer_s": ANSWER_S,
            "questions": QUESTIONS,
            "per_call": PER_CALL,
            "per_session": PER_SESSION,
        }
        self.random = Random(seed)
        self.at = Desk(engine(FLOW, Wild(self.random), **settings), silent)
        self.asked: dict[Place, bool] = {}
        """The calls under way, and whether each was cancelled."""
        self.held: list[Held] = []
        self.lookups: list[str] = []
        """The ids of the proxy's calls that were not answered."""
        self.unwanted: list[Held] = []
        self.n_lookups = self.n_answers = 0
        self.prepare()

    def prepare(self) -> None:
        """What else there is to do before anything happens."""

    streams: tuple[str, ...] = ("", "s")
    is_whole = True
    """Whether nothing in the engine is broken."""

    @rule(seed=seeds)
    def happens(self, seed: int) -> None:
        """One thing more; in one rule, so that common things are tried often."""
        self.random.seed(seed)
        [name] = self.random.choices([*LIKELY], [*LIKELY.values()])
        getattr(self, name)()

    # What the host says

    def call(self) -> None:
        id_, stream = self.random.choice(IDS), self.random.choice(self.streams)
        name = self.random.choice(("find", "find", "find", "get", "cancel"))
        given = {"email": "a@b.c"} if name == "find" else {"id": self._order()}
        self._host_says(call(id_, name, **given), stream)
        self.asked[Place(stream, json.dumps(id_))] = False

    def cancel(self) -> None:
        id_, stream = self.random.choice(IDS), self.random.choice(self.streams)
        if self.held and self.random.random() < 0.5:
            stream, id_ = self.held[0].place.stream, json.loads(self.held[0].place.id)
        place = Place(stream, json.dumps(id_))
        if place in self.asked:
            self.asked[place] = True
        else:
            self._unwant([h for h in self.held if h.place == place])
        self._host_says(cancelled(id_), stream)

    def host_babbles(self) -> None:
        said = self.random.choice([b"no json\n", [{"id": 1}], {"method": "x"}, b"\xff"])
        self._host_says(said, "")

    def take_an_id(self) -> None:
        if self.lookups:
            taken = self.lookups.pop()
            self._host_says({"jsonrpc": "2.0", "id": taken, "method": "ping"}, "")

    # What the server says

    def answer(self) -> None:
        if self.asked:
            place = self.random.choice([*self.asked])
            is_withdrawn = self.asked.pop(place)
            kind = self.random.choice(("found",) * 6 + KINDS)
            said = self._answer(kind, json.loads(place.id))
            may_hold = kind in ("found", "order", "odd") and not is_withdrawn
            self._server_says(said, place.stream, place if may_hold else None)

    def answer_a_lookup(self) -> None:
        """Any of them, under way or long given up."""
        if self.lookups:
            id_ = self.lookups.pop(self.random.choice((-1, -1, 0)))
            kind = self.random.choice(("order",) * 6 + KINDS)
            self._server_says(self._answer(kind, id_), "", None, passes=False)

    def answer_a_lookup_in_a_batch(self) -> None:
        if self.lookups:
            id_, other = self.lookups.pop(), self._answer("order", "nobody's")
            before, sent = len(self.at.host), len(self.at.server)
            self.at.server_says([self._answer("order", id_), other])
            rest = [said for said in self.at.host[before:] if said.startswith(b"[")]
            assert [json.loads(said) for said in rest] == [[other]]
            self._check(before, rest)
            self._check_sent(sent, [])

    def answer_a_question(self) -> None:
        """Any of them, once more or long given up."""
        if self.at.questions:
            asked = self.random.choice([*self.at.questions[:-1], *self.at.questions])
            said = self.random.choice((OracleError("no"), Response("m", {})))
            before, sent = len(self.at.host), len(self.at.server)
            self.at.oracle_says(asked.id, said)
            self._check(before, [])
            self._check_sent(sent, [])

    def server_babbles(self) -> None:
        self._server_says(self.random.choice(BABBLE), "", None)

    def list_tools(self) -> None:
        self._host_says({"jsonrpc": "2.0", "id": "l", "method": "tools/list"}, "")
        hint = self.random.choice((True, True, True, False, None))
        self._server_says(listing("l", tool("find"), tool("get", hint)), "", None)

    # Time

    def wait(self) -> None:
        before, sent = len(self.at.host), len(self.at.server)
        self.at.wait(self.random.choice((0.001, 0.1, 0.3, 1.0, 2.5)))
        self._check(before, [])
        self._check_sent(sent, [])

    def close_a_stream(self) -> None:
        stream = "s"
        before, sent = len(self.at.host), len(self.at.server)
        self._unwant([h for h in self.held if h.place.stream == stream])
        for place in self.asked:
            self.asked[place] = self.asked[place] or place.stream == stream
        self.at.do(self.at.engine.closed_stream(stream, self.at.now))
        self._check(before, [])
        self._check_sent(sent, [])

    @invariant()
    def nothing_is_held_beyond_its_budget(self) -> None:
        assert all(self.at.now <= h.since + HOLD_S for h in self.held)

    @invariant()
    def no_more_is_asked_than_may_be(self) -> None:
        assert len(self.at.questions) <= QUESTIONS
        assert all(asked.budget_s <= ANSWER_S for asked in self.at.questions)

    @invariant()
    def nothing_fails(self) -> None:
        assert self.at.engine.counts["failed"] == 0 or not self.is_whole

    def teardown(self) -> None:
        if not hasattr(self, "at"):
            return
        before = len(self.at.host)
        if self.random.random() < 0.5:
            self.at.do(self.at.engine.closed(self.at.now))
        else:
            self.at.wait(HOLD_S)
        self._check(before, [])
        assert self.held == []
        for name in ("held", "added to", "out of time", "questions", "overtaken"):
            if self.at.engine.counts[name]:
                event(name)

    # The accounts

    def _host_says(self, said: object, stream: str) -> None:
        before, sent = len(self.at.host), len(self.at.server)
        self.at.host_says(said, stream)
        self._check(before, [])
        self._check_sent(sent, [line(said)])

    def _server_says(
        self, said: object, stream: str, place: "Place | None", *, passes: bool = True
    ) -> None:
        """A line of the server's, which may be held at a place, or passes, or not."""
        before, sent = len(self.at.host), len(self.at.server)
        self.at.server_says(said, stream)
        passed = line(said) in self.at.host[before:]
        if place is not None and not passed:
            self.held.append(Held(place, line(said), self.at.now))
        else:
            assert passed == passes
        self._check(before, [line(said)] if passed else [])
        self._check_sent(sent, [])

    def _unwant(self, held: list[Held]) -> None:
        """These results are not to be given, by an engine that understands as much."""
        if self.is_whole:
            self.held = [h for h in self.held if h not in held]
        self.unwanted = held

    def _check(self, before: int, passed: list[bytes]) -> None:
        """What is new at the host: these lines, and results that were held."""
        new = self.at.host[before:]
        for said in passed:
            new.remove(said)
        for said in new:
            [found] = [h for h in self.held if plain(said) == json.loads(h.said)]
            self.held.remove(found)
        self.held = [h for h in self.held if h not in self.unwanted]
        self.unwanted = []

    def _check_sent(self, before: int, passed: list[bytes]) -> None:
        """What is new at the server: these lines, and what the proxy may ask for."""
        new = self.at.server[before:]
        for said in passed:
            new.remove(said)
        for message in map(json.loads, new):
            if message["method"] == "notifications/cancelled":
                assert message["params"]["requestId"] in self.lookups
                continue
            assert message["id"] not in self.lookups
            self._check_lookup(message)
            self.lookups.append(message["id"])
            self.n_lookups += 1
        assert self.n_lookups <= PER_SESSION

    def _check_lookup(self, message: dict) -> None:
        """A lookup is one the flow has just decided on and offers there."""
        decision, params = self.at.decisions[-1], message["params"]
        assert message["method"] == "tools/call"
        assert decision["action"] == "lookup"
        assert "withheld" not in decision
        assert decision["tool"] == params["name"]
        assert decision["arguments"] == params["arguments"]
        tool = decision["site"].removesuffix(" (error)")
        site = Site(tool, failed=tool != decision["site"])
        assert params["name"] in options(FLOW, site)
        assert int(decision["address"].partition("#")[2]) < PER_CALL

    def _answer(self, kind: str, id_: object) -> dict:
        """A server's answer, unlike any other."""
        self.n_answers += 1
        more = {"n": self.n_answers}
        match kind:
            case "found":
                found = {"orders": [self._order() for _ in range(3)]}
                return result(id_, found, structuredContent=found, **more)
            case "order":
                return result(id_, {"id": self._order(), "status": "sent"}, **more)
            case "failed":
                return result(id_, "no", isError=True, **more)
            case "error":
                return error(id_, f"no {self.n_answers}")
            case "odd":
                said = {"content": {"orders": []}, **more}
                return {"jsonrpc": "2.0", "id": id_, "result": said}
            case _:
                return result(id_, "", task={"taskId": "t"}, **more)

    def _order(self) -> str:
        return f"W{self.random.randrange(40)}"


def plain(said: bytes) -> dict:
    """A result without what the proxy added to it."""
    message = json.loads(said)
    content = message["result"].get("content")
    if isinstance(content, list) and content[-1]["text"].startswith(HEADER):
        added = content.pop()["text"]
        structured = message["result"].get("structuredContent", {})
        assert structured.pop(RESERVED, added) == added
        if not content:  # it stands in the place of something odd
            message["result"]["content"] = {"orders": []}
    return message


FAULTS = (
    (Follower, "follow"),
    (Unfolding, "called"),
    (Unfolding, "returned"),
    (Unfolding, "moment"),
    (Unfolding, "said"),
    (Chooser, "choose"),
    (Chooser, "conclude"),
    (Behind, "begin"),
    (Behind, "looked_up"),
    (Behind, "decided"),
    (Permit, "refusal"),
    (OwnCalls, "call"),
    (OwnCalls, "abandon"),
    (OwnCalls, "_new_id"),
    (Delivery, "give"),
    (Holding, "_look_up"),
    (Holding, "_consult"),
    (Holding, "consulted"),
    (Holding, "_release"),
    (Holding, "_answered"),
    (ToolTable, "learn"),
    (ToolTable, "changed"),
    (holding, "run_line"),
    (holding, "said"),
    (choose, "decision_line"),
    (deliver, "appendix"),
    (deliver, "augmented"),
)
"""What may break: every step of the engine's but reading a line's JSON."""


class Broken(Talk):
    """As `Talk`, with something in the engine that breaks once, or from then on."""

    is_whole = False

    def mend(self) -> None:
        """Make what is broken whole again."""

    def prepare(self) -> None:
        owner, name = self.random.choice(FAULTS)
        whole = getattr(owner, name)
        first, forever = self.random.randrange(12), self.random.random() < 0.5
        n_calls = 0

        def breaks(*args: object, **named: object) -> object:
            nonlocal n_calls
            n_calls += 1
            if n_calls == first or (forever and n_calls > first):
                raise KeyError(name)
            return whole(*args, **named)

        setattr(owner, name, breaks)
        self.mend = partial(setattr, owner, name, whole)

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self.mend()
        if self.at.engine.counts["failed"]:
            event("switched off")


class Recorded(Talk):
    """As `Talk`, on one stream, as session logs are: read again at the end."""

    streams = ("",)

    def prepare(self) -> None:
        pilot = self.at.engine._router._pilot
        assert pilot is not None
        self.followed = followed(pilot._follower.episode)

    def close_a_stream(self) -> None:
        self.at.context_says(self.random.choice(("user", "assistant")), "W1, please")

    def teardown(self) -> None:
        super().teardown()
        if not hasattr(self, "at"):
            return
        with TemporaryDirectory() as folder:
            [episode] = read([self.at.log(Path(folder))])
        assert [*episode.events] == self.followed
        lookups = [c.id for turn in episode.turns for c in turn.calls if c.is_lookup]
        assert len(lookups) == self.n_lookups


def _tested(machine: type[Talk], n_sessions: int) -> type[TestCase]:
    """A machine's test case, over that many sessions."""
    case = type(f"{machine.__name__}{n_sessions}", (machine,), {}).TestCase
    case.settings = settings(
        max_examples=n_sessions, stateful_step_count=50, deadline=None
    )
    return case


TestInterleavings = _tested(Talk, 30)
TestWhatBreaks = _tested(Broken, 30)
TestReadingBack = _tested(Recorded, 20)
TestManyInterleavings = pytest.mark.slow(_tested(Talk, 1000))
TestMuchThatBreaks = pytest.mark.slow(_tested(Broken, 1000))
TestMuchReadingBack = pytest.mark.slow(_tested(Recorded, 300))
