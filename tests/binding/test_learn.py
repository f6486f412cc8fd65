import json

import pytest

from stretto.binding.bind import Mention, Pick, bindable, chance, pick, pooled_chance
from stretto.binding.count import count
from stretto.binding.learn import learn_bindings
from stretto.binding.seen import Seen
from stretto.binding.sources import (
    Agreement,
    ArgCounts,
    Bindings,
    Found,
    Picks,
    Rule,
    Source,
    Tally,
    required,
    rules,
)
from tests.binding.example import READS, SHOP, batch, call, episode, failed, made, user
from tests.claims import claim

ORDERS = Source("get_user", "$.orders[*]")


@pytest.fixture(scope="module")
def shop() -> Bindings:
    return learn_bindings(SHOP, READS)


@claim("bindings:args")
def test_the_shop_counts_each_lookups_calls_and_arguments(shop):
    assert shop.args == {
        "get_order": ArgCounts(5, {"order_id": 5}),
        "get_user": ArgCounts(3, {"user_id": 3}),
    }
    assert list(shop.args) == sorted(shop.args)
    assert required(shop, "get_order") == ["order_id"]
    assert required(shop, "cancel") == []


@claim("binding:sources", "bindings:sources")
def test_the_shops_orders_come_from_their_user_and_its_users_from_nowhere(shop):
    assert shop.sources == {
        ("get_order", "order_id"): Found(5, {ORDERS: 5}),
        ("get_user", "user_id"): Found(3, {}),
    }
    assert rules(shop, "get_order", "order_id") == [Rule(ORDERS, 5)]
    assert rules(shop, "get_user", "user_id") == []
    assert bindable(shop, "get_order")
    assert not bindable(shop, "get_user")
    assert not bindable(shop, "cancel")


@claim("bindings:site-sources")
def test_one_source_needs_no_order_by_site(shop):
    assert shop.site_sources == {}


@claim("binding:whole-call")
def test_the_shops_agent_reads_what_a_binding_picks(shop):
    assert shop.agreed == {"get_order": Agreement(Tally(4, 4), Tally(1, 1))}


@claim("named-other:counted", "described-read:counted")
def test_the_shops_agent_leaves_alone_what_nobody_asked_about(shop):
    assert shop.named_other == {"get_order": Picks(0, 1)}
    assert shop.described_read == {"get_order": Picks(0, 1)}


def test_nothing_else_is_counted_in_the_shop(shop):
    assert (shop.lists, shop.bare, shop.constants) == ({}, {}, {})


@claim("bindings:named-other", "bindings:described")
@pytest.mark.parametrize(
    ("mention", "expected"),
    [
        (Mention.NONE, 5 / 6),
        (Mention.PICKED, 2 / 3),
        (Mention.OTHER, (2 * 5 / 6) / 3),
        (Mention.DESCRIBED, (2 * 5 / 6) / 3),
    ],
)
def test_the_shops_chances(shop, mention, expected):
    found = chance(shop, "get_order", Pick({"order_id": "W1"}, mention))

    assert found == pytest.approx(expected, abs=1e-12)


def test_a_review_reads_one_chance_for_all_mentions(shop):
    assert pooled_chance(shop, "get_order") == 6 / 7
    assert pooled_chance(shop, "get_user") == 1 / 2


@claim("safety:own-arguments")
def test_a_live_session_is_given_the_order_its_user_named_and_then_another(shop):
    events = [
        user("user u_9, order W91?"),
        *made("get_user", {"orders": ["W90", "W91", "W92"]}, user_id="u_9"),
    ]
    w91 = call("get_order", order_id="W91")
    other = Pick({"order_id": "W90"}, Mention.OTHER)

    assert pick(shop, "get_order", Seen.of(events)) == Pick(
        {"order_id": "W91"}, Mention.PICKED
    )
    assert pick(shop, "get_order", Seen.of(events), [w91]) == other
    after = [*events, *made("get_order", {"order_id": "W91"}, order_id="W91")]
    assert pick(shop, "get_order", Seen.of(after)) == other
    failing = [*events, *failed("get_order", order_id="W91")]
    assert pick(shop, "get_order", Seen.of(failing)) == other


@claim("review:no-source")
def test_a_live_session_is_not_given_its_user(shop):
    found = pick(shop, "get_user", Seen.of([user("I am u_9")]))

    assert found == "user_id: no source in training; the agent has to supply it"


@claim("bindings:agreed", "walked:chances")
@pytest.mark.parametrize(
    ("agreement", "mention", "expected"),
    [
        (Agreement(unmentioned=Tally(10, 10)), Mention.NONE, 11 / 12),
        (Agreement(mentioned=Tally(2, 4)), Mention.PICKED, 3 / 6),
    ],
)
def test_the_published_chances(agreement, mention, expected):
    bindings = Bindings({}, {}, {"get": agreement})

    assert chance(bindings, "get", Pick({"id": "x"}, mention)) == expected


@claim("site-sources:order")
def test_a_batch_is_found_in_what_came_before_it_site_by_site():
    x, y = call("get", id="x"), call("get", id="y")
    training = [
        episode(
            made("ask", None),
            made("find", ["x", "y"]),
            batch((x, {"id": "y"}), (call("note"), "y"), (y, "z")),
            made("get", "q", id="q"),
        )
    ]

    found = count(training, ["get"], constants=False)

    assert found.sources == {("get", "id"): Found(3, {Source("find", "$[*]"): 2})}
    assert found.args["get"] == ArgCounts(3, {"id": 3})
    assert found.site_sources == {}


@claim("bindings:sources", "bindings:site-sources")
def test_the_latest_output_that_holds_a_value_is_credited_at_its_first_path():
    training = [
        episode(
            made("old", {"a": "x"}),
            made("new", {"b": "x", "a": {"c": "x"}}),
            made("other", "nothing"),
            made("get", id="x"),
        ),
        episode(made("old", {"a": "x"}), made("get", id="x")),
    ]

    found = count(training, ["get"], constants=False)

    old, new = Source("old", "$.a"), Source("new", "$.a.c")
    assert found.sources["get", "id"] == Found(2, {new: 1, old: 1})
    assert found.site_sources == {
        ("get", "id", "other", new): 1,
        ("get", "id", "old", old): 1,
    }


@claim("bindings:sources")
def test_a_failed_result_supplies_nothing_and_is_no_site():
    training = [episode(made("a", "x"), failed("b"), made("get", id="Error"))] * 2

    found = count(training, ["get"], constants=False)

    assert found.sources["get", "id"] == Found(2, {})


def test_a_read_whose_arguments_are_no_object_is_a_site_and_nothing_more():
    bad = call("odd")
    object.__setattr__(bad, "arguments", "{not json")
    x, y = call("get", id="x"), call("get", id="y")
    training = [
        episode(made("find", {"a": "x", "b": "y"}), batch((x, 1), (bad, 1), (y, 1)))
    ]

    found = count(training, ["get", "odd"], constants=False)

    assert set(found.args) == {"get"}
    assert found.site_sources == {
        ("get", "id", "find", Source("find", "$.a")): 1,
        ("get", "id", "odd", Source("find", "$.b")): 1,
    }


@claim("bindings:lists")
def test_a_list_is_found_where_one_place_holds_every_item():
    training = [
        episode(
            made("list", {"rooms": [{"n": "a"}, {"n": "b"}], "top": "a"}),
            made("newer", {"first": "a", "second": "b"}),
            made("price", {}, names=["a", "b"]),
            made("price", {}, names=["a", "c"]),
            made("price", {}, names=[]),
            made("price", {}, names=["a", 1]),
        )
    ]

    found = count(training, ["price"], constants=False)

    assert found.lists == {
        ("price", "names"): Found(2, {Source("list", "$.rooms[*].n"): 1})
    }
    assert found.sources == {}
    assert found.args["price"] == ArgCounts(4, {"names": 4})


@claim("bindings:bare")
def test_bare_calls_are_counted_where_some_calls_pass_what_none_requires():
    training = [
        episode(
            *(made("search", **({"q": "x"} if i else {})) for i in range(3)),
            *(made("narrow", **{"q" if i else "r": 1}) for i in range(2)),
            *(made("always", q="x") for i in range(3)),
            *(made("never") for i in range(3)),
        )
    ]

    found = count(training, ["search", "narrow", "always", "never"], constants=False)

    assert found.bare == {"search": 1, "narrow": 0}
    assert chance(found, "search", Pick({}, Mention.PICKED)) == 2 / 5
    assert chance(found, "narrow", Pick({}, Mention.PICKED)) == 1 / 4
    assert chance(found, "never", Pick({}, Mention.PICKED)) == 1


def _constants(*calls, said=""):
    training = [episode(user(said), made("find", {"in": "x"}), *calls)]
    return count(training, ["get"], constants=True).constants


@claim("bindings:constants")
def test_an_argument_that_always_had_one_value_is_a_constant():
    def calls(n, **arguments):
        return [made("get", **arguments) for _ in range(n)]

    assert _constants(*calls(5, size=20)) == {("get", "size"): 20}
    assert _constants(*calls(5, size=20), *calls(5)) == {("get", "size"): 20}
    assert _constants(*calls(4, size=20)) == {}
    assert _constants(*calls(5, size=20), *calls(6)) == {}
    assert _constants(*calls(5, size=20), *calls(1, size="20")) == {}
    assert _constants(*calls(5, size=20), *calls(1, size=20.0)) == {}
    assert _constants(*calls(5, of={"b": [1], "a": None})) == {
        ("get", "of"): {"b": [1], "a": None}
    }


@claim("bindings:constants")
def test_a_value_some_result_held_is_no_constant():
    assert _constants(*(made("get", id="x") for _ in range(6))) == {}
    assert _constants(*(made("get", ids=["x"]) for _ in range(6))) == {}


@claim("bindings:constants-words")
@pytest.mark.parametrize(
    ("value", "is_constant"),
    [("me@home", False), ("a1", False), ("word", True), ("other9", True)],
)
def test_what_a_user_wrote_with_a_digit_or_an_at_sign_is_no_constant(
    value, is_constant
):
    calls = [made("get", id=value) for _ in range(5)]

    found = _constants(*calls, said="A word from ME@HOME about #a1")

    assert found == ({("get", "id"): value} if is_constant else {})


def test_constants_are_learned_only_when_asked_for():
    training = [episode(*(made("get", size=20) for _ in range(5)))]

    assert learn_bindings(training, ["get"]).constants == {}
    assert learn_bindings(training, ["get"], constants=True).constants != {}


@claim("binding:whole-call")
def test_a_pick_agrees_with_a_call_that_passes_more_but_not_with_no_object():
    def once(*calls):
        return episode(made("find", "x"), *calls)

    odd = made("get")
    object.__setattr__(odd[0].calls[0], "arguments", None)
    training = [
        *(once(made("get", id="x")) for _ in range(9)),
        once(made("get", id="x", deep=True)),
        once(odd),
    ]

    assert learn_bindings(training, ["get"]).agreed == {
        "get": Agreement(Tally(10, 11), Tally(0, 0))
    }


@claim("named-other:counted")
def test_a_pick_nobody_asked_about_counts_once_an_episode_and_as_used_if_made_later():
    def asking(*events):
        listed = made("list", {"ids": ["a1b2", "c3d4"], "x": "e5f6"})
        return episode(user("what of C3D4?"), listed, *events)

    read = [made("get", {}, id="c3d4"), made("note"), made("note")]
    training = [
        asking(*read),
        asking(*read, made("get", id="a1b2", more=1)),
        asking(*read, made("get", more=1)),
    ]

    found = learn_bindings(training, ["get"])

    assert rules(found, "get", "id") == [Rule(Source("list", "$.ids[*]"), 4)]
    assert required(found, "get") == []
    training += [asking(*read)] * 6
    found = learn_bindings(training, ["get"])
    assert required(found, "get") == ["id"]
    assert found.named_other == {"get": Picks(1, 9)}


def test_numbers_are_compared_as_text():
    assert json.dumps(1.0) == "1.0"
    training = [
        episode(made("list", "a"), made("get", id="a", n=1.0)) for _ in range(5)
    ]
    found = learn_bindings(training, ["get"], constants=True)

    assert found.agreed == {"get": Agreement(Tally(5, 5), Tally(0, 0))}
