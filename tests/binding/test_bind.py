from stretto.binding.bind import Bound, Mention, bind, bind_by_name
from stretto.binding.seen import Seen
from stretto.binding.sources import Agreement, ArgCounts, Bindings, Found, Source, Tally
from stretto.episodes.manifest import Manifest, ToolDocs
from tests.binding.example import call, failed, made, user
from tests.claims import claim

BINDINGS = Bindings(
    {"get": ArgCounts(10, {"id": 10}), "list": ArgCounts(8, {"limit": 2})},
    {("get", "id"): Found(10, {Source("list", "$.ids[*]"): 10})},
    {"get": Agreement(Tally(8, 9), Tally(1, 1))},
    bare={"list": 6},
)
MANIFEST = Manifest(
    "shop",
    docs={
        "get": ToolDocs("", {"other": ""}),
        "price": ToolDocs("", {"order_id": "", "name": ""}),
        "ping": ToolDocs("Says pong."),
    },
)


def listed(text: str = "", *more) -> Seen:
    events = [user(text), *made("list", {"ids": ["a", "b"]}), *more]
    return Seen.of(events)


def test_a_lookup_is_bound_with_the_chance_its_mention_has():
    assert bind(BINDINGS, MANIFEST, "get", listed()) == Bound(
        {"id": "a"}, 9 / 11, Mention.NONE
    )
    assert bind(BINDINGS, MANIFEST, "get", listed("b!")) == Bound(
        {"id": "b"}, 2 / 3, Mention.PICKED
    )
    pending = [call("get", id="a")]
    assert bind(BINDINGS, MANIFEST, "get", listed(), pending) == Bound(
        {"id": "b"}, 9 / 11, Mention.NONE
    )


def test_a_lookup_bound_to_nothing_has_the_chance_of_a_bare_call():
    found = bind(BINDINGS, MANIFEST, "list", Seen())

    assert found == Bound({}, 7 / 10, Mention.PICKED)
    assert bind(BINDINGS, MANIFEST, "list", listed()) == "already looked up"


def test_a_lookup_training_called_is_not_bound_by_name():
    assert bind(BINDINGS, MANIFEST, "get", Seen()) == (
        "id: no value is left that was not passed"
    )


def orders(*more) -> list:
    return [
        *made("old", {"order_id": "o1", "name": "n1"}),
        *made(
            "new",
            [{"z": {"order_id": "o4"}, "order_id": "o2", "of": "blue"}, {"name": "n2"}],
        ),
        *more,
    ]


@claim("every-read:options")
def test_a_lookup_training_never_saw_is_bound_by_its_documented_names():
    found = bind(BINDINGS, MANIFEST, "price", Seen.of(orders()))

    assert found == Bound({"name": "n2", "order_id": "o2"}, 0.5, Mention.NONE)


def test_a_value_by_name_is_one_the_user_named_or_whose_record_they_named():
    seen = Seen.of([user("the BLUE one, n1"), *orders()])
    assert bind(BINDINGS, MANIFEST, "price", seen) == Bound(
        {"name": "n1", "order_id": "o2"}, 0.5, Mention.PICKED
    )

    seen = Seen.of([user("o1"), *orders()])
    assert bind(BINDINGS, MANIFEST, "price", seen) == Bound(
        {"name": "n2", "order_id": "o1"}, 0.5, Mention.NONE
    )


def test_a_value_by_name_is_passed_once():
    seen = Seen.of(orders(*failed("price", order_id="o2"), *made("x", order_id="o4")))
    pending = [call("price", name="n2")]

    assert bind(BINDINGS, MANIFEST, "price", seen, pending) == Bound(
        {"name": "n1", "order_id": "o4"}, 0.5, Mention.NONE
    )


def test_a_name_no_result_holds_is_not_bound():
    seen = Seen.of(made("old", {"order_id": "o1", "name": 7}))

    assert bind(BINDINGS, MANIFEST, "price", seen) == (
        "name: no result holds a value of that name that was not passed"
    )


def test_a_lookup_without_documented_arguments_is_made_once():
    certain = Bound({}, 1.0, Mention.PICKED)

    for tool in ("ping", "undocumented"):
        assert bind(BINDINGS, MANIFEST, tool, listed()) == certain
        again = listed("", *failed(tool))
        assert bind(BINDINGS, MANIFEST, tool, again) == "already looked up"
        also = [call(tool)]
        assert bind(BINDINGS, MANIFEST, tool, listed(), also) == "already looked up"
        assert bind_by_name(None, tool, again) == "already looked up"
