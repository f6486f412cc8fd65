"""Guards in the engine: what is refused, what the agent is told, what passes."""

import json
from datetime import datetime
from pathlib import Path
from random import Random

import pytest

from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.evaluate.guards import writes
from stretto.guards.facts import Facts
from stretto.guards.guard import GUARDS, Guard, Guards
from stretto.guards.proposal import Choices
from stretto.guards.retail import GUARDS as RETAIL
from stretto.guards.sources import Sources
from stretto.guards.verdict import PASSED, fail
from stretto.proxy.commit import NAME as COMMIT
from stretto.proxy.engine import Engine
from stretto.proxy.guarding import Guarding
from stretto.proxy.serving import Serving
from stretto.traces.appended import HEADER
from stretto.traces.reader import read
from tests.claims import claim
from tests.conftest import shared
from tests.guards.world import ORDER, USER
from tests.proxy.engine.desk import Desk, line
from tests.proxy.engine.shop import (
    FLOW,
    call,
    cancelled,
    engine,
    listing,
    result,
    silent,
    texts,
)

CANCEL = "cancel_pending_order"
DELIVERED = ORDER | {"status": "delivered"}


def guarded(guards: Guards = RETAIL, **options: object) -> Desk:
    """A desk with guards and no flow, whose server says nothing by itself."""
    serving = Serving("tst", guards=guards, **options)  # type: ignore[arg-type]
    return Desk(Engine(None, None, serving))


def exchange(at: Desk, id: object, tool: str, returned: object, **given: object):
    at.host_says(call(id, tool, **given))
    at.server_says(result(id, returned))


def known(at: Desk, order: dict = DELIVERED) -> Desk:
    """The same, after the customer was identified and the order read."""
    exchange(at, 1, "find_user_id_by_email", "ann_1", email="a@b.c")
    exchange(at, 2, "get_user_details", USER, user_id="ann_1")
    exchange(at, 3, "get_order_details", order, order_id="#W1")
    return at


def cancel(id: object = 9, reason: str = "no longer needed") -> dict:
    return call(id, CANCEL, order_id="#W1", reason=reason)


@claim("guards:unknown")
def test_a_write_that_breaks_an_enforced_rule_never_reaches_the_server() -> None:
    at = known(guarded())
    n = len(at.server)
    at.host_says(cancel())

    told = json.loads(at.host[-1])
    assert len(at.server) == n
    assert told["id"] == 9
    assert told["result"]["isError"] is True
    assert texts(at.host[-1]) == [
        f"{CANCEL} was not called: a policy check stopped it before it reached the "
        "server, so nothing has changed. The order is delivered, not pending (policy "
        "check retail.pending)"
    ]
    assert at.notes == [
        f"refused {CANCEL}: the order is delivered, not pending (policy check "
        "retail.pending)"
    ]
    assert (at.engine.counts["checked"], at.engine.counts["refused"]) == (1, 1)


def test_a_write_that_breaks_none_passes_byte_for_byte() -> None:
    at = known(guarded(), ORDER)
    spelled = json.dumps(cancel(), indent=None, separators=(" ,  ", ":")).encode()
    at.host_says(spelled + b"\n")
    at.server_says(result(9, "done"))

    assert at.server[-1] == spelled + b"\n"
    assert at.host[-1] == line(result(9, "done"))
    assert at.notes == []


def test_what_is_not_known_and_what_is_only_logged_refuses_nothing() -> None:
    unread = guarded()
    exchange(unread, 1, "find_user_id_by_email", "ann_1", email="a@b.c")
    unread.host_says(call(2, "modify_user_address", user_id="ann_1"))
    [check] = unread.checks

    assert unread.server[-1] == line(call(2, "modify_user_address", user_id="ann_1"))
    assert check["verdicts"] == {
        "retail.authenticated": "pass",
        "retail.confirmed": "fail",
    }
    assert check["refused"] is False


def test_in_shadow_everything_passes_and_is_logged() -> None:
    at = known(guarded(guards_shadow=True))
    at.host_says(cancel())
    [check] = at.checks

    assert at.server[-1] == line(cancel())
    assert check["shadow"] is True
    assert check["refused"] is False
    assert check["verdicts"]["retail.pending"] == "fail"


def test_each_checked_call_has_a_line_with_every_verdict_and_reason() -> None:
    at = known(guarded())
    at.host_says(call(4, "get_order_details", order_id="#W1"))
    at.host_says(cancel("x"))
    [check] = at.checks

    assert check == {
        "call": "x",
        "tool": CANCEL,
        "arguments": {"order_id": "#W1", "reason": "no longer needed"},
        "verdicts": {
            "retail.authenticated": "pass",
            "retail.own_order": "pass",
            "retail.status_checked": "pass",
            "retail.pending": "fail",
            "retail.cancel_reason": "pass",
            "retail.confirmed": "fail",
        },
        "reasons": {
            "retail.pending": "the order is delivered, not pending",
            "retail.confirmed": "the customer has said nothing",
        },
        "refused": True,
        "proposal_check": [],
    }


def test_an_argument_of_another_record_is_logged_and_not_refused() -> None:
    at = known(guarded(), ORDER)
    shown = {
        "items": [{"id": "i1111", "is": "Mug"}, {"id": "i2222", "is": "Green Tea"}]
    }
    exchange(at, 4, "list_things", shown)
    at.context_says("user", "yes, the green tea")
    at.host_says(call(9, CANCEL, order_id="#W1", reason="i1111"))

    assert at.checks[-1]["proposal_check"] == [{"argument": "reason", "value": "i1111"}]


def test_what_the_customer_said_is_taken_from_the_conversation() -> None:
    at = known(guarded(), ORDER)
    at.context_says("user", "Yes, please cancel it")
    at.host_says(cancel())

    assert at.checks[-1]["verdicts"]["retail.confirmed"] == "pass"


def test_calls_in_a_batch_are_guarded_one_by_one() -> None:
    at = known(guarded())
    read, note = call(5, "get_order_details", order_id="#W1"), {"method": "n"}
    batch = [read, cancel(6), note, cancel(7)]
    said = b" [ " + b" , ".join(json.dumps(m).encode() for m in batch) + b" ]\r\n"
    at.host_says(said)

    assert [json.loads(x)["id"] for x in at.host[-2:]] == [6, 7]
    assert json.loads(at.server[-1]) == [read, note]
    assert at.server[-1].endswith(b" ]\r\n")
    assert json.dumps(read).encode() in at.server[-1]


def test_a_batch_of_refused_calls_alone_is_not_passed_on() -> None:
    at = known(guarded())
    n = len(at.server)
    at.host_says([cancel(6), cancel(7)])

    assert len(at.server) == n
    assert len(at.host) == 3 + 2


def test_a_batch_without_a_refused_call_passes_as_it_came() -> None:
    at = known(guarded(), ORDER)
    said = b"[ " + json.dumps(cancel(6)).encode() + b" ,7 ]\n"
    at.host_says(said)

    assert at.server[-1] == said


def test_a_call_without_an_id_is_guarded_too_and_dropped_without_an_answer() -> None:
    at = known(guarded())
    n_server, n_host = len(at.server), len(at.host)
    said = {key: value for key, value in cancel().items() if key != "id"}
    at.host_says(said)

    assert (len(at.server), len(at.host)) == (n_server, n_host)
    assert at.engine.counts["refused"] == 1


def test_a_refused_call_is_an_error_of_the_session_that_is_recorded(
    tmp_path: Path,
) -> None:
    at = known(guarded())
    at.host_says(cancel())
    at.host_says([cancel(10), call(11, "get_order_details", order_id="#W1")])
    at.server_says([result(11, DELIVERED)])
    [episode] = read([at.log(tmp_path)])

    returned = [e for e in episode.events if isinstance(e, ToolResult)]
    by_tool = [(e.tool, e.error) for e in returned[3:]]
    assert by_tool == [(CANCEL, True), (CANCEL, True), ("get_order_details", False)]
    assert "policy check retail.pending" in returned[3].content


def test_the_stateless_era_is_answered_in_its_own_words() -> None:
    at = known(guarded())
    said = cancel()
    said["params"]["_meta"] = {"io.modelcontextprotocol/protocolVersion": "2026-06-30"}
    at.host_says(said)

    assert json.loads(at.host[-1])["result"]["resultType"] == "complete"


def test_a_refusal_keeps_to_its_stream() -> None:
    at = guarded()
    at.host_says(cancel(), stream="two")

    assert json.loads(at.host[-1])["id"] == 9


def test_a_guard_that_raises_blocks_nothing_and_that_is_noted() -> None:
    def broken(_facts: Facts, _call: ToolCall):
        raise LookupError("oops")

    guard = Guard("shop.broken", "Nothing.", frozenset({"pay"}), broken)
    at = guarded(Guards("shop", (guard,), Sources()))
    at.host_says(call(1, "pay"))
    at.host_says(call(2, "pay"))

    assert at.server == [line(call(1, "pay")), line(call(2, "pay"))]
    assert at.checks[0]["verdicts"] == {"shop.broken": "unknown"}
    assert at.notes == ["shop.broken: the check broke: LookupError: oops"]


def test_a_call_of_no_tool_is_left_to_the_server() -> None:
    at = guarded()
    said = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7}}
    at.host_says(said)

    assert at.server == [line(said)]


def test_a_check_that_cannot_be_logged_still_refuses(monkeypatch) -> None:
    def breaks(*_: object) -> None:
        raise RecursionError("too deep")

    at = known(guarded())
    monkeypatch.setattr(Choices, "flags", breaks)
    n = len(at.server)
    at.host_says(cancel())

    assert len(at.server) == n
    assert at.checks == []
    assert at.notes[-1] == "a check was not logged: RecursionError: too deep"


def test_guards_that_lose_the_thread_refuse_nothing(monkeypatch) -> None:
    def breaks(*_: object) -> None:
        raise KeyError("lost")

    at = known(guarded())
    monkeypatch.setattr(Facts, "called", breaks)
    at.host_says(call(4, "get_order_details", order_id="#W1"))
    at.host_says(cancel())

    assert at.server[-1] == line(cancel())
    assert at.notes == ["the guards are switched off: KeyError: 'lost'"]


def test_guards_go_on_where_the_flow_was_switched_off(monkeypatch) -> None:
    serving = {"guards": RETAIL}
    at = known(Desk(engine(FLOW, **serving), silent))
    episode = at.engine._router._pilot._follower.episode  # type: ignore[union-attr]

    def breaks(*_: object, **__: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(type(episode), "called", breaks)
    n = len(at.server)
    at.host_says([cancel(9), cancel(10)])
    at.host_says(cancel(11))

    assert len(at.server) == n
    assert [json.loads(x)["id"] for x in at.host[-3:]] == [9, 10, 11]
    assert at.engine.counts["failed"] == 1


def test_an_id_used_again_by_a_refused_call_gets_the_held_result_first() -> None:
    serving = {"guards": RETAIL}
    at = Desk(engine(FLOW, **serving), silent)
    at.host_says(call(1))
    at.server_says(result(1))
    at.host_says(cancel(1))

    assert at.host[0] == line(result(1))
    assert json.loads(at.host[1])["result"]["isError"] is True


def test_lookups_of_a_flow_and_of_another_proxy_are_facts() -> None:
    at = guarded()
    appended = f'{HEADER}\n\nget_order_details {{"order_id":"#W1"}}:\n'
    content = [{"type": "text", "text": "ann_1"},
               {"type": "text", "text": appended + json.dumps(DELIVERED)}]  # fmt: skip
    at.host_says(call(1, "find_user_id_by_email", email="a@b.c"))
    at.server_says({"jsonrpc": "2.0", "id": 1, "result": {"content": content}})
    at.host_says(cancel())

    assert at.checks[0]["verdicts"]["retail.pending"] == "fail"
    assert at.checks[0]["verdicts"]["retail.authenticated"] == "pass"


def test_a_commit_stops_at_the_change_that_is_refused() -> None:
    at = known(guarded(commit=True))
    changes = [
        {"name": "modify_user_address", "arguments": {"user_id": "ann_1"}},
        {"name": CANCEL, "arguments": {"order_id": "#W1"}},
        {"name": "modify_user_address", "arguments": {"user_id": "ann_1"}},
    ]
    n = len(at.server)
    at.host_says(call(9, COMMIT, calls=changes))
    asked = json.loads(at.server[-1])
    at.server_says(result(asked["id"], "done"))

    assert len(at.server) == n + 1
    assert json.loads(at.host[-1])["result"]["isError"] is True
    made, refused, untried = texts(at.host[-1])[0].split("\n\n")
    assert made == 'modify_user_address {"user_id":"ann_1"}:\ndone'
    assert refused.startswith(
        f'{CANCEL} {{"order_id":"#W1"}} was refused, and nothing of it was done: '
    )
    assert "(policy check retail.pending)" in refused
    assert untried == 'modify_user_address {"user_id":"ann_1"} was not tried'
    assert [check["call"] for check in at.checks] == [9, 9]


def test_a_line_that_cannot_be_read_passes_and_that_is_noted() -> None:
    at = guarded()
    said = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":NaN}}\n'
    at.host_says(said)

    assert at.server == [said]
    assert at.notes == ["a line that cannot be read passed, and no guard checked it"]


def test_guards_without_a_time_of_their_own_go_by_the_clock() -> None:
    seen: list[datetime | None] = []

    def looks(facts: Facts, _call: ToolCall):
        seen.append(facts.now)
        return PASSED

    guard = Guard("shop.late", "Nothing.", frozenset({"pay"}), looks)
    guards = Guards("shop", (guard,), Sources())
    noon = datetime(2030, 1, 1, 12)
    for used in (guards, guards.at(datetime(2020, 1, 1))):
        at = guarded(used)
        guarding = Guarding(
            Serving("t", guards=used), at.engine._out, clock=lambda: noon
        )
        assert guarding.check("pay", {}, 1).why is None

    assert seen == [noon, datetime(2020, 1, 1)]


@pytest.mark.parametrize(
    ("domain", "file"),
    [
        ("retail", "tau2-sierra-prs/retail__gpt-4.1__40.json.gz"),
        ("airline", "tau2-sierra-prs/airline__gpt-4o-2024-11-20__50.json.gz"),
    ],
)
def test_recorded_sessions_held_again_are_checked_live_as_they_are_audited(
    domain: str, file: str
) -> None:
    guards = GUARDS.get(domain)
    n = 0
    for episode in read([shared(f"sessions/{file}")]):
        at = guarded(guards, guards_shadow=True)
        for event in episode.events:
            held(at, event)
        audited = [
            (
                write.call.tool,
                {r.guard.rule: r.verdict.outcome.value for r in write.rulings},
                [flag._asdict() for flag in write.flags],
            )
            for write in writes(guards, episode)
        ]
        live = [(c["tool"], c["verdicts"], c["proposal_check"]) for c in at.checks]
        assert live == audited, episode.id
        assert at.engine.counts["failed"] == 0
        n += len(live)
    assert n >= 50


def held(at: Desk, event: Event) -> None:
    """What happened in a session happens again."""
    match event:
        case UserMessage(text):
            at.context_says("user", text)
        case AssistantTurn(text, calls):
            for made in calls:
                params = {"name": made.tool, "arguments": made.arguments}
                at.host_says({"id": made.id, "method": "tools/call", "params": params})
            if text:
                at.context_says("assistant", text)
        case ToolResult(call_id, _, error, content):
            said = {"content": [{"type": "text", "text": content}], "isError": error}
            at.server_says({"jsonrpc": "2.0", "id": call_id, "result": said})


ORDERS = ("#W1", "#W2", "#W3")


def bans(orders: set[str]) -> Guards:
    """Guards that refuse to cancel these orders, once somebody was identified."""

    def banned(facts: Facts, call: ToolCall):
        given = call.arguments if isinstance(call.arguments, dict) else {}
        is_banned = given.get("order_id") in orders and bool(facts.identities)
        return fail("banned") if is_banned else PASSED

    logged = Guard("shop.logged", "Nothing.", frozenset({CANCEL}),
                   lambda _f, _c: fail("logged"), enforced=False)  # fmt: skip
    guard = Guard("shop.ban", "Some stay.", frozenset({CANCEL}), banned)
    return Guards("shop", (guard, logged), RETAIL.sources)


@pytest.mark.parametrize("with_flow", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_whatever_the_order_of_lines_exactly_what_is_banned_is_refused(
    seed: int, with_flow: bool
) -> None:
    """No other line of the host's is lost or changed, and each refusal is answered."""
    random, banned = Random(seed), {"#W1", "#W3"}
    settings = {"guards": bans(banned), "commit": random.random() < 0.5}
    at = (
        Desk(engine(FLOW, **settings), silent)
        if with_flow
        else Desk(Engine(None, None, Serving("tst", **settings)))
    )
    open_: list[tuple[object, str]] = []
    identified, expected, refused = False, [], []
    for id in range(1, 120):
        kind = random.choice(("call", "batch", "answer", "answer", "other", "cancel"))
        if kind == "answer" and open_:
            at_id, tool = open_.pop(random.randrange(len(open_)))
            at.server_says(result(at_id, "ann_1" if "find" in tool else ORDER))
            identified |= tool == "find_user_id_by_email"
        elif kind == "other":
            said = random.choice((listing(0), b"babble\n", b"[]\n", {"method": "x"}))
            at.host_says(said)
            expected.append(line(said))
        elif kind == "cancel" and open_:
            said = cancelled(random.choice(open_)[0])
            at.host_says(said)
            expected.append(line(said))
        elif kind in ("call", "batch"):
            n = 1 if kind == "call" else random.randint(1, 4)
            calls = [drawn(random, f"{id}.{k}") for k in range(n)]
            is_out = [identified and is_banned(c, banned) for c in calls]
            refused += [c["id"] for c, out in zip(calls, is_out, strict=True) if out]
            kept = [c for c, out in zip(calls, is_out, strict=True) if not out]
            open_ += [(c["id"], c["params"]["name"]) for c in kept]
            said = calls[0] if kind == "call" else calls
            at.host_says(said)
            if len(kept) == n:
                expected.append(line(said))
            elif kept:
                expected.append(kept)
        if random.random() < 0.2:
            at.wait(random.choice((0.1, 2.0, 6.0)))

    passed = [x for x in at.server if b"stretto-tst" not in x]
    assert [x if isinstance(y, bytes) else json.loads(x)
            for x, y in zip(passed, expected, strict=True)] == expected  # fmt: skip
    told = [json.loads(x) for x in at.host if b"policy check shop.ban" in x]
    assert [answer["id"] for answer in told] == refused
    assert all(answer["result"]["isError"] for answer in told)
    assert at.engine.counts["failed"] == 0
    assert at.engine.counts["refused"] == len(refused)
    assert (at.engine.counts["lookups"] > 0) <= with_flow


def drawn(random: Random, id: str) -> dict:
    if random.random() < 0.5:
        return call(id, CANCEL, order_id=random.choice(ORDERS))
    tool = random.choice(("find_user_id_by_email", "get_order_details", "find"))
    return call(id, tool, email="a@b.c")


def is_banned(said: dict, banned: set[str]) -> bool:
    params = said["params"]
    return params["name"] == CANCEL and params["arguments"]["order_id"] in banned
