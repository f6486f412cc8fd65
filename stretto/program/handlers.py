"""
Who answers a run's draws: given choices, a random generator, or the outside world.

Every handler drives the same generator and comes back with the same `Run`.
"""

import math
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from stretto.errors import ProgramError
from stretto.program.events import Draw, Observation, Steps, Weight
from stretto.program.values import Value

MAX_WARNINGS = 64
"""How many of a run's soft errors are kept."""


class Choice(NamedTuple):
    """What an address drew, and its log-probability there."""

    value: Value
    log_prob: float


@dataclass(frozen=True, slots=True)
class Run:
    """A run, over."""

    value: Value
    """What the program ended with."""
    choices: Mapping[str, Choice]
    """By address, in the order drawn."""
    log_likelihood: float
    """Of the values the program observed."""
    log_factors: float
    """The program's own weights; −∞ after a soft error."""
    warnings: tuple[str, ...]
    """The first `MAX_WARNINGS` soft errors."""

    @property
    def log_prior(self) -> float:
        """Of the choices."""
        return sum(choice.log_prob for choice in self.choices.values())

    @property
    def log_prob(self) -> float:
        """Of the whole run, in nats; −∞ where any part is impossible."""
        parts = (self.log_prior, self.log_likelihood, self.log_factors)
        return -math.inf if -math.inf in parts else sum(parts)

    @property
    def values(self) -> dict[str, Value]:
        """The choices alone, as `score` and `replay` take them."""
        return {address: choice.value for address, choice in self.choices.items()}


def answer(
    run: Steps,
    choose: Callable[[Draw], Value],
    *,
    said: Callable[[Observation | Weight], None] = lambda _: None,
) -> Run:
    """
    Drive a run to its end, answering each draw with `choose`.

    Args:
        said: Is told of what the program scores itself, as it comes up.

    Raises:
        ProgramError: an address comes up a second time, or an answer is of another
            type than its draw.
    """
    record = _Record()
    sent: Value | None = None
    while True:
        try:
            event = run.send(sent)
        except StopIteration as end:
            return record.run(end.value)
        if isinstance(event, Draw):
            sent = choose(event)
            record.drew(event, sent)
        else:
            sent = None
            record.saw(event)
            said(event)


async def serve(run: Steps, choose: Callable[[Draw], Awaitable[Value]]) -> Run:
    """As `answer`, for a chooser that waits; one draw at a time, in order."""
    record = _Record()
    sent: Value | None = None
    while True:
        try:
            event = run.send(sent)
        except StopIteration as end:
            return record.run(end.value)
        if isinstance(event, Draw):
            sent = await choose(event)
            record.drew(event, sent)
        else:
            sent = None
            record.saw(event)


def simulate(run: Steps, random: Random) -> Run:
    """A run as the program has it happen: every draw at random."""
    return answer(run, lambda draw: draw.distribution.draw(random))


def score(run: Steps, choices: Mapping[str, Value]) -> Run:
    """
    The run that makes exactly these choices.

    Raises:
        ProgramError: a choice is missing, or left over.
    """
    found = answer(run, lambda draw: given(choices, draw.address))
    all_made(choices, found.choices)
    return found


def replay(run: Steps, choices: Mapping[str, Value], random: Random) -> Run:
    """
    The run that makes these choices, and every other one at random.

    Raises:
        ProgramError: a choice is left over: the run never came to its address.
    """

    def choose(draw: Draw) -> Value:
        if draw.address in choices:
            return choices[draw.address]
        return draw.distribution.draw(random)

    found = answer(run, choose)
    all_made(choices, found.choices)
    return found


def given(choices: Mapping[str, Value], address: str) -> Value:
    """
    The choice at an address.

    Raises:
        ProgramError: there is none.
    """
    if address not in choices:
        hint = f"the choices are {', '.join(choices) or 'none'}"
        raise ProgramError(f"no choice is given for `{address}`", hint=hint)
    return choices[address]


def all_made(choices: Collection[str], made: Collection[str]) -> None:
    """
    Nothing, where a run came to every address there is a choice for.

    Raises:
        ProgramError: it did not.
    """
    if left := [address for address in choices if address not in made]:
        cause = f"the run never draws {', '.join(f'`{address}`' for address in left)}"
        hint = f"it draws {', '.join(made) or 'nothing'}"
        raise ProgramError(cause, hint=hint)


class _Record:
    """What a run said so far."""

    def __init__(self) -> None:
        self.drawn: list[tuple[Draw, Value]] = []
        self.log_likelihood = 0.0
        self.log_factors = 0.0
        self.warnings: list[str] = []

    def drew(self, draw: Draw, value: Value) -> None:
        self.drawn.append((draw, value))

    def saw(self, event: Observation | Weight) -> None:
        match event:
            case Observation(_, distribution, value):
                self.log_likelihood += distribution.log_prob(value)
            case Weight(logw, warning):
                impossible = -math.inf in (logw, self.log_factors)
                self.log_factors = -math.inf if impossible else self.log_factors + logw
                if warning is not None and len(self.warnings) < MAX_WARNINGS:
                    self.warnings.append(warning)

    def run(self, value: Value) -> Run:
        choices = {
            draw.address: Choice(chosen, draw.distribution.log_prob(chosen))
            for draw, chosen in self.drawn
        }
        warnings = tuple(self.warnings)
        return Run(value, choices, self.log_likelihood, self.log_factors, warnings)
