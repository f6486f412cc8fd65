"""What a session remembers holds nothing that only a search would free."""

import gc
from collections.abc import Iterator

import pytest

from stretto.proxy.garbage import leave_the_old
from tests.proxy.engine.shop import call, desk, lists, result, tool


@pytest.fixture
def collector() -> Iterator[None]:
    """The collector, as it was before."""
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()
    gc.enable()


@pytest.mark.usefixtures("collector")
def test_a_served_session_leaves_nothing_to_search_for() -> None:
    at = desk(per_session=10**6)
    lists(at, 0, tool("find"), tool("get"), tool("cancel", False))
    gc.collect()
    gc.disable()

    for id in range(1, 200, 2):
        at.host_says(call(id, email=f"{id}@b.c"))
        at.server_says(result(id, {"orders": [f"W{id}", f"W{id}a"]}))
        at.host_says(call(id + 1, "cancel", id=f"W{id}"))
        at.server_says(result(id + 1, "ok"))

    assert at.engine.counts["lookups"] >= 100
    assert gc.collect() == 0


@pytest.mark.usefixtures("collector")
def test_what_is_old_is_passed_over_and_what_is_young_is_not() -> None:
    before = gc.get_threshold()
    kept: list[object] = []
    kept.append(kept)
    gc.collect()

    leave_the_old()

    assert gc.isenabled()
    assert gc.get_threshold()[:2] == before[:2]
    assert gc.get_threshold()[2] > 10**9
    assert not any(found is kept for found in gc.get_objects())
