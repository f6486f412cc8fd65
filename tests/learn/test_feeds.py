from stretto.flow.flow import Feed
from stretto.learn.feeds import count_feeds
from tests.claims import claim
from tests.toys import SHOP, Script


def feeds(*scripts):
    return count_feeds(
        [script.episode(str(n)) for n, script in enumerate(scripts)], SHOP
    )


def found(value):
    return Script().user("hi").turn(("find", {}, {"order": value}))


@claim("sites:feeds")
def test_a_reads_value_that_a_write_is_given_feeds_that_argument():
    script = found("W123").turn(("cancel", {"id": "w123", "why": "no"}, "ok"))

    assert feeds(script, script) == {"find": {Feed("cancel", "id"): 2}}


def test_an_episode_counts_once_however_often_it_passes_values_on():
    script = found("W123")
    for _ in range(3):
        script = script.turn(("cancel", {"id": "W123"}, "ok"))

    assert feeds(script) == {"find": {Feed("cancel", "id"): 1}}


def test_the_latest_output_with_the_value_is_its_source():
    both = found("W123").turn(("get", {"id": "W123"}, {"id": "W123"}))
    written = found("W123").turn(("cancel", {}, "W123 cancelled"))

    assert feeds(both.turn(("cancel", {"id": "W123"}, "ok"))) == {
        "get": {Feed("cancel", "id"): 1}
    }
    assert feeds(written.turn(("cancel", {"id": "W123"}, "ok"))) == {}


def test_short_values_failed_results_and_what_comes_later_feed_nothing():
    short = found("W1").turn(("cancel", {"id": "W1", "ok": True, "x": None}, "ok"))
    failed = Script().user("hi").turn(("find", {}, ValueError("W123")))
    later = Script().user("hi").turn(("cancel", {"id": "W123"}, "ok"))
    later = later.turn(("find", {}, {"order": "W123"}))

    assert feeds(short, failed.turn(("cancel", {"id": "W123"}, "ok")), later) == {}


def test_lists_objects_and_numbers_are_traced_by_their_leaves():
    script = (
        Script().user("hi").turn(("find", {}, {"items": ["A100", "A200"], "n": 417}))
    )
    script = script.turn(("cancel", {"items": ["A100"], "by": {"n": 417}}, "ok"))

    assert feeds(script) == {
        "find": {Feed("cancel", "by"): 1, Feed("cancel", "items"): 1}
    }
