"""
Sessions played again with a flow served: the same customers, the same agent.

A customer says again what they said without the flow, and the agent works in the same
style; only what the flow adds to its results can change what it does.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto.demo.acts import Call, Say
from stretto.demo.agent import Agent
from stretto.demo.between import Between
from stretto.demo.conversation import converse, greet
from stretto.demo.customer import Repeated
from stretto.demo.record import Recording, logged, made, play
from stretto.demo.server import served
from stretto.demo.world import World
from stretto.files import write_text
from stretto.flow.deciders.decider import decider
from stretto.flow.flow import Flow
from stretto.proxy.engine import Engine
from stretto.proxy.serving import Serving

_PROCESS = 8_000
"""Apart from the numbers of the sessions that were recorded."""


@dataclass(frozen=True, slots=True)
class Served:
    """One session without the flow, and with it."""

    without: Recording
    recording: Recording
    lookups: tuple[Call, ...]
    """What the flow looked up, in order."""
    decisions: str
    """The log of its decisions."""
    counts: Mapping[str, int]
    """The engine's."""

    @property
    def needless(self) -> int:
        """The lookups of what the agent does not look up without the flow."""
        wanted = Counter(call.spelled for call in _calls(self.without))
        found = Counter(lookup.spelled for lookup in self.lookups)
        return (found - wanted).total()


@dataclass(frozen=True, slots=True)
class Saved:
    """What serving came to, over sessions."""

    turns_without: int
    turns: int
    """With the flow."""
    lookups: int
    needless: int

    @property
    def turns_saved(self) -> int:
        """The turns that the flow spared the agent."""
        return self.turns_without - self.turns

    @property
    def share(self) -> float:
        """`turns_saved` as a share of the turns without, 0 where there are none."""
        return self.turns_saved / self.turns_without if self.turns_without else 0.0


def serve(
    world: World, flow: Flow, *, sessions: int, seed: int, first: int = 0
) -> list[Served]:
    """Sessions `first` to `first + sessions - 1`, each without the flow and with it."""
    weigher = decider(flow)
    return [
        play_again(
            world,
            play(world, seed=seed, index=index),
            Engine(flow, weigher, Serving(token="demo")),
            seed=seed,
            index=index,
        )
        for index in range(first, first + sessions)
    ]


def play_again(
    world: World, recorded: Recording, engine: Engine, *, seed: int, index: int
) -> Served:
    """A recorded session, number `index`, with an engine in its middle."""
    opening, *answers = recorded.heard
    with served(world) as (reads, writes):
        rng = random.Random(f"served/{seed}/{index}")
        client = Between(engine, reads, writes, rng)
        greet(client)
        agent = Agent(recorded.style)
        acts = [t.act for t in converse(client, agent, Repeated(answers), opening)]
    session, log = logged(client.entries, seed=seed, index=index, process=_PROCESS)
    again = Recording(session, log, tuple(acts), recorded.style, recorded.heard)
    decisions = "".join(f"{line}\n" for line in client.decisions)
    return Served(recorded, again, tuple(client.lookups), decisions, engine.counts)


def write(folder: Path, sessions: Sequence[Served]) -> None:
    """
    Write the logs of the sessions with the flow, and of its decisions, into `folder`.

    Raises:
        CannotWrite: the folder cannot be made, or a log not written.
    """
    made(folder)
    for session in sessions:
        name = session.recording.session
        write_text(folder / f"{name}.jsonl", session.recording.log)
        write_text(folder / f"{name}.flow.jsonl", session.decisions)


def saved(sessions: Sequence[Served]) -> Saved:
    """What serving came to in all `sessions` together."""
    return Saved(
        sum(len(s.without.turns) for s in sessions),
        sum(len(s.recording.turns) for s in sessions),
        sum(len(s.lookups) for s in sessions),
        sum(s.needless for s in sessions),
    )


def _calls(recording: Recording) -> Iterator[Call]:
    """The agent's own calls."""
    for act in recording.turns:
        if not isinstance(act, Say):
            yield from act
