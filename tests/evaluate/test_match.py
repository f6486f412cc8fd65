"""Picks at recorded writes, counted by what the task expects."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from stretto.canonical import Json
from stretto.episodes.episode import AssistantTurn
from stretto.episodes.manifest import Manifest
from stretto.errors import OracleError
from stretto.evaluate.match import Asked, Tally, audit_match, gather_picks
from stretto.guards.load import load
from stretto.guards.match import match_request
from stretto.oracle.answer import Answer, ChoiceAnswer, NoulAnswer
from stretto.oracle.question import Choice, Request
from stretto.oracle.scripted import ScriptedOracle
from stretto.oracle.wording import shipped_wording
from stretto.traces.reader import read
from tests.conftest import shared
from tests.guards.world import read_order

SESSIONS = {
    "retail": (
        "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"
    ),
    "airline": "sessions/tau1-airline-yiphei",
}
NO_DOCS = Manifest("")


def gathered(domain: str):
    return gather_picks(load(domain).guards, read([shared(SESSIONS[domain])]))


def key(pick: Asked) -> str:
    return match_request("scripted", pick.decision, pick.said, shipped_wording()).key


def picking(wanted: dict[str, frozenset[str]]) -> ScriptedOracle:
    """An oracle that picks these, by request; it answers only with what is offered."""

    def answer(request: Request) -> dict[str, Answer]:
        picked = wanted[request.key]
        made: dict[str, Answer] = {}
        for id, question in request.questions.items():
            if isinstance(question, Choice):
                [one] = picked
                if one not in question.criteria:
                    raise OracleError("not offered")
                p = {option: float(option == one) for option in question.criteria}
                made[id] = ChoiceAnswer(one, p, 1.0)
            else:
                made[id] = NoulAnswer(float(id.removeprefix("item_") in picked))
        return made

    return ScriptedOracle(answer)


@pytest.mark.parametrize("domain", sorted(SESSIONS))
@pytest.mark.parametrize("is_agents", [False, True])
def test_every_count_is_that_of_a_recount_pick_by_pick(domain, is_agents) -> None:
    found = gathered(domain)
    wanted: dict[str, frozenset[str]] = {}
    for pick in found.picks:
        of = pick.decision.picked if is_agents else pick.expected[0]
        wanted.setdefault(key(pick), of)
    made = audit_match(found, picking(wanted), shipped_wording(), NO_DOCS)
    literal: Counter[tuple[str, str]] = Counter()
    for pick in found.picks:
        offered = {*pick.decision.candidates}
        told = wanted[key(pick)]
        is_items = pick.decision.picks == "items"
        is_answered = is_items or told <= offered
        picked = told & offered
        is_wrong = pick.decision.picked not in pick.expected
        differs = is_answered and picked != pick.decision.picked
        marks = {
            "choices": True,
            "not_offered": not any(e <= offered for e in pick.expected),
            "answered": is_answered,
            "model_right": is_answered and picked in pick.expected,
            "agent_right": not is_wrong,
            "differ": differs,
            "differ_agent_wrong": differs and is_wrong,
            "confident_differ": differs,
            "confident_agent_wrong": differs and is_wrong,
        }
        kind = pick.decision.picks
        literal.update((kind, name) for name, holds in marks.items() if holds)

    assert made.counts == literal
    assert made.total(Tally.MODEL_RIGHT) > 0
    assert made.total(Tally.AGENT_RIGHT) < made.total(Tally.CHOICES)


def test_the_agents_picks_are_those_of_a_literal_recount_of_recorded_returns() -> None:
    tool = "return_delivered_order_items"
    literal: Counter[bool] = Counter()
    for episode in read([shared(SESSIONS["retail"])]):
        sizes: dict[Json, int] = {}
        for event in episode.events:
            for call in event.calls if isinstance(event, AssistantTurn) else ():
                if call.tool != tool or sizes.get(call.arguments["order_id"], 0) < 2:
                    continue
                gold = [
                    sorted({*a.arguments["item_ids"]})
                    for a in episode.expected or ()
                    if a.tool == tool
                    and a.arguments["order_id"] == call.arguments["order_id"]
                ]
                if gold:
                    literal[sorted({*call.arguments["item_ids"]}) in gold] += 1
            content = getattr(event, "content", "")
            if '"order_id"' in content and not event.error:
                order = json.loads(content)
                ids = {item["item_id"] for item in order.get("items", ())}
                sizes[order["order_id"]] = len(ids)
    found = gathered("retail")
    returns = [p for p in found.picks if p.decision.call.tool == tool]

    assert Counter(p.is_agent_right for p in returns) == literal
    assert literal[True] > literal[False] > 0


def test_sessions_that_say_nothing_of_their_task_are_counted_and_not_asked() -> None:
    tool, given = "return_delivered_order_items", {"order_id": "#W1", "item_ids": ["1"]}
    silent = read_order().turn((tool, given, None)).episode()
    without = replace(silent, expected=())
    found = gather_picks(load("retail").guards, [silent, without])

    assert (found.sessions, found.without_task, found.unexpected) == (2, 1, 1)
    assert found.picks == ()
