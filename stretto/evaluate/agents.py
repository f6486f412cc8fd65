"""What each agent's sessions look like, and how much of them sits inside runs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stretto.episodes.manifest import Kind
from stretto.evaluate.intervals import Share, share
from stretto.evaluate.provenance import Origin
from stretto.evaluate.runs import Run
from stretto.evaluate.sketch import Call, Sketch

N_COMMON = 12
"""How many of the most common runs are named."""


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One agent, or several together. Shares of turns are of all LLM turns."""

    agent: str
    is_target: bool
    episodes: int
    empty: int
    """Episodes without an LLM turn."""
    tasks: int
    succeeded: Share
    turns: Share
    """An episode."""
    calls: Share
    """An episode."""
    writes: Share
    """An episode."""
    parallel: Share
    """Of the turns with calls, those with two or more."""
    headroom: Share
    """Turns that one call for each run would leave out."""
    from_outputs: Share
    """Those of them that only look up, with what tools had returned."""
    from_conversation: Share
    """Those that only look up, with something the user said or the agent made up."""
    bundled: Share
    """Turns that one call for writes in a row, all assented to, would leave out."""


def agent_row(agent: str, sketches: Sequence[Sketch]) -> AgentRow:
    """The sessions of one agent, or of several under one name."""
    tasks = [s.task for s in sketches]
    turns = [s.turns for s in sketches]
    ones = [1] * len(sketches)
    lookups = [_lookup_turns(s) for s in sketches]
    calls = [[c for c in s.calls if c] for s in sketches]
    writes = [sum(c.kind is Kind.WRITE for c in of) for of in calls]
    return AgentRow(
        agent=agent,
        is_target=all(s.is_target for s in sketches),
        episodes=len(sketches),
        empty=sum(not n for n in turns),
        tasks=len(set(tasks)),
        succeeded=share(tasks, [s.succeeded for s in sketches], ones),
        turns=share(tasks, turns, ones),
        calls=share(tasks, [len(of) for of in calls], ones),
        writes=share(tasks, writes, ones),
        parallel=share(
            tasks,
            [s.parallel_turns for s in sketches],
            [s.tool_turns for s in sketches],
        ),
        headroom=share(tasks, [_spared(s) for s in sketches], turns),
        from_outputs=share(tasks, [n for n, _ in lookups], turns),
        from_conversation=share(tasks, [n for _, n in lookups], turns),
        bundled=share(tasks, [_bundled(s) for s in sketches], turns),
    )


def common_runs(sketches: Sequence[Sketch]) -> list[tuple[str, int]]:
    """The tools of the most common runs, and how often each run came."""
    counts = Counter(
        " → ".join(c.tool for c in s.calls[run.start : run.end] if c)
        for s in sketches
        for run in s.runs
    )
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:N_COMMON]


def _spared(sketch: Sketch) -> int:
    return sum(run.turns - 1 for run in sketch.runs)


def _lookup_turns(sketch: Sketch) -> tuple[int, int]:
    """Later turns of runs that only look up: from outputs, and from conversation."""
    outputs = conversation = 0
    for run in sketch.runs:
        for calls in _turns(sketch, run)[1:]:
            if all(call.kind is Kind.READ for call in calls):
                needs_words = any(map(_is_of_conversation, calls))
                conversation += needs_words
                outputs += not needs_words
    return outputs, conversation


def _is_of_conversation(call: Call) -> bool:
    return any(s.origin in (Origin.USER, Origin.GENERATED) for s in call.sources)


def _bundled(sketch: Sketch) -> int:
    spared = 0
    for run in sketch.runs:
        before = False
        for calls in _turns(sketch, run):
            agreed = all(c.kind is Kind.WRITE and c.heard.assent for c in calls)
            spared += agreed and before
            before = agreed
    return spared


def _turns(sketch: Sketch, run: Run) -> list[list[Call]]:
    """The calls of each turn of a run."""
    return list(_by_turn(sketch, run))


def _by_turn(sketch: Sketch, run: Run) -> Iterator[list[Call]]:
    for turn in range(run.first, run.first + run.turns):
        yield [
            call
            for step in range(run.start, run.end)
            if sketch.step_turns[step] == turn and (call := sketch.calls[step])
        ]
