"""Claims that the published flows, arbiters and splits in the shared data settle."""

from itertools import pairwise

import pytest

from stretto.episodes.manifest import Kind, read_manifest
from stretto.episodes.tasks import sample_tasks, task_group
from stretto.files import Node, read_json
from stretto.flow.wire import read_flow
from tests.claims import claim
from tests.conftest import shared

PREDICATES = ["list_pending", "needs_options", "must_ask"]


def _arbiter(domain: str) -> Node:
    return read_json(shared(f"reference/arbiters/{domain}.json"))


def _weights(domain: str) -> list[float]:
    return [w.number() for w in _arbiter(domain)["fitted"]["weights"].array()]


def _provenance(domain: str, field: str) -> int:
    return _arbiter(domain)["provenance"][field].integer()


def _training_tasks(domain: str) -> list[str]:
    return [
        t.text() for t in read_json(shared(f"splits/{domain}.json"))["train"].array()
    ]


@claim("weighing:unchecked")
@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_the_predicate_about_unchecked_records_weighs_the_most(domain: str) -> None:
    asked = [p["id"].text() for p in _arbiter(domain)["weighed"].array()]
    weights = dict(zip(asked, _weights(domain)[4:-1], strict=True))

    assert asked == PREDICATES
    assert max(weights, key=weights.__getitem__) == "list_pending"


@claim("folds:eight")
@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_three_weighed_predicates_make_eight_weights(domain: str) -> None:
    assert len(_arbiter(domain)["weighed"].array()) == 3
    assert len(_weights(domain)) == 8


@claim("shipped:weights")
def test_the_habit_weighs_nearly_the_same_in_both_shipped_arbiters() -> None:
    assert round(_weights("retail")[0], 2) == 0.27
    assert round(_weights("airline")[0], 2) == 0.25


@claim("sample:episodes")
def test_the_full_habits_learned_from_831_and_246_successful_episodes() -> None:
    assert _provenance("retail", "habit_episodes") == 831
    assert _provenance("airline", "habit_episodes") == 246


@claim("shipped:decisions", "shipped:both")
def test_the_shipped_arbiters_rest_on_4513_decisions_and_6555_together() -> None:
    retail, airline = (_provenance(d, "arbiter_cases") for d in ("retail", "airline"))

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
    tasks = _training_tasks("retail")
    ranked = sorted(tasks, key=lambda task: task_group(f"train-sample/{task}"))

    assert {*ranked[:3]} == {"104", "105", "109"}
    assert {*ranked[:7]} == {"103", "104", "105", "106", "107", "109", "113"}


@claim("sample:mixed", "sample:retail-five", "sample:airline-five")
def test_the_five_task_samples_are_the_published_ones() -> None:
    retail = sample_tasks(_training_tasks("retail"), 0.0676)
    airline = sample_tasks(_training_tasks("airline"), 0.1667)

    assert retail == ["15", "24", "76", "88", "99"]
    assert airline == ["1", "15", "38", "41", "42"]


@claim("sample:nested")
def test_a_smaller_sample_is_part_of_every_larger_one() -> None:
    tasks = _training_tasks("retail")
    samples = [{*sample_tasks(tasks, n / 20)} for n in range(21)]

    assert all(a <= b for a, b in pairwise(samples))
    assert len(samples[0]) == 1
    assert samples[-1] == {*tasks}


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
