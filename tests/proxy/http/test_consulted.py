"""Over HTTP too: an oracle that is asked, guards that refuse, and a judge."""

import asyncio
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from stretto.flow.deciders.arbiter import arbiter
from stretto.guards.confirm import Judging
from stretto.guards.guard import Guards, rule
from stretto.guards.sources import Sources
from stretto.guards.verdict import fail, unless
from stretto.oracle.answer import NoulAnswer
from stretto.oracle.scripted import ScriptedOracle
from stretto.proxy import consult
from stretto.proxy.serving import Confirming
from tests.proxy.engine.shop import call
from tests.proxy.engine.test_asking import ASKING, sure, task
from tests.proxy.http.simulated import Desk, Lines, told
from tests.proxy.http.test_acted import ALL, IN, Shop, added, batched

ORACLE = ScriptedOracle(lambda request: sure(request).answers)


class Thread:
    """A thread as the story's clock has it: over at once, or never."""

    is_quick = True

    def __init__(self, *, target, args, daemon) -> None:
        assert daemon
        self._run = lambda: target(*args)

    def start(self) -> None:
        if self.is_quick:
            self._run()


class Stuck(Thread):
    is_quick = False


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(consult, "threading", SimpleNamespace(Thread=Thread))


@rule("shop.read_first", ["cancel"], "An order is read before it is cancelled.")
def read_first(facts, _):
    return unless("W1" in str(facts.outputs), "the order was not read")


GUARDS = Guards("shop", (read_first,), Sources())


def test_an_oracles_answer_leads_to_lookups_in_the_agents_own_result() -> None:
    shop, answered = Shop(), []

    async def story(desk: Desk) -> None:
        answered.append(await desk.post(call(7), IN))

    desk = told(
        story, shop, weigh=arbiter(ASKING), oracle=ORACLE, flow=ASKING, task=task(0)
    )

    assert added(answered[0].body) == ALL
    assert all(d["key"] for d in desk.logs[0].decisions if "action" in d)


def test_an_oracle_that_takes_too_long_costs_no_answer(monkeypatch) -> None:
    monkeypatch.setattr(consult, "threading", SimpleNamespace(Thread=Stuck))
    shop, answered = Shop(), []

    async def story(desk: Desk) -> None:
        answered.append(await desk.post(call(7), IN))

    desk = told(
        story, shop, weigh=arbiter(ASKING), oracle=ORACLE, flow=ASKING, task=task(0)
    )

    assert added(answered[0].body) == []
    assert shop.lookups == []
    assert "no answer in 1.5 s" in desk.logs[0].decisions[0]["reason"]


def test_a_write_that_breaks_a_rule_is_answered_and_does_not_reach_the_server() -> None:
    shop, bodies = Shop(), []

    async def story(desk: Desk) -> None:
        for id, name in ((1, "cancel"), (2, "get"), (3, "cancel")):
            answered = await desk.post(call(id, name, id="W1"), IN)
            bodies.append(json.loads(answered.body))

    desk = told(story, shop, guards=GUARDS)

    refused, _, made = bodies
    assert refused["id"] == 1
    assert refused["result"]["isError"] is True
    assert "policy check shop.read_first" in refused["result"]["content"][0]["text"]
    assert "isError" not in made["result"]
    asked = [m["params"]["name"] for _, _, m in shop.asked if m and m["id"] in (1, 3)]
    assert asked == ["cancel"]
    assert [line["refused"] for line in desk.logs[0].checks] == [True, False]


def test_guards_take_their_calls_out_of_a_batch_and_the_rest_is_made() -> None:
    shop, answers = Shop(batched), []
    batch = [call(1, "cancel", id="W1"), call(2, "get", id="W1")]

    async def story(desk: Desk) -> None:
        answered = await desk.post(batch, IN)
        answers.extend(json.loads(answered.body))

    told(story, shop, guards=GUARDS)

    assert {one["id"]: one["result"].get("isError", False) for one in answers} == {
        1: True,
        2: False,
    }
    [(_, _, sent)] = shop.asked
    assert [one["params"]["name"] for one in sent] == ["get"]


@rule("shop.confirmed", ["cancel"], "The user agrees to it.", enforced=False)
def confirmed(_, __):
    return fail("nobody listened")


CONSENT = Guards("shop", (confirmed,), Sources())
CANCEL = call(1, "cancel", id="W1")


def judging(p: float | None, body: object = CANCEL, *, enforced: bool = True):
    """A write posted beside a lookup, to a judge that says `p`, or nothing in time."""
    shop, answered = Shop(), []

    async def story(desk: Desk) -> None:
        first = asyncio.ensure_future(desk.post(body, IN))
        second = asyncio.ensure_future(desk.post(call(2, "get", id="W1"), IN))
        answered.extend(await asyncio.gather(first, second))

    how = Confirming(Judging(), "m", is_enforced=enforced)
    oracle = ScriptedOracle(lambda _: {"confirmed": NoulAnswer(p)})
    desk = told(
        story, shop, guards=CONSENT, confirming=how, oracle=oracle,
        refuses_unnamed=False,
    )  # fmt: skip
    asked = [m for _, _, m in shop.asked if m]
    return answered, asked, desk.logs[0].judgements


def names(asked):
    batches = [m if isinstance(m, list) else [m] for m in asked]
    calls = [m for batch in batches for m in batch if m.get("method") == "tools/call"]
    return sorted(m["params"]["name"] for m in calls)


def test_a_write_that_was_not_agreed_to_is_answered_and_not_passed_on() -> None:
    [refused, other], asked, [judgement] = judging(0.1)

    assert names(asked) == ["get"]
    told_ = json.loads(refused.body)
    assert (told_["id"], told_["result"]["isError"]) == (1, True)
    assert "p_yes 0.10" in told_["result"]["content"][0]["text"]
    assert json.loads(other.body)["id"] == 2
    assert judgement["fails"] is True


@pytest.mark.parametrize("enforced", [False, True])
def test_a_write_that_may_pass_is_answered_by_the_server(enforced: bool) -> None:
    p = 0.9 if enforced else 0.1
    [made, _], asked, [judgement] = judging(p, enforced=enforced)

    assert names(asked) == ["cancel", "get"]
    assert "isError" not in json.loads(made.body)["result"]
    assert (judgement["p_yes"], judgement["enforced"]) == (p, enforced)


def test_a_write_whose_verdict_never_comes_is_passed_on_in_time(monkeypatch) -> None:
    monkeypatch.setattr(consult, "threading", SimpleNamespace(Thread=Stuck))
    [made, _], asked, [judgement] = judging(0.1)

    assert names(asked) == ["cancel", "get"]
    assert "isError" not in json.loads(made.body)["result"]
    assert (judgement["unknown"], judgement["ms"]) == (True, 1500)


def test_in_a_batch_a_write_is_judged_and_not_refused() -> None:
    _, asked, [judgement] = judging(0.1, [CANCEL])

    assert names(asked) == ["cancel", "get"]
    assert judgement["fails"] is True


def test_a_client_that_leaves_before_the_verdict_has_changed_nothing(monkeypatch):
    monkeypatch.setattr(consult, "threading", SimpleNamespace(Thread=Stuck))
    shop = Shop()

    async def story(desk: Desk) -> None:
        await desk.post(CANCEL, IN, leaves_after=0.5)
        await asyncio.sleep(3)

    how = Confirming(Judging(), "m", is_enforced=True)
    desk = told(story, shop, guards=CONSENT, confirming=how, oracle=ORACLE)

    assert names([m for _, _, m in shop.asked if m]) == []
    assert desk.logs[0].judgements[0]["unknown"] is True


def test_behind_a_call_that_waited_the_flow_looks_up_as_behind_any_other() -> None:
    guards = Guards("shop", (replace(confirmed, tools=frozenset({"find"})),), Sources())
    shop, answered = Shop(), []

    async def story(desk: Desk) -> None:
        answered.append(await desk.post(call(7), IN))

    how = Confirming(Judging(), "m", is_enforced=True)
    oracle = ScriptedOracle(lambda _: {"confirmed": NoulAnswer(0.9)})
    told(story, shop, guards=guards, confirming=how, oracle=oracle)

    assert added(answered[0].body) == ALL


def test_a_write_passes_where_its_judgement_cannot_be_logged(monkeypatch) -> None:
    put = Lines.put

    def breaks(lines: Lines, line: bytes) -> None:
        if b"word_list" in line:
            raise OSError("the disk is full")
        put(lines, line)

    monkeypatch.setattr(Lines, "put", breaks)
    [made, _], asked, judgements = judging(0.9)

    assert names(asked) == ["cancel", "get"]
    assert "isError" not in json.loads(made.body)["result"]
    assert judgements == []
