"""What changed between two flows: what may widen what is sent needs review."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest
from hypothesis import given, settings

from stretto.binding.sources import (
    Agreement,
    ArgCounts,
    Bindings,
    Found,
    Picks,
    Source,
    Tally,
)
from stretto.episodes.manifest import Kind
from stretto.episodes.site import Site
from stretto.flow.diff import Change, Code, Difference, compare, show_difference
from stretto.flow.diff.change import Listed, NeedsReview
from stretto.flow.flow import Flow, Promotion, Surprise
from stretto.flow.wire import read_flow
from stretto.habit.features import FeatureMap
from stretto.oracle.predicates import Predicate
from stretto.program.standard import STANDARD
from tests.claims import claim
from tests.conftest import shared
from tests.flow.golden import is_golden
from tests.flow.maximal import BINDINGS, MAXIMAL, ORDER, PRICES, USER, after, counts
from tests.flow.strategies import flows

Edit: TypeAlias = Callable[[Flow], Flow]


def same(flow: Flow) -> Flow:
    return flow


def part(name: str, value: object) -> Edit:
    """The flow with one part replaced."""
    return lambda flow: replace(flow, **{name: value})


def binding(**parts: object) -> Edit:
    """The flow with parts of its bindings replaced."""
    return lambda flow: replace(flow, bindings=replace(flow.bindings, **parts))


def kind(tool: str, kind: Kind | None) -> Edit:
    """The flow with a tool of another kind, or without it."""

    def edit(flow: Flow) -> Flow:
        tools = {**flow.manifest.tools, tool: kind}
        kept = {name: kind for name, kind in tools.items() if kind is not None}
        return replace(flow, manifest=replace(flow.manifest, tools=kept))

    return edit


def lookups(site: Site, **counts: int) -> Edit:
    """The flow with other lookups at one site."""

    def edit(flow: Flow) -> Flow:
        offered = {**flow.sites.next, site: counts}
        return replace(flow, sites=replace(flow.sites, next=offered))

    return edit


def sources(**found: int) -> Edit:
    """The flow with order ids from these tools' `$.id`."""
    counts = {Source(tool, "$.id"): n for tool, n in found.items()}
    total = sum(found.values())
    return binding(
        sources={**BINDINGS.sources, (ORDER, "order_id"): Found(total, counts)}
    )


def every_read(flow: Flow) -> Flow:
    return replace(flow, sites=replace(flow.sites, every_read=True))


def promoted(*sites: str) -> Edit:
    """The flow promoted at these sites."""
    assert MAXIMAL.promoted is not None
    scored = {
        site: replace(record, promoted=site in sites)
        for site, record in MAXIMAL.promoted.sites.items()
    }
    return part("promoted", Promotion(MAXIMAL.promoted.bar, scored))


def constant(value: object) -> Edit:
    return binding(constants={(ORDER, "page"): value})


BASE = replace(
    MAXIMAL,
    sites=replace(MAXIMAL.sites, every_read=False),
    promoted=None,
    thresholds={},
    surprise=None,
    extra={},
    program=STANDARD,
    bindings=replace(BINDINGS, constants={}, site_sources={}),
)

BASE_WITHOUT_FITS = replace(BASE, folds=())

AT_USER, AT_ORDER = Site(USER, False), Site(ORDER, False)

UNBOUND = replace(BASE.bindings, lists={})
"""Prices have nowhere to come from."""

LESS_AGREED = {**BINDINGS.agreed, ORDER: Agreement(Tally(1, 14), Tally(1, 6))}

EXAMPLES: dict[Code, tuple[Edit, Edit]] = {
    NeedsReview.TOOL_READ: (same, kind("think", Kind.READ)),
    NeedsReview.PROGRAM_CHANGED: (same, part("program", MAXIMAL.program)),
    NeedsReview.EVERY_READ_ON: (same, every_read),
    NeedsReview.DECIDER_CHANGED: (part("folds", ()), same),
    NeedsReview.LOOKUP_ADDED: (same, lookups(AT_USER, get_order=8, get_prices=1)),
    NeedsReview.LOOKUP_BINDS: (part("bindings", UNBOUND), same),
    NeedsReview.SITE_ACTS: (binding(agreed=LESS_AGREED), same),
    NeedsReview.THRESHOLD_LOWERED: (same, part("thresholds", {USER: 0.2})),
    NeedsReview.SWITCHED_ON: (part("thresholds", {USER: 2.0}), same),
    NeedsReview.SITE_PROMOTED: (promoted(), promoted(USER)),
    NeedsReview.PROMOTION_LIFTED: (promoted(USER), same),
    NeedsReview.SURPRISE_LIFTED: (part("surprise", Surprise(5, 2.0)), same),
    NeedsReview.SURPRISE_LOOSENED: (
        part("surprise", Surprise(5, 2.0)),
        part("surprise", Surprise(5, 2.5)),
    ),
    NeedsReview.ARGUMENT_ADDED: (
        same,
        binding(
            args={**BINDINGS.args, ORDER: ArgCounts(20, {"order_id": 20, "page": 19})}
        ),
    ),
    NeedsReview.SOURCE_ADDED: (
        sources(get_user=20),
        sources(get_user=10, get_order=10),
    ),
    NeedsReview.CONSTANT_ADDED: (same, constant(1)),
    NeedsReview.CONSTANT_CHANGED: (constant(1), constant(True)),
    NeedsReview.CONTRACT_CHANGED: (same, part("contracts", {ORDER: "", USER: ""})),
    NeedsReview.CONTRACT_REMOVED: (same, part("contracts", {})),
    NeedsReview.MODEL_CHANGED: (same, part("model", "another")),
    NeedsReview.PREDICATE_ADDED: (part("predicates", MAXIMAL.predicates[:2]), same),
    NeedsReview.PREDICATE_CHANGED: (
        same,
        part(
            "predicates",
            (*MAXIMAL.predicates[:2], replace(MAXIMAL.predicates[2], no="-")),
        ),
    ),
    NeedsReview.ARBITER_ADDED: (part("folds", ()), same),
    NeedsReview.ARBITER_CHANGED: (same, part("folds", MAXIMAL.folds[:1])),
    NeedsReview.UNKNOWN_FIELD: (part("extra", {"new": 1}), part("extra", {"new": 2})),
    Listed.DOMAIN_CHANGED: (
        same,
        part("manifest", replace(MAXIMAL.manifest, domain="another")),
    ),
    Listed.TOOL_ADDED: (same, kind("ship", Kind.WRITE)),
    Listed.TOOL_REMOVED: (same, kind("think", None)),
    Listed.TOOL_NOT_READ: (same, kind("send_quote", Kind.WRITE)),
    Listed.EVERY_READ_OFF: (every_read, same),
    Listed.LOOKUP_REMOVED: (same, lookups(AT_ORDER, get_order=12)),
    Listed.LOOKUP_UNBOUND: (same, part("bindings", UNBOUND)),
    Listed.SITE_STOPS: (same, binding(agreed=LESS_AGREED)),
    Listed.SHARE_MOVED: (
        same,
        part("vocab", replace(MAXIMAL.vocab, tools=(*MAXIMAL.vocab.tools[1:], "zip"))),
    ),
    Listed.CHANCE_MOVED: (same, binding(named_other={ORDER: Picks(8, 8)})),
    Listed.THRESHOLD_RAISED: (same, part("thresholds", {USER: 0.4})),
    Listed.SWITCHED_OFF: (same, part("thresholds", {USER: 2.0})),
    Listed.PROMOTION_ADDED: (same, promoted(USER)),
    Listed.SITE_DEMOTED: (promoted(USER, ORDER), promoted(USER)),
    Listed.SURPRISE_ADDED: (same, part("surprise", Surprise(5, 2.0))),
    Listed.SURPRISE_TIGHTENED: (
        part("surprise", Surprise(5, 2.0)),
        part("surprise", Surprise(4, 2.0)),
    ),
    Listed.ARGUMENT_REMOVED: (
        same,
        binding(
            args={**BINDINGS.args, ORDER: ArgCounts(20, {"order_id": 2, "page": 12})}
        ),
    ),
    Listed.SOURCE_REMOVED: (sources(get_user=10, get_order=10), sources(get_user=20)),
    Listed.SOURCE_ORDER: (same, binding(site_sources=BINDINGS.site_sources)),
    Listed.CONSTANT_REMOVED: (constant(1), same),
    Listed.CONTRACT_ADDED: (part("contracts", {}), same),
    Listed.MODEL_REMOVED: (same, part("model", "")),
    Listed.PREDICATE_REMOVED: (same, part("predicates", MAXIMAL.predicates[:2])),
    Listed.ARBITER_REMOVED: (same, part("folds", ())),
    Listed.FEATURES_CHANGED: (same, part("map", FeatureMap())),
    Listed.FEEDS_CHANGED: (same, part("sites", replace(BASE.sites, feeds={}))),
}


def difference(code: Code) -> Difference:
    old, new = EXAMPLES[code]
    return compare(old(BASE), new(BASE))


def by_code(found: Difference) -> dict[Code, Change]:
    return {change.code: change for change in found.changes}


def test_every_kind_of_change_has_an_example() -> None:
    assert list(EXAMPLES) == [*NeedsReview, *Listed]


@claim("review:diff")
@pytest.mark.parametrize("code", EXAMPLES)
def test_a_change_is_named_by_its_code(code: Code) -> None:
    change = by_code(difference(code))[code]

    assert change.text
    assert change.needs_review is isinstance(code, NeedsReview)


@claim("program:review", "promoted:review")
@pytest.mark.parametrize("code", NeedsReview)
def test_what_may_widen_what_is_sent_needs_review(code: NeedsReview) -> None:
    assert difference(code).needs_review


@pytest.mark.parametrize(
    "code",
    [
        code
        for code in Listed
        if code
        not in {
            Listed.ARBITER_REMOVED,  # another decider is then asked for
            Listed.SHARE_MOVED,  # by other ids, so that other sites act
        }
    ],
)
def test_what_only_narrows_it_does_not(code: Listed) -> None:
    found = difference(code)

    assert [change for change in found.changes if change.needs_review] == []
    assert not found.needs_review


@settings(max_examples=12, deadline=None)
@given(flows())
def test_a_flow_differs_in_nothing_from_itself(flow: Flow) -> None:
    found = compare(flow, flow, tolerance=0)

    assert (found.changes, found.program) == ((), ())


@settings(max_examples=12, deadline=None)
@given(flows(), flows())
def test_any_two_flows_can_be_compared_what_needs_review_first(
    old: Flow, new: Flow
) -> None:
    found = compare(old, new)
    flags = [change.needs_review for change in found.changes]

    assert flags == sorted(flags, reverse=True)
    assert found.needs_review is any(flags)
    assert json.loads(json.dumps(found.json()))["needs_review"] is found.needs_review
    text = show_difference(found, "a", "b")
    assert all(c.isprintable() or c == "\n" for c in text)


def test_the_published_promotion_narrows_and_its_lifting_widens() -> None:
    plain, promoted = (
        read_flow(shared(f"reference/flows/{name}.flow.json"))
        for name in ("shop", "shop.promoted")
    )

    assert [c.code for c in compare(plain, promoted).changes] == [
        Listed.PROMOTION_ADDED
    ]
    assert [c.code for c in compare(promoted, plain).changes] == [
        NeedsReview.PROMOTION_LIFTED
    ]


def test_the_published_airline_flows_differ_in_what_their_readme_says() -> None:
    old, new = (
        read_flow(shared(f"reference/flows/airline-{name}.flow.json"))
        for name in ("f2", "reach")
    )
    found = compare(old, new)
    chances = {
        (change.subject, change.before, change.after)
        for change in found.changes
        if change.code is Listed.CHANCE_MOVED and "where" not in change.text
    }

    assert chances == {("search_direct_flight", 13 / 117, 24 / 117)}
    assert {change.code for change in found.changes} >= {
        NeedsReview.DECIDER_CHANGED,
        NeedsReview.THRESHOLD_LOWERED,
        Listed.ARBITER_REMOVED,
        Listed.SOURCE_ORDER,
    }


@pytest.mark.parametrize(
    ("tolerance", "is_listed"), [(0.0, True), (0.0625, True), (0.07, False)]
)
def test_a_chance_is_listed_when_it_moved_by_the_tolerance(
    tolerance: float, is_listed: bool
) -> None:
    before = binding(agreed={PRICES: Agreement(Tally(7, 14), Tally())})(BASE)
    after = binding(agreed={PRICES: Agreement(Tally(8, 14), Tally())})(BASE)

    found = by_code(compare(before, after, tolerance=tolerance))

    assert (Listed.CHANCE_MOVED in found) is is_listed


def test_a_site_acts_or_not_by_the_threshold_both_are_served_at() -> None:
    before = binding(agreed=LESS_AGREED)(BASE)

    assert NeedsReview.SITE_ACTS in by_code(compare(before, BASE, threshold=0.3))
    assert NeedsReview.SITE_ACTS not in by_code(compare(before, BASE, threshold=0.9))


def test_a_site_that_makes_another_lookup_needs_review() -> None:
    level = {(after(USER),): counts(10.0, get_prices=9.0)}
    base = replace(BASE.habit.base, levels=(*BASE.habit.base.levels[:1], level, {}))
    other = replace(BASE, habit=replace(BASE.habit, base=base))

    change = by_code(compare(BASE, lookups(AT_USER, get_prices=9)(other)))[
        NeedsReview.SITE_ACTS
    ]

    assert (change.subject, change.before, change.after) == (USER, ORDER, PRICES)
    assert "acts instead of get_order" in change.text


def test_with_every_read_on_only_what_training_saw_is_a_new_lookup() -> None:
    found = by_code(compare(BASE, every_read(BASE)))

    assert NeedsReview.EVERY_READ_ON in found
    assert NeedsReview.LOOKUP_ADDED not in found


def test_a_constant_of_one_is_not_a_constant_of_true() -> None:
    change = by_code(difference(NeedsReview.CONSTANT_CHANGED))[
        NeedsReview.CONSTANT_CHANGED
    ]

    assert (change.before, change.after) == ("1", "true")


@pytest.mark.parametrize(
    ("weighed", "text"),
    [
        (MAXIMAL.predicates, "is weighed now"),
        (MAXIMAL.weighed[:1], "is asked, and not weighed"),
    ],
)
def test_a_question_weighed_or_not_weighed_any_more_needs_review(
    weighed: tuple[Predicate, ...], text: str
) -> None:
    change = by_code(compare(BASE, part("weighed", weighed)(BASE_WITHOUT_FITS)))

    assert change[NeedsReview.PREDICATE_CHANGED].text == text


def test_a_promotion_that_adds_a_site_never_scored_before_needs_review() -> None:
    assert BASE.promoted is None
    empty = part("promoted", Promotion(promoted()(BASE).promoted.bar, {}))  # type: ignore[union-attr]

    found = by_code(compare(empty(BASE), promoted(USER)(BASE)))

    assert found[NeedsReview.SITE_PROMOTED].subject == USER


def test_a_changed_program_is_shown_as_a_text_diff() -> None:
    found = difference(NeedsReview.PROGRAM_CHANGED)

    assert found.program[:2] == ("--- before", "+++ after")
    assert "+pure(call)" in found.program
    assert "```diff\n--- before\n+++ after\n" in show_difference(found, "a", "b")


def test_a_difference_is_shown_as_reviewed() -> None:
    found = compare(BASE, MAXIMAL)

    assert is_golden("flow-diff-maximal.md", show_difference(found, "base", "maximal"))


def test_a_relearned_flow_is_shown_as_reviewed() -> None:
    before, after = (
        read_flow(shared(f"reference/flows/airline-{name}.flow.json"))
        for name in ("f2", "reach")
    )

    text = show_difference(compare(before, after), "f2", "reach")

    assert is_golden("flow-diff-airline.md", text)


def test_nothing_is_said_where_nothing_changed() -> None:
    text = show_difference(compare(BASE, BASE), "a", "b")

    assert text.endswith("## Needs review\n\nNothing.\n\n## Listed only\n\nNothing.")


def test_no_bindings_and_some_can_be_compared_either_way() -> None:
    empty = part("bindings", Bindings({}, {}, {}))(BASE)

    assert compare(empty, BASE).needs_review
    assert compare(BASE, empty).changes
