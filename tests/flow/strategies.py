"""Random flows."""

import string
from collections.abc import Callable

from hypothesis import strategies as st

from stretto.binding.sources import (
    Agreement,
    ArgCounts,
    Bindings,
    Found,
    Picks,
    Source,
    Tally,
)
from stretto.canonical import Json
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
from stretto.program.ast import Program
from stretto.program.standard import STANDARD
from stretto.program.text import parse

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
TOOLS = st.one_of(st.text(string.ascii_lowercase + "_:", min_size=1, max_size=6), TEXTS)
NUMBERS = st.integers(0, 40)
POSITIVE = st.floats(1e-6, 1e6)
SHARES = st.floats(0.0, 1.0)
WEIGHTS = st.floats(-1e6, 1e6)
STEPS = st.one_of(NUMBERS.map(float), st.floats(0.0, 1e9))
LEAVES: st.SearchStrategy[Json] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=6,
)
PROGRAMS: tuple[Program, ...] = (
    STANDARD,
    parse("pure(call)", name="brief"),
    parse(
        "for i in 0..max_lookups {"
        'let ok <- sample(addr!("ok", i), Outcome(call)); if ok { break; } }'
        "pure(call)",
        name="once",
    ),
)

SOURCES = st.builds(Source, TEXTS, TEXTS)


@st.composite
def flows(draw: st.DrawFn) -> Flow:
    """Any flow whose parts fit together."""
    tools = draw(st.lists(TOOLS, max_size=5, unique=True))
    manifest = draw(_manifests(tools))
    vocab = Vocabulary(tuple(tools))
    predicates = tuple(
        draw(st.lists(_predicates(), max_size=3, unique_by=lambda p: p.id))
    )
    weighed = tuple(p for p in predicates if draw(st.booleans()))
    program = draw(st.sampled_from(PROGRAMS))
    return Flow(
        provenance=draw(_provenances()),
        vocab=vocab,
        manifest=manifest,
        map=draw(_maps()),
        habit=draw(_habits(vocab.size)),
        sites=draw(_sites(manifest)),
        bindings=draw(_bindings()),
        program=program,
        group=draw(NUMBERS),
        predicates=predicates,
        weighed=weighed,
        folds=tuple(draw(st.lists(_fits(len(weighed) + 5), max_size=2))),
        model=draw(TEXTS),
        promoted=draw(st.none() | _promotions()),
        thresholds=draw(st.dictionaries(TEXTS, st.floats(0.0, 2.0), max_size=2)),
        contracts=draw(st.dictionaries(TEXTS, TEXTS, max_size=2)),
        reach=draw(st.none() | backoffs(vocab.size, max)),
        surprise=draw(st.none() | _surprises()),
        has_program=program is not STANDARD or draw(st.booleans()),
        extra=draw(st.dictionaries(TEXTS.map("x_{}".format), VALUES, max_size=2)),
    )


@st.composite
def backoffs(
    draw: st.DrawFn, size: int, covered: Callable[[list[float]], float]
) -> Backoff:
    """Counts whose totals cover what `covered` says of them."""
    order = draw(st.integers(0, 2))
    levels = tuple(
        draw(
            st.dictionaries(_contexts(size, length), _counts(size, covered), max_size=3)
        )
        for length in range(order + 1)
    )
    return Backoff(order, draw(POSITIVE), size, levels)


@st.composite
def _counts(
    draw: st.DrawFn, size: int, covered: Callable[[list[float]], float]
) -> Counts:
    by_action = draw(st.dictionaries(st.integers(0, size - 1), STEPS, max_size=3))
    return Counts(by_action, covered([0.0, *by_action.values()]) + draw(STEPS))


def _contexts(size: int, length: int) -> st.SearchStrategy[tuple[int, ...]]:
    symbols = st.builds(
        symbol, st.integers(0, size - 1), st.sampled_from(Outcome), st.integers(0, 63)
    )
    return st.tuples(*[st.just(START) | symbols] * length)


@st.composite
def _habits(draw: st.DrawFn, size: int) -> Habit:
    base = draw(backoffs(size, sum))
    keys = st.tuples(NUMBERS, _contexts(size, base.order))
    top = draw(st.dictionaries(keys, _counts(size, sum), max_size=3))
    return Habit(base, draw(POSITIVE), top)


@st.composite
def _manifests(draw: st.DrawFn, tools: list[str]) -> Manifest:
    kinds = {tool: draw(st.sampled_from(Kind)) for tool in tools}
    args = st.dictionaries(TEXTS, TEXTS, max_size=2)
    docs = st.dictionaries(TEXTS, st.builds(ToolDocs, TEXTS, args), max_size=2)
    return Manifest(draw(TEXTS), kinds, draw(docs))


@st.composite
def _sites(draw: st.DrawFn, manifest: Manifest) -> Sites:
    reads = [tool for tool in manifest.reads if draw(st.booleans())]
    lookups = st.dictionaries(st.sampled_from(reads), NUMBERS) if reads else st.just({})
    feeds = st.dictionaries(st.builds(Feed, TEXTS, TEXTS), NUMBERS, max_size=2)
    sites = st.builds(Site, TEXTS, st.booleans())
    return Sites(
        tuple(draw(st.permutations(reads))),
        draw(st.dictionaries(sites, lookups, max_size=3)),
        draw(st.dictionaries(TEXTS, feeds, max_size=2)),
        draw(st.booleans()),
    )


@st.composite
def _maps(draw: st.DrawFn) -> FeatureMap:
    one = st.builds(Field, st.sampled_from(["Scalar", "Len"]), TEXTS)
    many = st.lists(one, max_size=2).map(tuple)
    fields = draw(st.dictionaries(TEXTS, many, max_size=2))
    ids = {}
    for tool, read in fields.items():
        for values in draw(st.lists(st.tuples(*[TEXTS] * len(read)), max_size=2)):
            ids[(tool, values)] = draw(st.integers(0, 63))
    return FeatureMap(fields, ids)


def _pairs(small: st.SearchStrategy[int]) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(small, small).map(lambda pair: (min(pair), max(pair)))


@st.composite
def _founds(draw: st.DrawFn) -> Found:
    found = draw(st.dictionaries(SOURCES, NUMBERS, max_size=3))
    return Found(sum(found.values()) + draw(NUMBERS), found)


@st.composite
def _bindings(draw: st.DrawFn) -> Bindings:
    calls = draw(NUMBERS)
    passed = st.dictionaries(TEXTS, st.integers(0, calls), max_size=2)
    pairs = st.tuples(TEXTS, TEXTS)
    tally = _pairs(NUMBERS).map(lambda pair: Tally(*pair))
    picks = _pairs(NUMBERS).map(lambda pair: Picks(*pair))
    places = st.tuples(TEXTS, TEXTS, TEXTS, SOURCES)
    return Bindings(
        args=draw(
            st.dictionaries(
                TEXTS, st.builds(ArgCounts, st.just(calls), passed), max_size=2
            )
        ),
        sources=draw(st.dictionaries(pairs, _founds(), max_size=2)),
        agreed=draw(
            st.dictionaries(TEXTS, st.builds(Agreement, tally, tally), max_size=2)
        ),
        named_other=draw(st.dictionaries(TEXTS, picks, max_size=1)),
        described_read=draw(st.dictionaries(TEXTS, picks, max_size=1)),
        lists=draw(st.dictionaries(pairs, _founds(), max_size=1)),
        bare=draw(st.dictionaries(TEXTS, NUMBERS, max_size=1)),
        constants=draw(st.dictionaries(pairs, VALUES, max_size=2)),
        site_sources=draw(st.dictionaries(places, NUMBERS, max_size=2)),
    )


def _predicates() -> st.SearchStrategy[Predicate]:
    kinds = st.sampled_from(["same_lookup", "any_lookup", "hand_back"])
    favors = st.one_of(kinds, st.builds(Lookup, TEXTS))
    return st.builds(Predicate, TEXTS, favors, TEXTS, TEXTS, TEXTS)


@st.composite
def _fits(draw: st.DrawFn, n_weights: int) -> Fit:
    rate = st.tuples(STEPS, STEPS, STEPS).map(
        lambda n: SiteRate(max(n), min(n), sorted(n)[1])
    )
    weights = st.lists(WEIGHTS, min_size=n_weights, max_size=n_weights).map(tuple)
    return Fit(
        draw(weights),
        Rates(
            draw(st.dictionaries(TEXTS, rate, max_size=2)), draw(SHARES), draw(SHARES)
        ),
        draws=tuple(draw(st.lists(weights, max_size=2))),
    )


def _promotions() -> st.SearchStrategy[Promotion]:
    record = st.tuples(NUMBERS, _pairs(NUMBERS), NUMBERS, SHARES, st.booleans()).map(
        lambda r: SiteRecord(r[0], r[1][1], r[1][0], r[2], r[3], r[4])
    )
    flags = st.booleans()
    bar = st.builds(Bar, SHARES, SHARES, SHARES, NUMBERS, flags, flags, flags)
    return st.builds(Promotion, bar, st.dictionaries(TEXTS, record, max_size=2))


def _provenances() -> st.SearchStrategy[Provenance]:
    return st.builds(
        Provenance,
        TEXTS,
        st.lists(TEXTS, max_size=2).map(tuple),
        NUMBERS,
        NUMBERS,
        st.integers(0, 2**45),
        st.none() | TEXTS,
    )


def _surprises() -> st.SearchStrategy[Surprise]:
    return st.builds(Surprise, st.integers(1, 9), POSITIVE, st.none() | SHARES)
