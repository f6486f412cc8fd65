"""From recorded sessions to a flow that decides by its habit."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

from stretto import __version__
from stretto.binding.learn import learn_bindings
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Kind, Manifest
from stretto.episodes.site import Site
from stretto.episodes.step import Outcome
from stretto.episodes.vocabulary import RESPOND, Vocabulary, parse
from stretto.errors import NothingToLearn
from stretto.flow.flow import Flow, Provenance, Sites
from stretto.habit.backoff import fit_habit
from stretto.habit.concentration import Posterior
from stretto.habit.encode import Encoded, encode, half_life_weights
from stretto.habit.features import NO_FEATURES, FeatureMap
from stretto.habit.reach import fit_reach
from stretto.habit.select import Selection, select
from stretto.learn.corpus import Chosen
from stretto.learn.feeds import count_feeds
from stretto.learn.gate import learn_gate
from stretto.learn.settings import ORDER, Settings
from stretto.learn.survey import Survey, survey


@dataclass(frozen=True, slots=True)
class Learned:
    """A flow, and what a user should know of how it came about."""

    flow: Flow
    episodes: int
    """All that were read, of either side of a split."""
    training: int
    """Those of the tasks learned from, failures included."""
    on_trust: int
    """Those learned from that nobody had graded."""
    concentration: Posterior | None
    """What was inferred; None where it was given."""
    selection: Selection | None
    """How the code features were chosen; None where none were looked for."""


def learn(
    episodes: Iterable[Episode],
    manifest: Manifest,
    settings: Settings = Settings(),
    *,
    surveyed: Survey | None = None,
    contracts: Mapping[str, str] | None = None,
    conventions: str | None = None,
) -> Learned:
    """
    A flow of the habit alone, learned from the sessions that succeeded.

    Ungraded sessions are taken as successful. The vocabulary comes from every session
    and the manifest, all else from the sessions learned from.

    Args:
        episodes: Gone through several times, in the same order each time.
        manifest: Which tools only read; a flow calls no other.
        surveyed: What `survey` made of the same episodes and settings, if it was
            called before: what they say about their tools is known only after it.
        contracts: Each tool's input contract, where the sessions recorded one.
        conventions: The span conventions the sessions used, when they were spans.

    Raises:
        NothingToLearn: there is no session, none succeeded, or no tool is known to
            only read.
        NoConvergence: the concentration's chain did not mix.
    """
    found = surveyed or survey(episodes, settings)
    if not found.episodes:
        raise NothingToLearn("there is no session to learn from")
    if not manifest.reads:
        raise NothingToLearn(
            "no tool is known to only read",
            hint="name the tools' kinds with `--manifest FILE`, or record the server's "
            "tools/list with its readOnlyHint annotations",
        )
    if RESPOND in manifest.reads:
        raise NothingToLearn(
            f"a tool that only reads is called {RESPOND!r}, as handing back is",
            hint="mark it `generic` in a `--manifest FILE`, so that no flow calls it",
        )
    if not found.chosen:
        raise NothingToLearn(
            f"none of the {found.training} sessions to learn from succeeded"
        )
    chosen = Chosen(episodes, found.chosen)
    vocab = Vocabulary.of(found.tools | manifest.tools.keys())
    count = _count(chosen, vocab, settings)
    reads = frozenset(manifest.reads)
    writes = {vocab.id(t) for t, k in manifest.tools.items() if k is Kind.WRITE}
    flow = Flow(
        provenance=Provenance(
            stretto=__version__,
            sources=tuple(sorted(found.sources)),
            habit_episodes=len(found.chosen),
            arbiter_cases=0,
            compiled_unix_ms=settings.now_ms(),
            conventions=conventions,
        ),
        vocab=vocab,
        manifest=manifest,
        map=count.features,
        habit=fit_habit(
            count.encoded, order=ORDER, alpha=count.alpha, vocab_size=vocab.size
        ),
        sites=Sites(
            manifest.reads,
            _next(count.encoded, vocab, reads),
            count_feeds(chosen, manifest) if settings.hints else {},
            settings.every_read,
        ),
        bindings=learn_bindings(chosen, reads, constants=settings.constants),
        program=settings.program,
        contracts=dict(contracts or {}),
        reach=fit_reach(
            count.encoded, writes, order=ORDER, alpha=count.alpha, vocab_size=vocab.size
        ),
    )
    if settings.surprise is not None:
        flow = learn_gate(
            flow, chosen, count.encoded, settings.surprise, settings.window
        )
    return Learned(
        flow,
        found.episodes,
        found.training,
        found.on_trust,
        count.posterior,
        count.selection,
    )


class _Count(NamedTuple):
    """The sessions learned from as numbers, and what was inferred to get there."""

    encoded: list[Encoded]
    features: FeatureMap
    alpha: float
    posterior: Posterior | None
    selection: Selection | None


def _count(chosen: Chosen, vocab: Vocabulary, settings: Settings) -> _Count:
    """
    Encode the sessions, with code features where they help.

    Features are chosen at the concentration of a habit without them; the flow's own is
    inferred again with them in place.
    """
    alpha, posterior, selection = settings.alpha, None, None
    features = NO_FEATURES
    encoded = _encode(chosen, vocab, features, settings.half_life)
    if alpha is None:
        posterior = settings.sampler(encoded, vocab.size)
    if settings.features:
        plain = alpha if posterior is None else posterior.median
        assert plain is not None
        selection = select(chosen, vocab, alpha=plain, order=ORDER)
        features = selection.map
    if features.fields:
        encoded = _encode(chosen, vocab, features, settings.half_life)
        if alpha is None:
            posterior = settings.sampler(encoded, vocab.size)
    used = alpha if posterior is None else posterior.median
    assert used is not None
    return _Count(encoded, features, used, posterior, selection)


def _encode(
    chosen: Chosen, vocab: Vocabulary, features: FeatureMap, half_life: float | None
) -> list[Encoded]:
    weights = (
        repeat(1.0)
        if half_life is None
        else iter(half_life_weights(len(chosen), half_life))
    )
    return [
        encode(episode, vocab, features, weight=next(weights)) for episode in chosen
    ]


def _next(
    encoded: Iterable[Encoded], vocab: Vocabulary, reads: Collection[str]
) -> dict[Site, dict[str, int]]:
    """After each call, the lookups made next and how often."""
    followed: Counter[tuple[int, int]] = Counter()
    for episode in encoded:
        followed.update(zip(episode.symbols, episode.actions[1:], strict=False))
    tools = dict(enumerate(vocab.tools, start=1))
    lookups = {vocab.id(tool): tool for tool in reads}
    counts: dict[Site, Counter[str]] = {}
    for (code, action), n in followed.items():
        before = parse(code)
        if before is not None and before.action in tools and action in lookups:
            site = Site(tools[before.action], before.outcome is Outcome.ERROR)
            counts.setdefault(site, Counter())[lookups[action]] += n
    return {site: dict(sorted(made.items())) for site, made in sorted(counts.items())}
