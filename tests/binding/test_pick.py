"""Picks from bindings written by hand, one rule at a time."""

import json

import pytest

from stretto.binding.bind import Mention, Pick, bindable, pick
from stretto.binding.seen import Seen
from stretto.binding.sources import ArgCounts, Bindings, Found, Source
from stretto.episodes.episode import AssistantTurn, ToolCall, ToolResult
from tests.binding.example import call, failed, made, user
from tests.claims import claim

IDS = Source("list", "$.ids[*]")


def strings(*sources: Source, required: int = 10, tool: str = "get") -> Bindings:
    """A lookup whose argument `id` came from each source, as often."""
    found = Found(10, dict.fromkeys(sources, 5))
    return Bindings({tool: ArgCounts(10, {"id": required})}, {(tool, "id"): found}, {})


def after(*events) -> Seen:
    return Seen.of(e for event in events for e in _flat(event))


def _flat(event):
    return event if isinstance(event, list) else [event]


def ids(*values: str) -> list:
    return made("list", {"ids": [*values]})


def test_a_tool_training_never_called_is_not_bound():
    assert pick(strings(IDS), "other", after(ids("a"))) == "never called in training"


@claim("binding:first-unused", "bindings:first")
def test_the_latest_output_comes_first_and_its_values_in_order():
    seen = after(ids("a", "b"), ids("c", "d"))

    assert pick(strings(IDS), "get", seen) == Pick({"id": "c"}, Mention.NONE)


@claim("binding:first-unused", "bindings:first")
def test_a_value_passed_once_is_not_passed_again_even_where_it_failed():
    seen = after(ids("a", "b", "c", "b"), failed("get", id="a"), made("get", id="b"))

    assert pick(strings(IDS), "get", seen) == Pick({"id": "c"}, Mention.NONE)


def test_a_value_passed_to_another_tool_or_as_another_argument_is_free():
    seen = after(ids("a"), made("put", id="a"), made("get", other="a"))

    assert pick(strings(IDS), "get", seen) == Pick({"id": "a"}, Mention.NONE)


def test_a_pending_call_counts_as_made():
    seen, pending = after(ids("a", "b")), [call("get", id="a"), call("put", id="b")]

    assert pick(strings(IDS), "get", seen, pending) == Pick({"id": "b"}, Mention.NONE)


def test_a_value_a_number_was_passed_for_is_used():
    seen = after(ids("5", "6"), made("get", id=5))

    assert pick(strings(IDS), "get", seen) == Pick({"id": "6"}, Mention.NONE)


def test_without_values_left_there_is_no_pick():
    reason = "id: no value is left that was not passed"

    assert pick(strings(IDS), "get", after(user("hello"))) == reason
    assert pick(strings(IDS), "get", after(ids("a"), made("get", id="a"))) == reason


@claim("bindings:share", "walked:once")
@pytest.mark.parametrize(("n", "values", "used"), [(2, 20, True), (1, 1, False)])
def test_a_source_is_used_from_two_values_and_a_tenth_on(n, values, used):
    args, found = {"get": ArgCounts(values, {"id": values})}, Found(values, {IDS: n})
    bindings = Bindings(args, {("get", "id"): found}, {})

    assert bindable(bindings, "get") is used
    assert isinstance(pick(bindings, "get", after(ids("a"))), Pick) is used
    more = Bindings(args, {("get", "id"): Found(10 * n + 1, {IDS: n})}, {})
    assert not bindable(more, "get")


@claim("bindings:required")
def test_an_argument_is_required_from_nine_tenths_of_the_calls_on():
    assert ArgCounts(10, {"b": 9, "a": 10, "c": 8}).required() == ("a", "b")
    assert ArgCounts(19, {"a": 17}).required() == ()


def test_an_argument_that_never_took_a_string_is_not_bound():
    bindings = Bindings({"get": ArgCounts(5, {"page": 5})}, {}, {})

    assert pick(bindings, "get", after(ids("a"))) == (
        "page: neither a string nor a list of strings in training"
    )


@claim("binding:first-unused", "bindings:mentioned")
def test_a_mentioned_value_comes_before_the_first():
    seen = after(user("What of C?"), ids("a", "b"), ids("x", "c", "y"), ids("z"))

    assert pick(strings(IDS), "get", seen) == Pick({"id": "c"}, Mention.PICKED)


@claim("bindings:mentioned")
def test_a_value_is_mentioned_by_what_stands_beside_it():
    seen = after(
        user("the blue shirt"),
        made("list", [{"id": "1x", "of": "red"}, {"id": "2x", "of": "blue"}]),
    )
    bindings = strings(Source("list", "$[*].id"))

    assert pick(bindings, "get", seen) == Pick({"id": "2x"}, Mention.PICKED)


def test_a_used_value_the_user_named_makes_the_pick_another():
    seen = after(user("What of bb?"), ids("aa", "bb"), made("get", id="bb"))

    assert pick(strings(IDS), "get", seen) == Pick({"id": "aa"}, Mention.OTHER)


def test_a_values_first_occurrence_says_whether_it_is_mentioned():
    seen = after(
        user("the blue shirt"),
        made("list", {"rest": [{"id": "1x", "of": "blue"}], "ids": ["1x", "2x"]}),
    )
    sources = (IDS, Source("list", "$.rest[*].id"))

    assert pick(strings(*sources), "get", seen) == Pick({"id": "1x"}, Mention.OTHER)


def two_sources(at_site: dict[Source, int], site: str = "list") -> Bindings:
    args = {"get": ArgCounts(20, {"id": 20})}
    found = Found(20, {IDS: 10, Source("old", "$"): 10})
    sites = {("get", "id", site, source): n for source, n in at_site.items()}
    return Bindings(args, {("get", "id"): found}, {}, site_sources=sites)


@claim("site-sources:order", "bindings:site-order")
@pytest.mark.parametrize(
    ("at_site", "site", "expected"),
    [
        ({Source("old", "$"): 3, IDS: 2}, "list", "o"),
        ({Source("old", "$"): 5}, "list", "o"),
        ({Source("old", "$"): 3, IDS: 1}, "list", "a"),
        ({Source("old", "$"): 4, Source("no", "$"): 9}, "list", "a"),
        ({Source("old", "$"): 3, IDS: 3}, "list", "a"),
        ({Source("old", "$"): 9}, "old", "a"),
    ],
)
def test_a_site_that_saw_five_values_orders_the_sources(at_site, site, expected):
    seen = after(made("old", "o"), ids("a"))

    found = pick(two_sources(at_site, site), "get", seen)

    assert found == Pick({"id": expected}, Mention.NONE)


@claim("bindings:site-order")
def test_the_latest_output_comes_first_within_a_source_of_an_ordered_site():
    seen = after(ids("a"), made("old", "o1"), made("old", "o2"), ids("b"))
    bindings = two_sources({Source("old", "$"): 5})

    assert pick(bindings, "get", seen) == Pick({"id": "o2"}, Mention.NONE)


LINES = Source("user", "$.lines[*]")


def lines(*, said: str = "", first: str = "", second: str = "") -> Seen:
    """A user's three lines, of which two were read."""
    return after(
        user(said),
        made("find", "c1", phone="555-0199"),
        made("user", {"lines": ["l1", "l2", "l3"]}),
        made("get", {"n": first}, id="l1"),
        made("get", {"n": second}, id="l2"),
    )


def described(**read: str) -> Mention:
    found = pick(strings(LINES), "get", lines(**read))
    assert isinstance(found, Pick)
    assert found.arguments == {"id": "l3"}
    return found.mention


@claim("bindings:described")
def test_a_record_is_described_by_a_key_that_one_record_read_holds_and_another_lacks():
    described_one = Mention.DESCRIBED

    assert described(first="555-0100", second="555-0199") is described_one
    assert described(first="TAG7", second="TAG8", said="my tag7") is described_one


def test_a_key_that_both_or_neither_hold_or_nobody_gave_describes_no_record():
    assert described(first="555-0199", second="555-0199") is Mention.NONE
    assert described(first="555-0100", second="555-0101") is Mention.NONE
    assert described(first="t7", second="t8", said="my t7") is Mention.NONE
    assert described(first="blue", second="reds", said="a blue one") is Mention.NONE


def test_one_record_read_describes_nothing():
    seen = after(
        user("my tag7"),
        made("user", {"lines": ["l1", "l2", "l3"]}),
        made("get", {"n": "TAG7"}, id="l1"),
        failed("get", id="l2"),
    )

    assert pick(strings(LINES), "get", seen) == Pick({"id": "l3"}, Mention.NONE)


ROOMS = Source("list", "$.rooms[*]")
PRICE = Bindings(
    {"price": ArgCounts(5, {"names": 5})},
    {("price", "names"): Found(9, {IDS: 9})},
    {},
    lists={("price", "names"): Found(5, {ROOMS: 5})},
)


def rooms(*names: str) -> list:
    return made("list", {"rooms": [*names], "ids": ["x"]})


@claim("bindings:lists")
def test_a_list_is_passed_whole_and_lists_come_before_strings():
    seen = after(user("r1"), rooms("r1", "r2"))

    assert pick(PRICE, "price", seen) == Pick({"names": ["r1", "r2"]}, Mention.NONE)


def test_a_list_is_mentioned_if_every_item_is():
    seen = after(user("r1 or r2"), rooms("r1", "r2", "r1"))

    assert pick(PRICE, "price", seen) == Pick(
        {"names": ["r1", "r2", "r1"]}, Mention.PICKED
    )


@claim("bindings:lists")
def test_a_list_passed_before_gives_way_to_an_earlier_one():
    seen = after(rooms("r1"), rooms("r2", "r3"), rooms())
    used = made("price", names=["r2", "r3"])

    assert pick(PRICE, "price", seen) == Pick({"names": ["r2", "r3"]}, Mention.NONE)
    for event in used:
        seen.add(event)
    assert pick(PRICE, "price", seen) == Pick({"names": ["r1"]}, Mention.NONE)
    assert pick(PRICE, "price", seen, [call("price", names=["r1"])]) == (
        "names: no value is left that was not passed"
    )


def test_a_list_without_a_source_is_left_to_the_agent():
    bindings = Bindings(
        PRICE.args, {}, {}, lists={("price", "names"): Found(5, {ROOMS: 1})}
    )

    assert pick(bindings, "price", after(rooms("r1"))) == (
        "names: no source in training; the agent has to supply it"
    )
    assert not bindable(bindings, "price")


CONSTANT = Bindings(
    {"get": ArgCounts(10, {"size": 10, "id": 10, "deep": 6})},
    {("get", "id"): Found(10, {IDS: 5})},
    {},
    constants={("get", "size"): 20, ("get", "deep"): {"a": 1}, ("put", "x"): 1},
)


@claim("bindings:constants-source")
def test_constants_are_passed_required_or_not_and_leave_the_mention_alone():
    arguments = {"deep": {"a": 1}, "id": "a", "size": 20}

    found = pick(CONSTANT, "get", after(ids("a")))
    assert found == Pick(arguments, Mention.NONE)
    assert isinstance(found, Pick)
    assert list(found.arguments) == sorted(found.arguments)
    named = pick(CONSTANT, "get", after(user("a"), ids("a")))
    assert named == Pick(arguments, Mention.PICKED)
    assert bindable(CONSTANT, "get")


def test_a_lookup_of_constants_alone_is_picked_and_picked_again():
    bindings = Bindings(
        {"get": ArgCounts(5, {"size": 5})}, {}, {}, constants={("get", "size"): 20}
    )
    seen = after(made("get", size=20))

    assert pick(bindings, "get", seen) == Pick({"size": 20}, Mention.PICKED)


@claim("bindings:bare-once")
def test_a_lookup_that_requires_nothing_is_made_once():
    bindings = Bindings(
        {"get": ArgCounts(5, {"size": 3})}, {}, {}, constants={("get", "size"): 20}
    )
    once = Pick({"size": 20}, Mention.PICKED)

    assert pick(bindings, "get", after(ids("a"))) == once
    assert pick(bindings, "get", after(), [call("put")]) == once
    for seen, also in (
        (after(made("get")), ()),
        (after(failed("get")), ()),
        (after(), [call("get", size=1)]),
    ):
        assert pick(bindings, "get", seen, also) == "already looked up"


@claim("bindings:required")
def test_every_required_argument_has_to_be_found():
    bindings = Bindings(
        {"get": ArgCounts(5, {"a": 5, "b": 5})},
        {
            ("get", "a"): Found(5, {IDS: 5}),
            ("get", "b"): Found(5, {Source("w", "$"): 5}),
        },
        {},
    )

    assert pick(bindings, "get", after(ids("x"))) == (
        "b: no value is left that was not passed"
    )
    assert pick(bindings, "get", after(user("y"), ids("x"), made("w", "y"))) == Pick(
        {"a": "x", "b": "y"}, Mention.NONE
    )


@pytest.mark.parametrize(
    "content",
    ["NaN", "[" * 10_000 + "]" * 10_000, '{"ids": [1e999]}', "x" * 2**21, "\ud800"],
)
def test_odd_content_is_one_string(content):
    event = ToolResult("1", "list", False, content)
    seen = after(AssistantTurn(None, (ToolCall("1", "list", {}),)), event)

    assert pick(strings(Source("list", "$")), "get", seen) == Pick(
        {"id": content}, Mention.NONE
    )
    assert isinstance(pick(strings(IDS), "get", seen), str)


def test_a_source_through_a_key_with_a_dot_supplies_nothing():
    seen = after(made("list", {"a.b": "x"}))

    assert isinstance(pick(strings(Source("list", "$.a.b")), "get", seen), str)


def test_a_source_that_is_no_path_supplies_nothing():
    for path in ("", "ids[*]", "$.ids[0]", "$ids"):
        assert isinstance(
            pick(strings(Source("list", path)), "get", after(ids("x"))), str
        )


def test_a_result_of_a_call_nobody_made_still_supplies_values():
    seen = after(ToolResult("?", "list", False, json.dumps({"ids": ["a"]})))

    assert pick(strings(IDS), "get", seen) == Pick({"id": "a"}, Mention.NONE)
