"""
What recorded sessions say before anything is compiled: how much a flow could save of
them, where arguments come from, how far the agents can be foretold, and whether one
agent's habit carries to another.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from stretto.episodes.episode import AssistantTurn, Episode, Usage
from stretto.episodes.manifest import Kind, Manifest
from stretto.episodes.tasks import learn_split
from stretto.episodes.vocabulary import Vocabulary
from stretto.errors import StrettoError
from stretto.evaluate.agents import AgentRow, agent_row, common_runs
from stretto.evaluate.anatomy import Anatomy, anatomy
from stretto.evaluate.arguments import (
    ConfirmationRow,
    OriginRow,
    confirmation_row,
    origin_rows,
)
from stretto.evaluate.foresight import Foresight, foresight
from stretto.evaluate.lesson import Lesson
from stretto.evaluate.need import Values
from stretto.evaluate.outlook import Outlook, OutlookRow
from stretto.evaluate.outlooks import outlooks
from stretto.evaluate.prices import LookupTokens, Price, lookup_tokens, price
from stretto.evaluate.sketch import Side, Sketch, by_agent, sketch, trace_calls
from stretto.evaluate.transfer import POOLED

SideOf = Callable[[str], Side]
"""The side that a task is on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What to learn from and what to measure on. The defaults are the published."""

    side: SideOf | None = None
    """By task; None holds out three of ten tasks, drawn by their names."""
    targets: frozenset[str] = frozenset()
    """The agents that nothing is learned from."""
    alpha: float | None = None
    """The concentration, in place of its posterior median."""
    features: bool = True
    """Whether fields of results are looked for that sharpen the habit."""


@dataclass(frozen=True, slots=True)
class Phase0:
    """The measures of one domain."""

    domain: str
    vocab: Vocabulary
    """The actions, for what is said of them by id."""
    episodes: int
    on_trust: int
    """Episodes that nobody graded, which count as successful."""
    tools: Mapping[Kind, int]
    """The tools of each kind that the manifest lists."""
    unlisted: tuple[str, ...]
    """Tools that were called and are not in the manifest; they are generic."""
    train_tasks: int
    test_tasks: int
    train_episodes: int
    """Those learned from: of training tasks, and successful."""
    test_episodes: int
    """Those measured, of the agents learned from."""
    agents: tuple[AgentRow, ...]
    """All agents learned from together, then each, then the targets."""
    anatomy: tuple[Anatomy, ...]
    """What the turns of those are for, in the same order."""
    runs: tuple[tuple[str, int], ...]
    """The most common in the episodes learned from."""
    origins: tuple[OriginRow, ...]
    confirmations: tuple[ConfirmationRow, ...]
    tokens: LookupTokens
    prices: Mapping[str, Price]
    """By agent; 0 where usage or cost was not recorded."""
    foresight: Foresight | None
    """None where nothing was left to learn from, or to measure."""
    outlook: tuple[OutlookRow, ...]
    sketches: tuple[Sketch, ...]
    """The sessions, in reading order."""
    projector: Outlook
    """What projects further flows over them."""


def phase0(
    episodes: Iterable[Episode], manifest: Manifest, settings: Settings = Settings()
) -> Phase0:
    """
    The measures of sessions of one domain.

    Runs, arguments and agents are measured on every session, foresight and savings on
    the held-out tasks by what the successful sessions of the other tasks taught.

    Args:
        episodes: Gone through four times at most, in the same order each time.

    Raises:
        StrettoError: there is no session, or they are of several domains.
    """
    seen = _look(episodes, settings)
    vocab = Vocabulary.of(seen.tools | manifest.tools.keys())
    side = settings.side or _drawn(seen.tasks)
    values = Values()
    sketches = list(_sketched(episodes, manifest, vocab, side, settings, values))
    own = [s for s in sketches if not s.is_target]
    agents = by_agent(sketches)
    groups = {POOLED: own, **agents} if len(by_agent(own)) > 1 else agents
    outlook = Outlook(
        frozenset(vocab.id(tool) for tool in manifest.reads),
        values.closed(),
        lookup_tokens(s.text for s in own),
        {name: price(_usage(of)) for name, of in agents.items()},
    )
    lesson = Lesson(sketches, vocab, settings.alpha, settings.features)
    found = foresight(lesson, episodes, manifest)
    return Phase0(
        domain=manifest.domain or next(iter(seen.domains), ""),
        vocab=vocab,
        episodes=len(sketches),
        on_trust=sum(s.on_trust for s in sketches),
        tools=Counter(manifest.tools.values()),
        unlisted=tuple(sorted(seen.tools - manifest.tools.keys())),
        train_tasks=len({s.task for s in own if s.side is Side.TRAIN}),
        test_tasks=len({s.task for s in own if s.side is Side.TEST}),
        train_episodes=sum(s.teaches for s in own),
        test_episodes=sum(s.side is Side.TEST for s in own),
        agents=tuple(agent_row(name, of) for name, of in groups.items()),
        anatomy=tuple(anatomy(name, of) for name, of in groups.items()),
        runs=tuple(common_runs([s for s in own if s.teaches])),
        origins=tuple(origin_rows(own)),
        confirmations=tuple(confirmation_row(n, of) for n, of in groups.items()),
        tokens=outlook.tokens,
        prices=outlook.prices,
        foresight=found,
        outlook=() if found is None else tuple(outlooks(outlook, sketches, found)),
        sketches=tuple(sketches),
        projector=outlook,
    )


@dataclass(slots=True)
class _Seen:
    """What one pass over the sessions shows, before they can be numbered."""

    tools: set[str] = field(default_factory=set)
    domains: set[str] = field(default_factory=set)
    tasks: dict[str, None] = field(default_factory=dict)
    """Of the agents learned from, in reading order."""


def _look(episodes: Iterable[Episode], settings: Settings) -> _Seen:
    seen = _Seen()
    for episode in episodes:
        seen.domains.add(episode.domain)
        if episode.agent not in settings.targets:
            seen.tasks[episode.task_or_id] = None
        for event in episode.events:
            if isinstance(event, AssistantTurn):
                seen.tools.update(call.tool for call in event.calls)
    if not seen.domains:
        raise StrettoError(
            "there is no session to measure",
            hint="`stretto episodes` shows what can be read",
        )
    if len(seen.domains) > 1:
        names = ", ".join(sorted(name or "unnamed" for name in seen.domains))
        raise StrettoError(
            f"the sessions are of {len(seen.domains)} domains: {names}",
            hint="measure one domain at a time; `--domain NAME` says that they are one",
        )
    return seen


def _drawn(tasks: Iterable[str]) -> SideOf:
    """Three of ten tasks held out; all of them to learn from where there is but one."""
    split = learn_split(list(tasks))
    held_out = set() if split is None else set(split.held_out)
    return lambda task: Side.TEST if task in held_out else Side.TRAIN


def _sketched(
    episodes: Iterable[Episode],
    manifest: Manifest,
    vocab: Vocabulary,
    side: SideOf,
    settings: Settings,
    values: Values,
) -> Iterator[Sketch]:
    for episode in episodes:
        found = trace_calls(episode)
        made = sketch(
            episode,
            manifest,
            vocab,
            found,
            side=side(episode.task_or_id),
            is_target=episode.agent in settings.targets,
        )
        if made.teaches and not made.is_target:
            tools = (call.tool for call in made.calls if call)
            for tool, traced in zip(tools, found, strict=True):
                values.add(tool, (one.leaf for one in traced))
        yield made


def _usage(sketches: Iterable[Sketch]) -> Iterator[Usage]:
    return (usage for s in sketches for usage in s.usage if usage)
