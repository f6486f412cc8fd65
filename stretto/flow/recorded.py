"""Sessions as runs of a flow's program, and served runs as session logs keep them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stretto.canonical import Json
from stretto.episodes.site import Site
from stretto.episodes.step import Outcome, Step
from stretto.flow.caps import PER_CALL
from stretto.flow.run import Decide, Numbers, Runner
from stretto.program.events import Draw
from stretto.program.handlers import Run, answer
from stretto.program.values import Value


class Recorded(NamedTuple):
    """What an agent did after one of its calls, as a run."""

    site: Site
    run: Run


def recorded(
    runner: Runner, walk: Sequence[Step], *, max_lookups: int = PER_CALL
) -> Iterator[Recorded]:
    """
    The runs a session amounts to: one after each call the flow would not have made.

    A decision is the agent's next step, where the site offers it, and handing back
    where it does not; an outcome is what became of the call. Each run's log-probability
    is that of what the agent did.
    """
    at = 0
    while at < len(walk):
        step = walk[at]
        at += 1
        if step.tool is None:
            continue
        follow = _Follow(runner.numbers, walk, at)
        site = Site(step.tool, step.outcome is Outcome.ERROR)
        run = answer(runner.after(site, max_lookups=max_lookups), follow)
        yield Recorded(site, run)
        at = follow.at


class _Follow:
    """Answers a run's draws with what the agent did from one step on."""

    def __init__(self, tools: Numbers, walk: Sequence[Step], at: int) -> None:
        self.tools = tools
        self.walk = walk
        self.at = at
        self.handed_back = False
        self.pending: Step | None = None

    def __call__(self, draw: Draw) -> Value:
        match draw.distribution:
            case Decide(options=offered):
                return self.decide(offered)
            case _:
                made, self.pending = self.pending, None
                return made is not None and made.outcome is Outcome.OK

    def decide(self, offered: tuple[str, ...]) -> int:
        step = self.walk[self.at] if self.at < len(self.walk) else None
        if self.handed_back or step is None or step.tool not in offered:
            self.handed_back = True
            return 0
        self.at += 1
        self.pending = step
        return self.tools.of(step.tool)


class Live(NamedTuple):
    """A served run, as a session log keeps it."""

    choices: list[Json]
    """`[address, value, log p]` in the order drawn."""
    surprise: float
    """Minus the log-probability of what the servers answered, in nats."""


def live(run: Run) -> Live:
    """
    A run in which the flow decided and the servers answered.

    The flow's own decisions are certain to it: only outcomes, and what the program
    weighs itself, can surprise.
    """
    choices: list[Json] = []
    log_prob = run.log_likelihood + run.log_factors
    for address, (value, log_p) in run.choices.items():
        assert isinstance(value, bool | int)
        answered = log_p if isinstance(value, bool) else 0.0
        log_prob += answered
        choices.append([address, value, answered])
    return Live(choices, -log_prob)


def lookups(run: Run, tools: Numbers) -> tuple[Site, ...]:
    """The lookups a run made, in order, and whether each failed."""
    made: list[Site] = []
    for value in run.values.values():
        if isinstance(value, bool) and made:
            made[-1] = Site(made[-1].tool, not value)
        elif isinstance(value, int) and value > 0:
            made.append(Site(tools.tool(value) or f"tool {value}", failed=False))
    return tuple(made)
