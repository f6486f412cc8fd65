"""
Whatever is judged, and whenever the verdicts come, no line of the host's is lost.

On each stream the server gets the host's lines in their order and as they came, without
the writes that are refused or were cancelled before their verdict; each refused one is
answered once. What has no verdict in time passes.
"""

import json
from random import Random

from hypothesis import event, given, settings
from hypothesis import strategies as st

from stretto.errors import OracleError
from stretto.guards.confirm import Asked, Judging
from stretto.guards.guard import Guards, rule
from stretto.guards.sources import Sources
from stretto.guards.verdict import fail, unless
from stretto.oracle.answer import NoulAnswer, Response
from stretto.proxy.consents import Consents
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Confirming, Serving
from tests.proxy.engine.desk import Desk, line
from tests.proxy.engine.shop import FLOW, call, cancelled, engine, result

ANSWER_S = 1.5
STREAMS = ("", "s")


@rule("shop.small", ["cancel"], "Nothing big is cancelled.")
def small(_, made):
    return unless(made.arguments.get("id") != "big", "it is big")


@rule("shop.confirmed", ["cancel"], "The user agrees to it.", enforced=False)
def confirmed(_, __):
    return fail("nobody listened")


GUARDS = Guards("shop", (small, confirmed), Sources())


def served(request: dict) -> dict | None:
    """The server's answer to a lookup of the proxy's; none to what it only hears."""
    return result(request["id"], {"id": "W2"}) if "id" in request else None


class Talk:
    """A session, what the host said on each stream, and what became of it."""

    def __init__(self, random: Random) -> None:
        self.random = random
        judging = Judging(Asked.PROPOSED, random.random() < 0.5)
        how = Confirming(judging, "m", is_enforced=True, questions=12)
        self.has_flow = random.random() < 0.5
        settings = {"guards": GUARDS, "confirming": how}
        alone = Engine(None, None, Serving("tst", **settings))  # type: ignore[arg-type]
        self.at = Desk(engine(FLOW, **settings) if self.has_flow else alone, served)
        self.said: dict[str, list[object]] = {stream: [] for stream in STREAMS}
        self.streams: dict[int, str] = {}
        self.cancelled: set[int] = set()
        self.n = self.n_cancelled = 0

    def step(self) -> None:
        steps = [self.call] * 6 + [self.batch, self.cancel, self.verdict, self.verdict]
        steps += [self.verdict, self.wait, self.server, self.server, self.server]
        self.random.choice(steps)()

    def made(self, stream: str) -> dict:
        self.n += 1
        self.streams[self.n] = stream
        name = self.random.choice(("find", "get", "cancel", "cancel"))
        return call(self.n, name, id=self.random.choice(("W1", "big")))

    def host(self, said: object, stream: str) -> None:
        self.said[stream].append(said)
        self.at.do(self.at.engine.host_line(line(said), self.at.now, stream))

    def call(self) -> None:
        stream = self.random.choice(STREAMS)
        odd = self.random.random() < 0.1
        self.n += odd
        self.host(b"no json %d\n" % self.n if odd else self.made(stream), stream)

    def batch(self) -> None:
        stream = self.random.choice(STREAMS)
        calls = [self.made(stream) for _ in range(self.random.randint(1, 3))]
        self.host(calls, stream)

    def cancel(self) -> None:
        if self.streams:
            id_ = self.random.choice([*self.streams])
            self.cancelled.add(id_)
            self.n_cancelled += 1
            said = cancelled(id_)
            said["params"]["reason"] = str(self.n_cancelled)  # no two are alike
            self.host(said, self.streams[id_])

    def verdict(self) -> None:
        if self.at.questions:
            question = self.random.choice(self.at.questions)
            [asked] = question.request.questions
            answer = Response("m", {asked: NoulAnswer(self.random.choice((0.1, 0.9)))})
            late = self.random.random() < 0.2
            self.at.oracle_says(question.id, OracleError("no") if late else answer)

    def wait(self) -> None:
        self.at.wait(self.random.choice((0.1, 1.0, ANSWER_S)))

    def server(self) -> None:
        """A result, behind which a flow may look something up."""
        before = len(self.at.host)
        id_ = self.random.choice([1, *self.streams][-4:])
        said = result(id_)
        stream = self.streams.get(id_, "")
        self.at.do(self.at.engine.server_line(line(said), self.at.now, stream))
        assert self.has_flow or self.at.host[before:] == [line(said)]

    def answered(self) -> list[int]:
        """The ids that the proxy answered itself."""
        told = map(json.loads, self.at.host)
        return [m["id"] for m in told if m["result"].get("isError")]


def flat(lines: list[object]) -> list[str]:
    """The messages of some lines, one after the other, as text."""
    found: list[str] = []
    for said in lines:
        value = said if not isinstance(said, bytes) else said.decode()
        parts = value if isinstance(value, list) else [value]
        found += [p if isinstance(p, str) else json.dumps(p) for p in parts]
    return found


def read_alone(data: bytes, said: list[str]) -> bool:
    """Whether a line that the server got is one of these messages."""
    return flat([read(data)])[0] in said


def may_be_kept(talk: Talk, message: str, answered: list[int]) -> bool:
    """Whether the server need not get a message: refused, or cancelled in time."""
    said = json.loads(message)
    if "id" in said:
        return said["id"] in answered or said["id"] in talk.cancelled
    return said["method"] == "notifications/cancelled"


def read(data: bytes) -> object:
    return data if data.startswith(b"no json") else json.loads(data)


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 60), breaks=st.booleans())
def test_no_line_is_lost_reordered_or_invented(seed, n, breaks) -> None:
    random = Random(seed)
    talk = Talk(random)
    at, hears = talk.at, Consents.hear
    broken_at = random.randrange(n) if breaks else n

    def broken(*_: object) -> None:
        raise KeyError("lost")

    try:
        for i in range(n):
            if i == broken_at:
                Consents.hear = broken  # type: ignore[method-assign,assignment]
            talk.step()
        Consents.hear = hears  # type: ignore[method-assign]
        if random.random() < 0.5:
            at.do(at.engine.closed(at.now))
        else:
            at.wait(ANSWER_S * (n + 1))
    finally:
        Consents.hear = hears  # type: ignore[method-assign]

    answered = talk.answered()
    assert len(answered) == len({*answered})
    sent = flat([read(data) for data in at.server if b"stretto-tst" not in data])
    assert len(sent) == len({*sent})
    assert {*sent} <= {m for said in talk.said.values() for m in flat(said)}
    for lines in talk.said.values():
        said = flat(lines)
        got = [m for m in sent if m in said]
        assert got == [m for m in said if m in got]
        for message in (m for m in said if m not in got):
            assert may_be_kept(talk, message, answered)
        whole = [line(one) for one in lines if not isinstance(one, list)]
        singles = [data for data in at.server if data[:1] != b"["]
        assert {data for data in singles if read_alone(data, said)} <= {*whole}
    assert at.engine.counts["failed"] == 0 or breaks
    for name in (
        "lookups",
        "judged",
        "unconfirmed",
        "judged late",
        "refused",
        "failed",
    ):
        if at.engine.counts[name]:
            event(name)


def test_a_held_lines_stream_holds_no_other() -> None:
    talk = Talk(Random(0))
    talk.host(call(1, "cancel", id="W1"), "")
    talk.host(call(2, "get", id="W1"), "s")

    assert [json.loads(said)["id"] for said in talk.at.server] == [2]
