"""Rules of the paper and of the formats page that only a session being served shows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest

from stretto.cli.proxy_options import parsed
from stretto.flow.deciders.protocol import AsksNothing, Chances
from stretto.flow.flow import Bar, Promotion, SiteRecord
from tests.claims import claim
from tests.proxy.engine.desk import Desk, line
from tests.proxy.engine.shop import (
    FLOW,
    call,
    desk,
    error,
    lists,
    lookups,
    result,
    tool,
)

LINE = {
    "action",
    "address",
    "after",
    "binding",
    "key",
    "ms",
    "oracle",
    "predicates",
    "prob",
    "probs",
    "site",
}
"""What every line of a decision says."""


@dataclass(frozen=True)
class Asking(AsksNothing):
    """A decider that is not to be asked."""

    name: str = "asking"
    chances: Chances = Chances.EXCLUSIVE

    def weigh(self, *_: object) -> Mapping[str, float]:
        raise AssertionError("the decider was asked")


def found(at: Desk) -> Desk:
    """A desk at which the agent has found a customer."""
    at.host_says(call(1))
    at.server_says(result(1))
    return at


@claim("program:per-call")
@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_program_is_given_flow_per_call_as_its_max_lookups(most: int) -> None:
    said = ["--flow", "f", "--flow-per-call", str(most), "--", "server"]

    at = found(desk(per_call=parsed(said).acting.per_call))

    assert at.decisions[-1]["run"]["max_lookups"] == most
    assert len(lookups(at)) == most


@claim("program:live")
def test_a_live_runs_outcomes_are_how_its_lookups_went() -> None:
    def fails_the_second(request: dict) -> dict:
        if request["params"]["arguments"] == {"id": "W2"}:
            return error(request["id"], "the desk is closed")
        return result(request["id"], {"id": "W1", "status": "sent"})

    at = found(desk(serves=fails_the_second))

    sites = at.decisions[-1]["run"]["sites"]
    outcomes = {name: went for name, went, _ in sites if name.startswith("outcome")}
    assert outcomes == {"outcome#0": True, "outcome#1": False}


@claim("promoted:acts")
@pytest.mark.parametrize("listed", [True, False])
def test_a_site_that_was_not_promoted_hands_back_live_and_nobody_is_asked(
    listed: bool,
) -> None:
    record = SiteRecord(1, 0, 0, 0, 0.0, promoted=False)
    held = replace(FLOW, promoted=Promotion(Bar(), {"find": record} if listed else {}))

    at = found(desk(held, Asking()))

    assert at.host == [line(result(1))]
    assert at.decisions[0]["reason"] == "the flow is not promoted at this site"
    assert at.notes == []


@claim("thresholds:off")
def test_a_site_that_is_switched_off_hands_back_live_and_nobody_is_asked() -> None:
    at = found(desk(replace(FLOW, thresholds={"find": 2.0}), Asking()))

    assert at.host == [line(result(1))]
    assert at.decisions[0]["reason"] == "the flow is switched off at this site"
    assert at.decisions[0]["probs"] == {}
    assert at.notes == []


def test_a_decisions_line_has_its_keys_in_order_and_no_others() -> None:
    shadow = found(desk(shadow=True)).decisions[0]
    at = desk()
    lists(at, 9, tool("find"))
    withheld, handed_back = found(at).decisions[0], found(desk()).decisions[-2]

    assert LINE | {"tool", "arguments", "shadow"} == {*shadow}
    assert LINE | {"tool", "arguments", "withheld"} == {*withheld}
    assert LINE | {"reason"} == {*handed_back}
    for decided in (shadow, withheld, handed_back):
        assert [*decided] == sorted(decided)


def test_a_runs_line_says_what_it_ran_behind_and_what_was_chosen() -> None:
    told = found(desk(per_call=1)).decisions[-1]

    assert [*told] == ["after", "run"]
    assert told["after"] == 1
    assert [*told["run"]] == ["call", "failed", "max_lookups", "sites", "surprise"]
    assert [name for name, _, _ in told["run"]["sites"]] == ["decide#0", "outcome#0"]
