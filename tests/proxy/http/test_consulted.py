"""Over HTTP too: an oracle that is asked, and guards that refuse."""

import json
from types import SimpleNamespace

import pytest

from stretto.flow.deciders.arbiter import arbiter
from stretto.guards.guard import Guards, rule
from stretto.guards.sources import Sources
from stretto.guards.verdict import unless
from stretto.oracle.scripted import ScriptedOracle
from stretto.proxy import consult
from tests.proxy.engine.shop import call
from tests.proxy.engine.test_asking import ASKING, sure, task
from tests.proxy.http.simulated import Desk, told
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
