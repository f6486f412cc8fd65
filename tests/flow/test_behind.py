"""A flow's program behind a recorded call: what it is told, and how often it asks."""

from collections.abc import Iterator

from stretto.episodes.site import Site
from stretto.flow.behind import run_behind
from stretto.flow.decision import Lookup
from stretto.flow.run import Runner
from stretto.program.handlers import Run
from stretto.program.text import parse
from tests.claims import claim
from tests.toys import TOY, taught

FLOW = taught(TOY).flow
GET = Site("get", False)
LOOKUP = Lookup("get", {"id": "W1"}, 0.9, 1.0)

STUBBORN = """
    for i in 0..max_lookups {
        let d <- sample(addr!("decide", i), Decide(call, call_failed));
    }
    pure(call)
"""
"""Asks on after the flow has handed back."""


def values(run: Run) -> dict[str, object]:
    return {name: choice.value for name, choice in run.choices.items()}


@claim("program:live")
def test_each_outcome_is_how_that_lookup_went_and_each_decision_what_was_decided():
    went: Iterator[bool] = iter([True, False])
    decided = iter([LOOKUP, LOOKUP, None])

    run = run_behind(Runner.of(FLOW), GET, lambda: next(decided), lambda _: next(went))

    assert values(run) == {
        "decide#0": 2, "outcome#0": True,
        "decide#1": 2, "outcome#1": False,
        "decide#2": 0,
    }  # fmt: skip


def test_once_handed_back_the_rule_is_not_asked_again():
    asked: list[None] = []

    run = run_behind(
        Runner.of(FLOW, parse(STUBBORN)),
        GET,
        lambda: asked.append(None),
        lambda _: True,
        max_lookups=3,
    )

    assert values(run) == {"decide#0": 0, "decide#1": 0, "decide#2": 0}
    assert len(asked) == 1


def test_past_the_cap_the_rule_is_not_asked_and_the_program_hands_back():
    made: list[Lookup] = []

    def look_up(lookup: Lookup) -> bool:
        made.append(lookup)
        return True

    once = parse(STUBBORN.replace("0..max_lookups", "0..3"))
    run = run_behind(Runner.of(FLOW, once), GET, lambda: LOOKUP, look_up, max_lookups=1)

    assert values(run) == {"decide#0": 2, "decide#1": 0, "decide#2": 0}
    assert made == [LOOKUP]
