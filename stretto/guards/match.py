"""
Which record the customer means, as a System-One model reads their words.

A write may pick records out of earlier results: an order's items, the variant that an
item becomes, a payment method, a reservation. The model is shown the customer's words
and the candidates, and not what the agent picked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from stretto.canonical import Json, text
from stretto.episodes.episode import ToolCall
from stretto.guards import airline, retail
from stretto.guards.describe import describe
from stretto.guards.facts import Facts, Record
from stretto.guards.reading import argument, named, objects, records, texts
from stretto.oracle.answer import ChoiceAnswer, NoulAnswer, Response
from stretto.oracle.next_step import joined
from stretto.oracle.question import Choice, Criteria, Noul, Question, Request
from stretto.oracle.wording import Wording, fill

MAX_MESSAGES, MAX_MESSAGE = 12, 600
"""How many of the customer's messages are shown, and characters of each."""
MAX_SUMMARY, MAX_RUBRIC = 300, 220
"""Characters of a write's summary, and of a record as an option."""
YES = 0.5
"""The least probability at which an item is picked."""

PICK, ITEM = "pick", "item_"
"""The id of a choice's question, and what the ids of items begin with."""


class Picks(StrEnum):
    """What a write picks."""

    ITEMS = "items"
    VARIANT = "variant"
    PAYMENT = "payment"
    RESERVATION = "reservation"


@dataclass(frozen=True, slots=True)
class Decision:
    """One pick that a call makes among candidates."""

    picks: Picks
    call: ToolCall
    about: str
    """The order or reservation that the call names."""
    candidates: Mapping[str, Record]
    """The records by id, as they are shown."""
    picked: frozenset[str]
    """What the call picks."""
    item: str | None = None
    """The item that a variant takes the place of."""
    beside: tuple[str, Json] | None = None
    """What else is shown, by its name in the state."""


@dataclass(frozen=True, slots=True)
class Matched:
    """What the model holds the customer to mean."""

    picked: frozenset[str]
    confidence: float


def decisions(facts: Facts, call: ToolCall) -> Iterator[Decision]:
    """The picks that a call makes, each among two records or more."""
    for found in _decisions(facts, call):
        if len(found.candidates) > 1:
            yield found


def expected_picks(
    decision: Decision, actions: Sequence[ToolCall]
) -> tuple[frozenset[str], ...]:
    """What a task's actions pick here; more than one where it may pick variously."""
    key = "reservation_id" if decision.picks is Picks.RESERVATION else "order_id"
    same = [action for action in actions if action.tool == decision.call.tool]
    if decision.picks is Picks.RESERVATION:
        return tuple(frozenset(_ids(argument(action, key))) for action in same)
    there = [a for a in same if text(argument(a, key)) == decision.about]
    if decision.picks is Picks.VARIANT:
        pairs = (pair for action in there for pair in _pairs(action))
        return tuple(frozenset({new}) for old, new in pairs if old == decision.item)
    picks = (_picked(decision.picks, action) for action in there)
    return tuple(found for found in picks if found)


def match_request(
    model: str,
    decision: Decision,
    said: Sequence[str],
    wording: Wording,
    *,
    summary: str = "",
) -> Request:
    """
    What is asked about a pick.

    Args:
        said: The customer's messages so far.
        summary: The write's documentation; its name stands in where there is none.
    """
    is_reservation = decision.picks is Picks.RESERVATION
    write = summary[:MAX_SUMMARY] or decision.call.tool
    about: dict[str, Json] = {"write": write}
    if not is_reservation:
        about["order_id"] = decision.about
    state: dict[str, Json] = {
        "customer_said": [message[:MAX_MESSAGE] for message in said[-MAX_MESSAGES:]],
        "the_agent_is_about_to": about,
        "candidates": dict(decision.candidates),
    }
    if decision.beside is not None:
        name, value = decision.beside
        state[name] = value
    return Request(model, state, _questions(decision, wording))


def read_match(response: Response, decision: Decision) -> Matched | None:
    """What was answered; None where an answer is missing."""
    if decision.picks is not Picks.ITEMS:
        chosen = response.answers.get(PICK)
        if not isinstance(chosen, ChoiceAnswer):
            return None
        p = chosen.probabilities.get(chosen.choice, 0.0)
        return Matched(frozenset({chosen.choice}), p)
    p_yes: dict[str, float] = {}
    for item in decision.candidates:
        answer = response.answers.get(f"{ITEM}{item}")
        if not isinstance(answer, NoulAnswer):
            return None
        p_yes[item] = answer.noul
    picked = frozenset(item for item, p in p_yes.items() if p >= YES)
    return Matched(picked, min(max(p, 1 - p) for p in p_yes.values()))


def _decisions(facts: Facts, call: ToolCall) -> Iterator[Decision]:
    if call.tool in (retail.RETURN, retail.EXCHANGE, retail.ITEMS):
        yield from _items(facts, call)
    if call.tool in (retail.EXCHANGE, retail.ITEMS):
        yield from _variants(facts, call)
    if call.tool == retail.PAYMENT:
        yield from _payment(facts, call)
    if call.tool in airline.CHANGES:
        yield from _reservation(facts, call)


def _items(facts: Facts, call: ToolCall) -> Iterator[Decision]:
    order = named(facts, "order", call) or {}
    candidates: dict[str, Record] = {}
    for item in objects(order.get("items")):
        candidates.setdefault(text(item.get("item_id")), _without(item, "product_id"))
    picked = _picked(Picks.ITEMS, call)
    yield Decision(Picks.ITEMS, call, _order(call), candidates, picked)


def _variants(facts: Facts, call: ToolCall) -> Iterator[Decision]:
    order = named(facts, "order", call) or {}
    items = {text(i.get("item_id")): i for i in objects(order.get("items"))}
    for old, new in dict.fromkeys(_pairs(call)):
        item = items.get(old, {})
        product = facts.record("product", item.get("product_id")) or {}
        yield Decision(
            Picks.VARIANT, call, _order(call), records(product.get("variants")),
            frozenset({new}), old, ("item_being_replaced", item),
        )  # fmt: skip


def _payment(facts: Facts, call: ToolCall) -> Iterator[Decision]:
    order = named(facts, "order", call) or {}
    user = facts.record("user", order.get("user_id")) or {}
    yield Decision(
        Picks.PAYMENT,
        call,
        _order(call),
        records(user.get("payment_methods")),
        _picked(Picks.PAYMENT, call),
        beside=("payments_so_far", order.get("payment_history")),
    )


def _reservation(facts: Facts, call: ToolCall) -> Iterator[Decision]:
    read = facts.records("reservation")
    about = text(argument(call, "reservation_id"))
    owner = read.get(about, {}).get("user_id")
    candidates = {
        id: _without(record, "payment_history", "user_id")
        for id, record in read.items()
        if record.get("user_id") == owner
    }
    yield Decision(Picks.RESERVATION, call, about, candidates, frozenset({about}))


def _picked(picks: Picks, call: ToolCall) -> frozenset[str]:
    """The items or the payment method that a call picks; none where it has none."""
    is_payment = picks is Picks.PAYMENT
    name = "payment_method_id" if is_payment else "item_ids"
    return frozenset(_ids(argument(call, name)))


def _pairs(call: ToolCall) -> list[tuple[str, str]]:
    """Each item that gives way, and what takes its place; none where they are odd."""
    old, new = (_ids(argument(call, name)) for name in ("item_ids", "new_item_ids"))
    return [*zip(old, new, strict=True)] if len(old) == len(new) else []


def _questions(decision: Decision, words: Wording) -> dict[str, Question]:
    if decision.picks is Picks.ITEMS:
        criteria = Criteria(words.match_item_true, words.match_item_false)
        return {
            f"{ITEM}{id}": Noul(
                joined(
                    words.data_note,
                    fill(words.match_item, id=id, describe=_rubric(record)),
                ),
                criteria,
            )
            for id, record in decision.candidates.items()
        }
    asked = {
        Picks.VARIANT: words.match_variant,
        Picks.PAYMENT: words.match_payment,
        Picks.RESERVATION: words.match_reservation,
    }[decision.picks]
    options = {id: _rubric(record) for id, record in decision.candidates.items()}
    return {PICK: Choice(joined(words.data_note, asked), options)}


def _rubric(record: Record) -> str:
    return describe(record)[:MAX_RUBRIC]


def _order(call: ToolCall) -> str:
    return text(argument(call, "order_id"))


def _ids(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    return texts(value) or []


def _without(record: Record, *names: str) -> Record:
    return {name: value for name, value in record.items() if name not in names}
