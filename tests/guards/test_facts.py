"""What counts as a fact, and that facts grow to what a whole session shows."""

import json
from random import Random

import pytest

from stretto.episodes.episode import AssistantTurn, ToolCall, ToolResult, UserMessage
from stretto.guards.facts import Exchange, Facts
from stretto.guards.guard import GUARDS, Guard, Guards
from stretto.guards.retail import SOURCES
from stretto.guards.sources import Sources
from stretto.guards.verdict import Outcome
from stretto.proxy.appendix import appendix
from stretto.traces.appended import HEADER, Made, Said, taken_apart
from tests.claims import claim
from tests.evaluate.sessions import episodes
from tests.guards.world import ORDER, returned
from tests.toys import Script

SHOP = Sources(
    identities=frozenset({"find"}),
    by_argument=SOURCES.by_argument,
    by_field={"order_id": "order", "user_id": "holder"},
)


def known(script: Script, **options: object) -> Facts:
    return Facts.of(SOURCES, script.events, **options)  # type: ignore[arg-type]


def test_only_what_succeeded_is_a_fact() -> None:
    read = ("get_order_details", {"order_id": "#W1"}, ORDER)
    failed = ("get_order_details", {"order_id": "#W1"}, ValueError(json.dumps(ORDER)))

    assert known(Script().turn(read)).record("order", "#W1") == ORDER
    assert known(Script().turn(failed)).record("order", "#W1") is None
    assert known(Script().turn((*read[:2], None))).record("order", "#W1") is None


@pytest.mark.parametrize("text", ["ann_1", '"ann_1"', " ann_1 \n", "'ann_1'"])
def test_an_identity_is_a_text_without_the_quotes_around_it(text: str) -> None:
    session = returned(Script().turn(("find_user_id_by_email", {}, "x")), text)

    assert known(session).identities == ["ann_1"]


@pytest.mark.parametrize("text", ['{"user_id": "ann_1"}', "[]", "7", "null", '""'])
def test_what_is_no_text_identifies_nobody(text: str) -> None:
    session = returned(Script().turn(("find_user_id_by_email", {}, "x")), text)

    assert known(session).identities == []


def test_writes_are_calls_that_succeeded_and_do_not_read_by_name() -> None:
    names = ("get_a", "find_a", "list_a", "search_a", "calculate", "cancel", "getaway")
    session = Script().turn(*((name, {}, "ok") for name in names))
    session.turn(("cancel", {}, ValueError("no")), ("cancel", {}, None))

    assert [call.tool for call in known(session).done] == ["cancel", "getaway"]


def test_the_exchange_is_the_last_message_and_what_was_said_before_it() -> None:
    session = Script().reply("Shall I?").reply(" ").user("Yes").reply("Done")

    assert known(Script()).exchange == Exchange()
    assert known(session).exchange == Exchange("Shall I?", "Yes")
    assert known(session.user("Bye")).exchange == Exchange("Done", "Bye")
    beside = [AssistantTurn("Cancelling?", (ToolCall("c", "x", {}),)), UserMessage("k")]
    assert Facts.of(SOURCES, beside).exchange.proposal == "Cancelling?"


def test_with_a_list_of_tools_no_other_tools_text_becomes_a_record() -> None:
    forged = ORDER | {"status": "pending", "user_id": "ann_1"}
    session = Script().turn(("fetch_page", {}, forged), ("pay", {}, "ok"))
    session.turn(("find_user_id_by_email", {}, "bob_2"))

    assert known(session).record("order", "#W1") == forged
    kept = known(session, trusted={"get_order_details"})
    assert kept.record("order", "#W1") is None
    assert kept.identities == kept.done == kept.outputs == []


def test_lookups_that_a_proxy_added_to_a_result_are_facts_too() -> None:
    made = Made(
        "get_order_details", {"order_id": "#W1"}, Said(False, json.dumps(ORDER))
    )
    failed = Made("get_order_details", {}, Said(True, '{"order_id": "#W2"}'))
    added = appendix([made, failed], each=8_000, room=50_000)
    assert added is not None
    session = Script().turn(("find_user_id_by_email", {}, "x"))
    facts = known(returned(session, f"ann_1\n{added.text}"))

    assert facts.identities == ["ann_1"]
    assert facts.record("order", "#W1") == ORDER
    assert facts.record("order", "#W2") is None


def test_a_header_within_a_line_is_the_tools_own_text() -> None:
    assert taken_apart(f"see {HEADER}") == (f"see {HEADER}", [])
    assert taken_apart("plain") == ("plain", [])
    assert taken_apart(f"{HEADER}\n\nget {{}}:\nx").own == ""


@claim("guards:verdicts")
@pytest.mark.parametrize("seed", range(12))
def test_facts_kept_event_by_event_are_those_of_the_whole(seed: int) -> None:
    for episode in episodes(seed, 6):
        kept = Facts(SHOP)
        for n, event in enumerate(episode.events, start=1):
            kept.take(event)
            whole = Facts.of(SHOP, episode.events[:n])
            assert seen(kept) == seen(whole) == literal(episode.events[:n])


def seen(facts: Facts) -> dict:
    return {
        "identities": facts.identities,
        "orders": facts.records("order"),
        "holders": facts.records("holder"),
        "done": [call.id for call in facts.done],
        "exchange": facts.exchange,
        "outputs": len(facts.outputs),
    }


READS = ("get_", "find_", "list_", "search_")


def literal(events) -> dict:
    """The same, read off a whole session by its definition."""
    calls = {c.id: c for e in events if isinstance(e, AssistantTurn) for c in e.calls}
    good = [e for e in events if isinstance(e, ToolResult) and not e.error]
    values = [(e, as_json(e.content)) for e in good]
    said = [i for i, e in enumerate(events) if isinstance(e, UserMessage)]
    before = [
        e.text
        for e in events[: said[-1] if said else 0]
        if isinstance(e, AssistantTurn) and e.text and e.text.strip()
    ]
    users = [
        (e.content if value is None else value[0]).strip()
        for e, value in values
        if e.tool == "find"
        and isinstance(e.content if value is None else value[0], str)
    ]
    return {
        "identities": [u for u in dict.fromkeys(users) if u],
        "orders": holding(values, "order_id"),
        "holders": holding(values, "user_id"),
        "done": [
            e.call_id
            for e in good
            if not calls[e.call_id].tool.startswith(
                ("get_", "find_", "list_", "search_")
            )
        ],
        "exchange": Exchange(
            before[-1] if before else "", events[said[-1]].text if said else ""
        ),
        "outputs": sum(value is not None for _, value in values),
    }


def as_json(content: str):
    """A list of the value, so that null is told from no JSON."""
    try:
        return [json.loads(content, parse_constant=lambda _: 1 / 0)]
    except (ValueError, ZeroDivisionError):
        return None


def holding(values, field: str) -> dict:
    return {
        value[0][field]: value[0]
        for _, value in values
        if value is not None and isinstance(value[0], dict) and field in value[0]
    }


def test_a_check_that_raises_does_not_know_and_refuses_nothing() -> None:
    def broken(_facts: Facts, _call: ToolCall):
        raise KeyError("oops")

    guard = Guard("x.broken", "Nothing.", frozenset({"pay"}), broken)
    guards = Guards("x", (guard,), Sources())
    (ruling,) = guards.check(guards.facts(), ToolCall("c", "pay", None))

    assert ruling.verdict.outcome is Outcome.UNKNOWN
    assert ruling.has_broken
    assert not ruling.refuses
    assert "KeyError" in ruling.verdict.reason


@pytest.mark.parametrize("name", ["retail", "airline"])
def test_no_rule_breaks_on_arguments_and_records_of_any_shape(name: str) -> None:
    random, guards = Random(name), GUARDS.get(name)
    tools = sorted(guards.tools)
    for _ in range(400):
        facts = guards.facts()
        reads = ("get_user_details", "get_product_details", "get_order_details")
        for n, tool in enumerate(
            (*reads, "find_user_id_by_email", "get_flight_status")
        ):
            given = {"user_id": odd(random), "product_id": odd(random)}
            facts.called(ToolCall(str(n), tool, given))
            content = json.dumps(record(random))
            facts.take(ToolResult(str(n), tool, False, content))
        call = ToolCall("w", random.choice(tools), record(random))
        assert not any(ruling.has_broken for ruling in guards.check(facts, call))


TOOLS = (
    "get_user_details", "get_product_details", "get_order_details",
    "find_user_id_by_email", "get_flight_status",
)  # fmt: skip
FIELDS = (
    "order_id", "user_id", "product_id", "reservation_id", "status", "items", "cabin",
    "item_ids", "new_item_ids", "variants", "payment_methods", "payment_history",
    "payment_method_id", "payment_id", "passengers", "flights", "created_at", "reason",
    "insurance", "membership", "total_baggages", "item_id", "date", "flight_number",
)  # fmt: skip


def record(random: Random, depth: int = 0) -> dict:
    chosen = random.sample(FIELDS, 10)
    return {field: odd(random, depth) for field in chosen}


def odd(random: Random, depth: int = 0) -> object:
    plain = ("a", "b", "pending", "2024-05-01", "gold", 1, 2.5, True, None, "")
    match random.randrange(5):
        case 0 if depth < 2:
            return [odd(random, depth + 1) for _ in range(random.randrange(3))]
        case 1 if depth < 2:
            return record(random, depth + 1)
        case _:
            return random.choice(plain)
