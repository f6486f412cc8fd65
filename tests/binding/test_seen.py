from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.binding.bind import bind, pick
from stretto.binding.learn import learn_bindings
from stretto.binding.passed import Passed
from stretto.binding.scope import Scope
from stretto.binding.seen import Seen
from stretto.binding.sources import ArgCounts, Bindings, Found, Source
from stretto.episodes.episode import (
    AssistantTurn,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.manifest import Manifest, ToolDocs
from tests.binding.sessions import READS, TOOLS, session, sessions
from tests.claims import claim


def turn(*calls: ToolCall) -> AssistantTurn:
    return AssistantTurn(None, calls)


def test_only_successful_results_are_outputs():
    seen = Seen.of(
        [
            turn(ToolCall("1", "a", {}), ToolCall("2", "b", {})),
            ToolResult("2", "b", True, '"x"'),
            ToolResult("1", "a", False, '"y"'),
        ]
    )

    assert [(r.tool, r.output.value) for r in seen.outputs] == [("a", "y")]


def test_a_call_counts_as_made_whatever_became_of_it():
    seen = Seen.of(
        [
            turn(ToolCall("1", "a", {"x": 1}), ToolCall("2", "b", {"y": "q"})),
            ToolResult("1", "a", True, "no"),
        ]
    )

    assert seen.called == {"a", "b"}
    assert seen.passed == {Passed("a", "x", "1"), Passed("b", "y", "q")}


def test_arguments_that_are_no_object_pass_nothing():
    calls = (ToolCall(str(i), "a", v) for i, v in enumerate((None, "x", [1], 2)))
    seen = Seen.of([turn(*calls)])

    assert seen.called == {"a"}
    assert seen.passed == set()


@claim("bindings:keyish")
def test_a_value_is_given_if_no_result_had_held_it_when_it_was_passed():
    seen = Seen.of(
        [
            turn(ToolCall("1", "find", {"phone": "555-0199", "n": [30411]})),
            ToolResult("1", "find", True, "no such phone: 555-0199"),
            turn(ToolCall("2", "get", {"id": "L100", "phone": "555-0199", "on": True})),
            ToolResult("2", "get", False, '{"id": "L200"}'),
            turn(ToolCall("3", "get", {"id": "l200 ", "code": "ab"})),
        ]
    )

    assert seen.given() == {"555-0199", "30411", "l100"}


def test_a_failed_result_is_seen_though_it_is_no_output():
    seen = Seen.of(
        [
            turn(ToolCall("1", "find", {})),
            ToolResult("1", "find", True, '"L200"'),
            turn(ToolCall("2", "get", {"id": "L200"})),
        ]
    )

    assert seen.given() == set()


def test_the_latest_call_that_passed_a_value_is_what_returned_it():
    events = [
        turn(ToolCall("1", "get", {"id": "x"}), ToolCall("2", "get", {"id": "x"})),
        ToolResult("2", "get", False, "second"),
        ToolResult("1", "get", False, "first"),
        turn(ToolCall("3", "get", {"id": "x"})),
        ToolResult("3", "get", True, "failed"),
    ]
    found = Seen.of(events).returned(Passed("get", "id", "x"))

    assert found is not None
    assert found.value == "second"
    assert Seen.of(events).returned(Passed("get", "id", "y")) is None


def test_a_copy_does_not_grow_with_its_original():
    seen = Seen.of([UserMessage("hello"), turn(ToolCall("1", "get", {"id": "W100"}))])
    copy = seen.copy()

    seen.add(ToolResult("1", "get", False, '"x"'))
    seen.add(UserMessage("W200"))
    seen.add(turn(ToolCall("2", "find", {"id": "W300"})))

    assert (copy.outputs, copy.called) == ([], {"get"})
    assert copy.passed == {Passed("get", "id", "W100")}
    assert copy.given() == {"w100"}
    assert not copy.said.mentions("W200")
    assert copy.returned(Passed("get", "id", "W100")) is None


@given(st.randoms(use_true_random=True))
@settings(max_examples=30, deadline=None)
def test_a_session_kept_event_by_event_gives_the_picks_of_one_read_whole(
    random: Random,
):
    bindings = learn_bindings(sessions(random, 4), READS)
    episode = session(random, "unseen", n_turns=10)
    seen = Seen()
    for i, event in enumerate(episode.events):
        seen = seen.copy() if random.random() < 0.3 else seen
        seen.add(event)
        whole = Seen.of(episode.events[: i + 1])
        for tool in TOOLS:
            assert pick(bindings, tool, seen) == pick(bindings, tool, whole)


@given(st.randoms(use_true_random=True))
@settings(max_examples=30, deadline=None)
def test_a_session_and_its_copy_go_on_apart(random: Random):
    bindings = learn_bindings(sessions(random, 4), READS)
    begun, *others = (
        session(random, name, n_turns=6).events for name in ("begun", "one", "other")
    )
    kept = Seen.of(begun)
    for tool in TOOLS:
        pick(bindings, tool, kept)
    apart = [(kept, [*begun]), (kept.copy(), [*begun])]

    for events in zip(*others, strict=False):
        for (seen, so_far), event in zip(apart, events, strict=True):
            seen.add(event)
            so_far.append(event)
        for seen, so_far in apart:
            whole = Seen.of(so_far)
            for tool in TOOLS:
                assert pick(bindings, tool, seen) == pick(bindings, tool, whole)


DOCS = {"track": ToolDocs("", {"id": "", "order_id": ""})}


@given(st.randoms(use_true_random=True), st.booleans())
@settings(max_examples=60, deadline=None)
def test_what_a_scope_lets_go_changes_none_of_its_lookups(random: Random, by_name):
    bindings = learn_bindings(sessions(random, 4), READS)
    lookups = random.sample(READS, random.randrange(1, 4)) + ["track"] * by_name
    manifest = Manifest("shop", docs=DOCS)
    scoped, whole = Seen(Scope.of(bindings, lookups)), Seen()
    for event in session(random, "unseen", n_turns=10).events:
        scoped = scoped.copy() if random.random() < 0.3 else scoped
        scoped.add(event)
        whole.add(event)
        for tool in lookups:
            found = bind(bindings, manifest, tool, scoped)
            assert found == bind(bindings, manifest, tool, whole)
        if random.random() < 0.3:
            assert scoped.given() == whole.given()


def test_only_what_a_lookup_may_be_bound_to_is_kept():
    source = Source("find", "$.id")
    bindings = Bindings(
        {"get": ArgCounts(9, {"id": 9})}, {("get", "id"): Found(9, {source: 9})}, {}
    )
    seen = Seen(Scope.of(bindings, ["get"]))
    for id, tool in enumerate(("find", "get", "buy")):
        seen.add(turn(ToolCall(str(id), tool, {"x": "W100"})))
        seen.add(ToolResult(str(id), tool, False, '{"id": "y"}'))

    assert seen.passed == {Passed("get", "x", "W100")}
    assert [output.tool for output in seen.outputs] == ["find", "get"]
    assert (seen.called, seen.last_tool) == ({"find", "get", "buy"}, "buy")
    assert (seen.n_results, seen.given()) == (3, {"w100"})


def test_a_lookup_never_seen_in_training_may_be_bound_to_any_output():
    bindings = Bindings({"get": ArgCounts(9, {"id": 9})}, {}, {})

    assert Scope.of(bindings, ["get", "track"]).reads_outputs("buy")
    assert not Scope.of(bindings, ["get"]).reads_outputs("buy")
