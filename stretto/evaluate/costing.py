"""Sessions gone through once, for what turns could be spared and what one is worth."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from stretto.episodes.episode import Episode
from stretto.evaluate.balance import INPUT, TokenPrices
from stretto.evaluate.ceiling import LlmTurn, Trigger, TurnKind, llm_turns
from stretto.evaluate.costs import Costs, costs
from stretto.evaluate.detours import detours
from stretto.evaluate.intervals import Share, share
from stretto.evaluate.outlay import Sums, outlay
from stretto.evaluate.replay import Replayer

ALL = "all"
"""The agent that stands for every one."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The share of LLM turns that are speculable, over tasks."""

    state: Share
    """From tool state, the flag set by any turn of calls, as published."""
    words: Share
    """The same with words."""
    fresh_state: Share
    """From tool state, the flag cleared by a write."""
    fresh_words: Share


@dataclass(frozen=True, slots=True)
class Costing:
    """What sessions say of a flow's costs."""

    costs: Costs
    ceilings: Mapping[str, Ceiling]
    """By agent; `ALL` stands for all of them, and is first."""
    turns: Mapping[tuple[Trigger, TurnKind], int]
    """LLM turns, by what came before them and what they do."""
    episodes: int
    threshold: float
    """What the flow was replayed at."""


def costing(
    replayer: Replayer,
    episodes: Iterable[Episode],
    *,
    threshold: float,
    prices: TokenPrices = INPUT,
) -> Costing:
    """
    The costs and ceilings of these sessions, replayed with a flow at a threshold.

    Raises:
        StrettoError: no session records how many tokens its prompts had.
        CannotDecide: the flow does not hold what its decider needs.
    """
    tasks: list[str] = []
    sums: list[Sums] = []
    under: list[tuple[str, Counter[tuple[bool, bool]], int]] = []
    kinds: Counter[tuple[Trigger, TurnKind]] = Counter()
    for episode in episodes:
        turns = llm_turns(episode, replayer.flow.manifest)
        wasted = detours(replayer, episode, threshold)
        tasks.append(episode.task_or_id)
        sums.append(outlay(episode, turns, wasted))
        under.append((episode.agent, _under(turns), len(turns)))
        kinds.update((turn.trigger, turn.kind) for turn in turns)
    agents = sorted({agent for agent, *_ in under})
    return Costing(
        costs(tasks, sums, prices),
        {
            ALL: _ceiling(tasks, under, agents),
            **{agent: _ceiling(tasks, under, [agent]) for agent in agents},
        },
        {key: kinds[key] for key in product(Trigger, TurnKind) if kinds[key]},
        len(tasks),
        threshold,
    )


def _under(turns: Sequence[LlmTurn]) -> Counter[tuple[bool, bool]]:
    """How many of the turns are under each ceiling, by `words` and `fresh`."""
    each = product((False, True), repeat=2)
    return Counter(
        {
            (words, fresh): sum(t.speculable(words=words, fresh=fresh) for t in turns)
            for words, fresh in each
        }
    )


def _ceiling(
    tasks: Sequence[str],
    under: Sequence[tuple[str, Counter[tuple[bool, bool]], int]],
    agents: Sequence[str],
) -> Ceiling:
    chosen = [
        (task, counts, n)
        for task, (agent, counts, n) in zip(tasks, under, strict=True)
        if agent in agents
    ]
    names, wholes = [task for task, *_ in chosen], [n for *_, n in chosen]

    def of(words: bool, fresh: bool) -> Share:
        parts = [counts[words, fresh] for _, counts, _ in chosen]
        return share(names, parts, wholes)

    return Ceiling(of(False, False), of(True, False), of(False, True), of(True, True))
