"""What a reviewer is shown of a flow, and what has to stand out."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings

from stretto.binding.sources import Agreement, ArgCounts, Bindings, Found, Source, Tally
from stretto.episodes.manifest import Kind, Manifest
from stretto.episodes.site import Site
from stretto.flow.flow import Bar, Flow, Promotion, Sites
from stretto.flow.pooled import pooled, sites_seen
from stretto.flow.review import review
from stretto.flow.review.cautions import Concern, reads_like_write
from stretto.flow.review.sites import SiteReview
from stretto.flow.show import show
from stretto.flow.wire import read_flow
from stretto.program.standard import STANDARD
from tests.claims import claim
from tests.conftest import shared
from tests.flow.golden import is_golden
from tests.flow.maximal import MAXIMAL, ORDER, PRICES, SEARCH, USER
from tests.flow.strategies import flows
from tests.toys import TOY, taught

PLAIN = replace(
    MAXIMAL,
    sites=replace(MAXIMAL.sites, every_read=False),
    promoted=None,
    thresholds={},
    program=STANDARD,
    extra={},
)
"""The maximal flow, acting wherever training saw a lookup."""


def shown_site(flow: Flow, site: str, threshold: float = 0.3) -> SiteReview:
    sites = {found.site: found for found in review(flow, threshold=threshold).sites}
    return sites[site]


def codes(flow: Flow) -> dict[Concern, tuple[str, ...]]:
    return {caution.code: caution.subjects for caution in review(flow).cautions}


@claim("review:show", "program:text")
def test_a_flow_with_every_field_is_shown_as_reviewed() -> None:
    assert is_golden("flow-show-maximal.md", show(review(MAXIMAL)))


def test_a_flow_with_little_in_it_is_shown_as_reviewed() -> None:
    assert is_golden("flow-show-toy.md", show(review(taught(TOY).flow)))


def test_the_published_shop_flow_is_shown_as_reviewed() -> None:
    flow = read_flow(shared("reference/flows/shop.promoted.flow.json"))

    assert is_golden("flow-show-shop-promoted.md", show(review(flow)))


@settings(max_examples=15, deadline=None)
@given(flows())
def test_any_flow_can_be_shown_and_nothing_in_it_steers_a_terminal(flow: Flow) -> None:
    text = show(review(flow))

    assert all(c.isprintable() or c == "\n" for c in text)
    assert json.loads(json.dumps(review(flow).json()))["domain"] == flow.manifest.domain


def test_the_values_of_code_features_are_counted_and_not_shown() -> None:
    found = review(MAXIMAL)

    assert [(f.tool, f.combinations) for f in found.features] == [(USER, 2)]
    for hidden in ("gold", "plain"):
        assert hidden not in show(found)
        assert hidden not in json.dumps(found.json())


@claim("review:basis")
@pytest.mark.parametrize("name", ["airline-reach", "retail-5-sessions", "shop"])
def test_a_published_site_shows_each_lookup_with_its_count_and_share(name: str) -> None:
    path = shared(f"reference/flows/{name}.flow.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    ids = {"Respond": 0} | {
        action["Tool"]: id for id, action in enumerate(document["vocab"]) if id
    }
    level = document["habit"]["base"]["levels"][1]

    reviewed = review(read_flow(path))
    found = {site.site: site for site in reviewed.sites}

    assert _shown_lookups(show(reviewed)) == [
        (f"`{option.tool}`", f"{option.seen:,}", f"{option.share:.0%}")
        for site in reviewed.sites
        for option in site.lookups
    ]
    assert len(found) == len(document["sites"]["next"])
    for (tool, failed), counts in document["sites"]["next"]:
        head = ids[tool] * 4 + int(failed)
        steps = [c for [code], c in level if code // 4096 == head]
        total = sum(c["total"] for c in steps)
        shown = found[f"{tool} (error)" if failed else tool]
        assert shown.calls == total
        assert {o.tool: o.seen for o in shown.lookups} == counts
        for option in shown.lookups:
            made = sum(dict(c["by_action"]).get(ids[option.tool], 0) for c in steps)
            assert option.share == made / total


def _shown_lookups(text: str) -> list[tuple[str, ...]]:
    """The lookup, count and share of each row of the table of sites."""
    table = text.partition("## Sites\n\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines()]
    return [tuple(row[3:6]) for row in rows[2:]]


def test_the_habit_alone_acts_where_share_times_chance_reach_the_threshold() -> None:
    alone = shown_site(PLAIN, USER, 0.65).alone

    assert alone.makes == ORDER
    assert (
        alone.text == "get_order at 0.80, times 0.82 for its arguments, at least 0.65"
    )


@pytest.mark.parametrize(
    ("threshold", "text"),
    [
        (0.65, "makes it: 0.65 ≥ 0.65"),
        (0.7, "hands back: 0.65 < 0.7"),
        (0.9, "hands back: 0.80 < 0.9"),
    ],
)
def test_a_sites_row_compares_with_the_threshold(threshold: float, text: str) -> None:
    row = next(
        line
        for line in show(review(PLAIN, threshold=threshold)).splitlines()
        if line.startswith("| `get_user`") and "%" in line
    )

    assert f"| {text} " in row


def test_a_lookup_never_made_after_the_call_is_not_made_by_the_habit_alone() -> None:
    sites = replace(PLAIN.sites, next={Site("think", False): {ORDER: 1}})

    text = show(review(replace(PLAIN, sites=sites)))

    assert "hands back: no lookup has any probability here" in text


def test_sources_too_rare_to_be_used_are_counted_together() -> None:
    rare = {Source(f"t{i}", "$"): 1 for i in range(3)}
    found = Found(20, {Source(USER, "$.orders[*]"): 15, **rare})
    bindings = replace(PLAIN.bindings, sources={(ORDER, "order_id"): found})

    lines = show(review(replace(PLAIN, bindings=bindings))).splitlines()

    row = next(line for line in lines if "(3 others)" in line)
    assert row.endswith(" 3 of 20 |")


@pytest.mark.parametrize(
    ("threshold", "code", "text"),
    [
        (
            0.7,
            "below_bound",
            "get_order at 0.80, times 0.82 for its arguments, below 0.7",
        ),
        (0.9, "below", "get_order at 0.80, below 0.9"),
    ],
)
def test_the_habit_alone_hands_back_below_the_threshold(
    threshold: float, code: str, text: str
) -> None:
    alone = shown_site(PLAIN, USER, threshold).alone

    assert (alone.makes, alone.code, alone.text) == (None, code, text)


@claim("review:no-source")
def test_the_habit_alone_hands_back_where_an_argument_has_no_source() -> None:
    site = shown_site(PLAIN, f"{USER} (error)")

    assert site.alone.code == "unbound"
    assert site.lookups[0].chance is None
    assert "hands back: user_id has no source" in show(review(PLAIN))


def test_the_habit_alone_heeds_promotion_and_thresholds() -> None:
    off = replace(PLAIN, thresholds={USER: 2.0})
    unpromoted = replace(PLAIN, promoted=Promotion(Bar(), {}))

    assert shown_site(off, USER).alone.code == "switched_off"
    assert shown_site(unpromoted, USER).alone.code == "not_promoted"


def test_a_lookup_of_another_server_is_shown_and_not_made() -> None:
    here, there = "a::get", "b::get"
    manifest = Manifest("two", {here: Kind.READ, there: Kind.READ})
    flow = replace(
        PLAIN,
        manifest=manifest,
        sites=Sites((here, there), {Site(here, False): {there: 9}}),
    )

    site = shown_site(flow, here)

    assert [option.tool for option in site.lookups] == [there]
    assert site.alone.makes is None


@claim("every-read:options")
def test_with_every_read_on_offer_every_site_seen_offers_them_all() -> None:
    sites = review(MAXIMAL).sites
    seen = sites_seen(MAXIMAL, pooled(MAXIMAL.habit.base))

    assert {site.site for site in sites} == {str(site) for site in seen}
    assert {len(site.lookups) for site in sites} == {len(MAXIMAL.sites.reads)}


@pytest.mark.parametrize(
    ("tool", "chance"),
    [(ORDER, 18 / 22), (PRICES, 4 / 6), (SEARCH, 5 / 8), (USER, None)],
)
def test_a_lookups_chance_is_over_all_its_picks_or_its_bare_calls(
    tool: str, chance: float | None
) -> None:
    bindings = {found.tool: found for found in review(MAXIMAL).bindings}

    assert bindings[tool].chance == chance


def test_a_lookup_that_takes_nothing_and_always_did_is_certain() -> None:
    bindings = Bindings({SEARCH: ArgCounts(6, {})}, {}, {})

    assert review(replace(MAXIMAL, bindings=bindings)).bindings[0].chance == 1.0


@claim("walked:once", "walked:never-finds")
def test_retails_five_sessions_never_find_the_user_and_use_no_source_seen_once() -> (
    None
):
    flow = read_flow(shared("reference/flows/retail-5-sessions.flow.json"))
    found = review(flow)
    missing = {
        f"{b.tool}.{a.argument}"
        for b in found.bindings
        for a in b.arguments
        if a.is_missing
    }
    sources = {
        source.source: source.is_used
        for binding in found.bindings
        for argument in binding.arguments
        for source in argument.sources
    }

    assert missing == {
        "find_user_id_by_email.email",
        "find_user_id_by_name_zip.first_name",
        "find_user_id_by_name_zip.last_name",
        "find_user_id_by_name_zip.zip",
    }
    assert sources[Source("get_order_details", "$.user_id")] is False
    assert sources[Source("find_user_id_by_email", "$")] is True


@pytest.mark.parametrize(
    ("tool", "is_write"),
    [
        ("cancel_order", True),
        ("cancelOrder", True),
        ("CancelOrder", True),
        ("shop::update-user", True),
        ("_delete", True),
        ("POST", True),
        ("get_order", False),
        ("settings_get", False),
        ("canceled_orders", False),
        ("booking", False),
        ("", False),
        ("42", False),
    ],
)
def test_a_name_reads_like_a_write_by_its_first_word(tool: str, is_write: bool) -> None:
    assert reads_like_write(tool) is is_write


def test_everything_to_be_careful_of_is_said_once_the_gravest_first() -> None:
    assert list(codes(replace(MAXIMAL, contracts={}))) == list(Concern)
    assert codes(MAXIMAL)[Concern.READ_LIKE_WRITE] == ("send_quote",)
    assert codes(MAXIMAL)[Concern.NO_SOURCE] == (f"{USER}.user_id",)
    assert codes(MAXIMAL)[Concern.THIN] == (
        "get_prices after get_order",
        "get_user after get_user (error)",
    )


def test_a_flow_with_nothing_to_be_careful_of_says_so() -> None:
    calm = replace(
        PLAIN,
        manifest=Manifest("shop", {USER: Kind.READ, ORDER: Kind.READ}),
        sites=Sites((ORDER, USER), {Site(USER, False): {ORDER: 8}}),
        bindings=Bindings(
            {ORDER: ArgCounts(8, {"id": 8})},
            {(ORDER, "id"): Found(8, {Source(USER, "$.orders[*]"): 8})},
            {ORDER: Agreement(Tally(8, 8), Tally())},
        ),
        folds=(),
        provenance=replace(PLAIN.provenance, habit_episodes=8),
    )

    assert review(calm).cautions == ()
    assert "Nothing stands out." in show(review(calm))


def test_the_decider_is_the_arbiter_else_reach_else_the_habit() -> None:
    def decider(flow: Flow) -> str:
        return review(flow).run.decider

    assert decider(MAXIMAL) == "arbiter"
    assert decider(replace(MAXIMAL, folds=())) == "reach"
    assert decider(replace(MAXIMAL, folds=(), reach=None)) == "habit"


@claim("review:provenance")
def test_what_was_learned_from_stands_at_the_top() -> None:
    head = show(review(MAXIMAL)).split("##")[0]

    assert "4 successful sessions of `an-agent`, `another`" in head
    assert "on 12 held-out decisions" in show(review(MAXIMAL))


@claim("folds:weights")
def test_the_weights_are_named_and_meant_over_the_folds() -> None:
    arbiter = review(MAXIMAL).arbiter
    assert arbiter is not None

    assert [weight.name for weight in arbiter.weights] == [
        "habit",
        "one question",
        "split questions",
        "hand back",
        "list_pending",
        "wants_prices",
        "reliability",
    ]
    assert arbiter.weights[0].mean == pytest.approx(0.4)
    assert (arbiter.folds, arbiter.fits) == (2, 2)


def test_the_review_lists_the_flows_own_calls_and_why_the_other_reads_are_not() -> None:
    tools = review(PLAIN).tools

    assert tools.acting == (ORDER, PRICES)
    assert tools.idle == {
        USER: "user_id has no source",
        SEARCH: "no site offers it",
        "send_quote": "no site offers it",
    }


def test_an_escape_sequence_in_a_name_is_spelled_out() -> None:
    flow = replace(MAXIMAL, manifest=replace(MAXIMAL.manifest, domain="a\x1b[31mb"))

    assert show(review(flow)).startswith("# Flow: `a\\x1b[31mb`")
