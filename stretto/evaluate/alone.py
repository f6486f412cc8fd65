"""
Episodes replayed one setting at a time, with what only such a replay can tell.

By any counting rule and in any environment: the credit for turns skipped in part,
between what the tools' own environment could count as detours, and which lookups
answered a call other than their own.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import NamedTuple

from stretto.episodes.episode import Episode
from stretto.evaluate.counts import NOT_IN_RECORD, count
from stretto.evaluate.environment import Environment
from stretto.evaluate.made import Key
from stretto.evaluate.replay import Replayer
from stretto.evaluate.rows import Row, row
from stretto.evaluate.walk import MAX_CALLS, Walk
from stretto.flow.caps import PER_CALL, PER_SESSION
from stretto.flow.decision import Lookup


class Between(NamedTuple):
    """Bounds, both within."""

    low: int
    high: int


class Pair(NamedTuple):
    """A lookup that answered another call, and that call."""

    lookup: Key
    call: Key


@dataclass(frozen=True, slots=True)
class Account:
    """A replay of one episode, in full."""

    episode: str
    row: Row
    credit: float
    """Turns saved, each counted by the share of its calls that were skipped."""
    detours: Between
    """In the tools' own environment, if that answers as the record does."""
    pairs: Counter[Pair]


class Guess(NamedTuple):
    """The first point of a replay at which the record cannot say what comes next."""

    wanted: Key
    behind: int
    """The position of the agent's call."""
    made: int
    """How many lookups were made before, in all."""
    in_run: int
    """How many of them behind that call."""
    executed: int


class Played(NamedTuple):
    """A replay that is over."""

    account: Account
    walk: Walk


def played(
    replayer: Replayer,
    episode: Episode,
    threshold: float,
    environment: Environment | None = None,
) -> Played:
    """
    A replay of the episode, in the record if in no other environment.

    Raises:
        CannotDecide: the decider did not keep to the options, or to probabilities.
    """
    walk = replayer.walk(episode, environment)
    guess: Guess | None = None
    while walk.advance():
        decision = replayer.decision(walk.moment(), threshold)
        before = _guessing(walk, decision.action, replayer)
        walk.answer(decision.action)
        if guess is None and before is not None and _guessed(walk, before):
            guess = before
    found = row(walk.course.size, walk.counted)
    found = replace(found, calls_skipped=found.calls_skipped + len(walk.repeats))
    if environment is not None:
        bounds = Between(found.detours, found.detours)
    else:
        bounds = _bounds(walk, guess, found.detours)
    made = Account(episode.id, found, credit(walk), bounds, _pairs(walk))
    return Played(made, walk)


def credit(walk: Walk) -> float:
    """The sum over turns with calls of the share of each one's calls skipped."""
    skipped = {made.by for made in walk.made if made.used} | {*walk.repeats}
    total, turn = 0.0, list[bool]()
    for stop in walk.course.calls:
        turn = [] if stop.first else turn
        turn.append(stop.recorded.position in skipped)
        if stop.last:
            total += sum(turn) / len(turn)
    return total


def _guessing(walk: Walk, action: object, replayer: Replayer) -> Guess | None:
    """Where the walk stands, about to make a lookup."""
    run = walk.run
    if run is None or not isinstance(action, Lookup):
        return None
    wanted = replayer.rule.key(action.tool, dict(action.arguments))
    in_run = len(run.looked)
    return Guess(wanted, run.behind.position, len(walk.made), in_run, walk.executed)


def _guessed(walk: Walk, before: Guess) -> bool:
    """Whether the lookup that was just made, or was not, is one."""
    if len(walk.made) == before.made:
        return count(walk.counted, NOT_IN_RECORD) > 0
    return not walk.made[-1].exact


def _bounds(walk: Walk, guess: Guess | None, detours: int) -> Between:
    """
    Between what the tools' own environment could count as detours.

    Up to the first guess it would go the same way. That lookup is a detour there if the
    agent never makes the call; from it on, every run may use up its cap, for nothing.
    """
    if guess is None:
        return Between(detours, detours)
    record = walk.course.record
    later = record.calls[guess.behind + 1 :]
    may_be_used = any(
        call.key == guess.wanted
        or (record.rule.same_result and call.key.tool == guess.wanted.tool)
        for call in later
    )
    room = PER_CALL - guess.in_run + PER_CALL * len(later)
    most = min(guess.made + room, PER_SESSION, MAX_CALLS - guess.executed)
    used = sum(made.used for made in walk.made[: guess.made])
    return Between(int(not may_be_used), most - used)


def _pairs(walk: Walk) -> Counter[Pair]:
    used = [(made.key, made.by) for made in walk.made if made.used]
    answered = ((k, walk.course.record.calls[by].key) for k, by in used)
    return Counter(Pair(lookup, call) for lookup, call in answered if lookup != call)
