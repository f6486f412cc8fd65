"""A small flow that has every field a flow file can have."""

from stretto.binding.sources import (
    Agreement,
    ArgCounts,
    Bindings,
    Found,
    Picks,
    Source,
    Tally,
)
from stretto.episodes.manifest import Kind, Manifest, ToolDocs
from stretto.episodes.site import Site
from stretto.episodes.step import Outcome
from stretto.episodes.vocabulary import START, Vocabulary, symbol
from stretto.flow.flow import (
    Bar,
    Feed,
    Fit,
    Flow,
    Promotion,
    Provenance,
    Rates,
    SiteRate,
    SiteRecord,
    Sites,
    Surprise,
)
from stretto.habit.backoff import Backoff, Counts, Habit
from stretto.habit.features import FeatureMap, Field
from stretto.oracle.predicates import Lookup, Predicate
from stretto.program.text import parse

USER, ORDER, PRICES, SEARCH = "get_user", "get_order", "get_prices", "search_items"

MANIFEST = Manifest(
    "shop",
    {
        "cancel_order": Kind.WRITE,
        ORDER: Kind.READ,
        PRICES: Kind.READ,
        USER: Kind.READ,
        SEARCH: Kind.READ,
        "send_quote": Kind.READ,
        "think": Kind.GENERIC,
    },
    {ORDER: ToolDocs("Look an order up.", {"order_id": "The order's id."})},
)

VOCAB = Vocabulary.of(MANIFEST.tools)


def after(tool: str, outcome: Outcome = Outcome.OK, feature: int = 0) -> int:
    """The symbol of a call to `tool`."""
    return symbol(VOCAB.id(tool), outcome, feature)


def counts(total: float, **by_tool: float) -> Counts:
    """Counts of tools by name."""
    return Counts({VOCAB.id(tool): n for tool, n in by_tool.items()}, total)


LEVELS = (
    {(): Counts({0: 8.0, VOCAB.id(USER): 10.0, VOCAB.id(ORDER): 20.0}, 40.0)},
    {
        (START,): counts(10.0, get_user=10.0),
        (after(USER),): counts(6.0, get_order=5.0),
        (after(USER, feature=1),): counts(4.0, get_order=3.0),
        (after(USER, Outcome.ERROR),): counts(1.0, get_user=1.0),
        (after(ORDER),): counts(20.0, get_order=12.0, get_prices=2.0),
    },
    {(after(USER), after(ORDER)): counts(8.0, get_order=6.0)},
)

LIST_PENDING = Predicate(
    "list_pending", "same_lookup", "Is a list half read?", "It is.", "It is not."
)
WANTS_PRICES = Predicate(
    "wants_prices", Lookup(PRICES), "Were prices asked for?", "They were.", "Not yet."
)
UNWEIGHED = Predicate(
    "must_ask", "hand_back", "Is the user needed?", "They are.", "No."
)

FITS = (
    Fit(
        (0.3, 0.2, 0.1, 0.4, 1.2, 0.5, 0.6),
        Rates({USER: SiteRate(10.0, 8.0, 10.0)}, 0.7, 0.95),
    ),
    Fit(
        (0.5, 0.2, 0.3, 0.2, 1.0, 0.7, 0.8),
        Rates(
            {USER: SiteRate(12.0, 9.0, 12.0), ORDER: SiteRate(4.5, 1.5, 4.0)},
            0.6,
            0.9,
        ),
        draws=(
            (0.4, 0.2, 0.3, 0.1, 1.1, 0.7, 0.9),
            (0.6, 0.2, 0.3, 0.3, 0.9, 0.7, 0.7),
        ),
    ),
)

SOURCES = {
    (USER, "user_id"): Found(10, {}),
    (ORDER, "order_id"): Found(
        20,
        {
            Source(USER, "$.orders[*]"): 15,
            Source(ORDER, "$.next"): 4,
            Source(SEARCH, "$[*].id"): 1,
        },
    ),
}

BINDINGS = Bindings(
    args={
        ORDER: ArgCounts(20, {"order_id": 20, "page": 12}),
        PRICES: ArgCounts(4, {"items": 4}),
        SEARCH: ArgCounts(6, {"query": 2}),
        USER: ArgCounts(10, {"user_id": 10}),
    },
    sources=SOURCES,
    agreed={
        ORDER: Agreement(Tally(12, 14), Tally(5, 6)),
        PRICES: Agreement(Tally(3, 4), Tally(0, 0)),
    },
    named_other={ORDER: Picks(1, 8)},
    described_read={ORDER: Picks(0, 2)},
    lists={(PRICES, "items"): Found(4, {Source(ORDER, "$.items[*]"): 4})},
    bare={SEARCH: 4},
    constants={(ORDER, "page"): 1},
    site_sources={
        (ORDER, "order_id", ORDER, Source(ORDER, "$.next")): 4,
        (ORDER, "order_id", ORDER, Source(USER, "$.orders[*]")): 6,
        (ORDER, "order_id", USER, Source(USER, "$.orders[*]")): 3,
    },
)

MAXIMAL = Flow(
    provenance=Provenance(
        "0.1.0", ("an-agent", "another"), 4, 12, 1_790_000_000_000, "GenAI spans 1.38"
    ),
    vocab=VOCAB,
    manifest=MANIFEST,
    map=FeatureMap(
        {USER: (Field("Scalar", "tier"), Field("Len", "orders"))},
        {(USER, ("gold", "2+")): 1, (USER, ("plain", "1")): 2},
    ),
    habit=Habit(
        Backoff(2, 1.5, VOCAB.size, LEVELS),
        1.5,
        {(1, k): v for k, v in LEVELS[2].items()},
    ),
    sites=Sites(
        MANIFEST.reads,
        {
            Site(USER, False): {ORDER: 8},
            Site(USER, True): {USER: 1},
            Site(ORDER, False): {ORDER: 12, PRICES: 2},
        },
        {ORDER: {Feed("cancel_order", "order_id"): 3}},
        every_read=True,
    ),
    bindings=BINDINGS,
    program=parse("pure(call)", name="other"),
    predicates=(LIST_PENDING, WANTS_PRICES, UNWEIGHED),
    weighed=(LIST_PENDING, WANTS_PRICES),
    folds=FITS,
    model="jev-latest",
    promoted=Promotion(
        Bar(before_write=True, by_task=True, holm=True),
        {
            USER: SiteRecord(9, 8, 8, 5, 0.75, True),
            ORDER: SiteRecord(9, 4, 2, 4, 0.2, False),
            f"{USER} (error)": SiteRecord(1, 1, 1, 1, 0.2, True),
        },
    ),
    thresholds={USER: 0.2, f"{USER} (error)": 2.0},
    contracts={ORDER: "order_id:string!, page:integer", USER: "user_id:string!"},
    reach=Backoff(
        1,
        1.5,
        VOCAB.size,
        (
            {(): counts(40.0, get_user=30.0, get_order=35.0)},
            {(after(USER),): counts(10.0, get_order=9.0, get_prices=4.0)},
        ),
    ),
    surprise=Surprise(5, 2.25, 0.9),
    extra={"a_later_field": {"kept": True}},
)
