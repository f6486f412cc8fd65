"""Claims that the published flows, arbiters and splits in the shared data settle."""

import pytest

from stretto.episodes.manifest import Kind, read_manifest
from stretto.episodes.tasks import task_group
from stretto.files import read_json
from stretto.flow.arbiter_file import Arbiter, read_arbiter
from stretto.flow.wire import read_flow
from tests.claims import claim
from tests.conftest import shared


def _arbiter(domain: str) -> Arbiter:
    return read_arbiter(shared(f"reference/arbiters/{domain}.json"))


@claim("weighing:unchecked")
@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_the_predicate_about_unchecked_records_weighs_the_most(domain: str) -> None:
    arbiter = _arbiter(domain)
    asked = [predicate.id for predicate in arbiter.weighed]
    weights = dict(zip(asked, arbiter.fitted.weights[4:-1], strict=True))

    assert asked == ["list_pending", "needs_options", "must_ask"]
    assert max(weights, key=weights.__getitem__) == "list_pending"


@claim("folds:eight")
@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_three_weighed_predicates_make_eight_weights(domain: str) -> None:
    arbiter = _arbiter(domain)

    assert (len(arbiter.weighed), len(arbiter.fitted.weights)) == (3, 8)


@claim("shipped:weights")
def test_the_habit_weighs_nearly_the_same_in_both_shipped_arbiters() -> None:
    assert round(_arbiter("retail").fitted.weights[0], 2) == 0.27
    assert round(_arbiter("airline").fitted.weights[0], 2) == 0.25


@claim("sample:episodes")
def test_the_full_habits_learned_from_831_and_246_successful_episodes() -> None:
    assert _arbiter("retail").provenance.habit_episodes == 831
    assert _arbiter("airline").provenance.habit_episodes == 246


@claim("shipped:decisions", "shipped:both")
def test_the_shipped_arbiters_rest_on_4513_decisions_and_6555_together() -> None:
    retail, airline = (
        _arbiter(domain).provenance.arbiter_cases for domain in ("retail", "airline")
    )

    assert retail == 4513
    assert retail + airline == 6555


@claim("search:sites")
def test_the_searched_airline_flow_is_wary_after_a_status_and_bold_after_a_read() -> (
    None
):
    flow = read_flow(shared("reference/flows/airline-f2.flow.json"))

    assert flow.thresholds["get_flight_status"] == 0.6
    assert flow.thresholds["get_reservation_details"] == 0.1


@claim("sample:clustered")
def test_ranked_by_the_bare_hash_neighbouring_tasks_come_first() -> None:
    split = read_json(shared("splits/retail.json"))
    tasks = [task.text() for task in split["train"].array()]
    ranked = sorted(tasks, key=lambda task: task_group(f"train-sample/{task}"))

    assert {*ranked[:3]} == {"104", "105", "109"}
    assert {*ranked[:7]} == {"103", "104", "105", "106", "107", "109", "113"}


@claim("walked:tools")
def test_retail_has_seven_reads_seven_writes_and_two_other_tools() -> None:
    flow = read_flow(shared("reference/flows/retail-5-sessions.flow.json"))
    kinds = [*flow.manifest.tools.values()]

    assert [kinds.count(kind) for kind in Kind] == [7, 7, 2]
    assert {
        tool for tool, kind in flow.manifest.tools.items() if kind is Kind.GENERIC
    } == {
        "calculate",
        "transfer_to_human_agents",
    }
    assert flow.manifest.tools == read_manifest(shared("manifests/retail.json")).tools


@claim("walked:map")
def test_a_flow_of_five_sessions_has_no_code_feature() -> None:
    flow = read_flow(shared("reference/flows/retail-5-sessions.flow.json"))

    assert (flow.map.fields, flow.map.ids) == ({}, {})
