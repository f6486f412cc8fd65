"""Sessions as runs of a flow's program, and served runs as logs keep them."""

import json
import math
from collections.abc import Iterator

import pytest

from stretto.canonical import Json
from stretto.episodes.site import Site
from stretto.episodes.step import steps
from stretto.flow.recorded import live, lookups, recorded
from stretto.flow.run import Runner, numbers
from stretto.flow.wire import read_flow
from stretto.program.handlers import score
from stretto.program.text import parse
from tests.claims import claim
from tests.conftest import shared
from tests.toys import TOY, taught, walked

TOY_FLOW = taught(TOY).flow
GET, FOUND = Site("get", False), Site("find", False)


def logged_runs() -> Iterator[dict]:
    for log in (
        "served/20260928T020401.117Z-14662",
        "shadow/20260928T020401.240Z-14750",
    ):
        for line in shared(f"reference/logs/{log}.flow.jsonl").read_text().splitlines():
            if "run" in (entry := json.loads(line)):
                yield entry["run"]


@claim("program:live")
def test_a_run_that_was_logged_scores_to_the_last_digit_as_it_was_logged():
    runner = Runner.of(read_flow(shared("reference/flows/shop.flow.json")))
    runs = list(logged_runs())

    assert len(runs) == 7
    for logged in runs:
        start = runner.after(
            Site(logged["call"], logged["failed"]), max_lookups=logged["max_lookups"]
        )
        run = score(start, {address: value for address, value, _ in logged["sites"]})
        found = live(run)
        assert found.choices == logged["sites"]
        assert found.surprise == logged["surprise"]


def test_the_worked_example_is_surprised_by_the_outcome_alone():
    run = score(
        Runner.of(TOY_FLOW).after(FOUND),
        {"decide#0": 2, "outcome#0": True, "decide#1": 0},
    )
    logged: list[Json] = [
        ["decide#0", 2, 0.0], ["outcome#0", True, math.log(0.8)], ["decide#1", 0, 0.0],
    ]  # fmt: skip

    assert live(run).choices == logged
    assert live(run).surprise == pytest.approx(0.2231, abs=1e-4)
    assert run.log_prior == pytest.approx(math.log(3 / 4 * 4 / 5 * 3 / 5))


def test_what_a_program_weighs_itself_surprises_too():
    program = parse('factor(-1); observe(addr!("o"), Outcome(2), true); pure(0)')
    run = score(Runner.of(TOY_FLOW, program).after(GET), {})

    assert live(run) == ([], 1 - math.log(0.8))


def test_a_session_is_a_run_after_each_call_the_flow_would_not_have_made():
    episode = walked("e", "rfggrcR")  # the toy flow looks up `get`, never `find`
    runner = Runner.of(TOY_FLOW)

    found = list(recorded(runner, steps(episode.events)))

    assert [site for site, _ in found] == [FOUND, Site("cancel", False)]
    assert found[0].run.values == {
        "decide#0": 2, "outcome#0": True, "decide#1": 2, "outcome#1": True,
        "decide#2": 0,
    }  # fmt: skip
    assert found[1].run.values == {"decide#0": 0}
    assert lookups(found[0].run, runner.numbers) == (GET, GET)


def test_a_session_that_ends_with_a_call_hands_back_there():
    (found,) = recorded(Runner.of(TOY_FLOW), steps(walked("e", "fg").events))

    assert found.run.values == {"decide#0": 2, "outcome#0": True, "decide#1": 0}


def test_a_call_past_the_cap_starts_a_run_of_its_own():
    walk = steps(walked("e", "fgggR").events)

    found = list(recorded(Runner.of(TOY_FLOW), walk, max_lookups=2))

    assert [site for site, _ in found] == [FOUND, GET]
    assert [len(run.choices) for _, run in found] == [4, 1]


def test_a_program_that_asks_again_after_handing_back_is_handed_back_again():
    program = parse(
        """
        for i in 0..max_lookups {
            let d <- sample(addr!("decide", i), Decide(call, call_failed));
            let ok <- sample(addr!("outcome", i), Outcome(d));
        }
        pure(0)
        """
    )
    walk = steps(walked("e", "fgrgR").events)

    first, *_ = recorded(Runner.of(TOY_FLOW, program), walk, max_lookups=3)

    assert list(first.run.values.values()) == [2, True, 0, False, 0, False]


def test_a_lookup_of_an_unknown_tool_still_counts():
    program = parse('let d <- sample(addr!("d"), Decide(1, false)); pure(d)')
    run = score(Runner.of(TOY_FLOW, program).after(GET), {"d": 9})

    assert lookups(run, numbers(TOY_FLOW)) == (Site("tool 9", False),)
