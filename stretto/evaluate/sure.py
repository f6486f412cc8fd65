"""Rules that training is sure of after a tool, and whether they hold elsewhere."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stretto.evaluate.forecast import MIN_EVIDENCE
from stretto.evaluate.intervals import Share, share
from stretto.evaluate.lesson import ORDER, Encodings, Lesson
from stretto.evaluate.prediction import Position, positions
from stretto.evaluate.sketch import Side
from stretto.evaluate.transfer import POOLED
from stretto.habit.backoff import Context
from stretto.habit.encode import Encoded

SURE = 0.95
"""The least share of a rule's training decisions that took its action."""

Rules: TypeAlias = Mapping[Context, int]
"""The action to take, by the steps before it; the longest that is known decides."""


@dataclass(frozen=True, slots=True)
class SureRow:
    """The rules of one agent's training sessions, or of several's."""

    agent: str
    is_target: bool
    """Whether the rules are those of the others, and the sessions its own."""
    rules: int
    covered: Share
    """Of the held-out decisions after a tool, those that a rule decides."""
    agreed: Share
    """Of those, the ones where the agent did as the rule says."""


@dataclass(frozen=True, slots=True)
class SureRules:
    """What training said of each history seen often enough, sure or not."""

    order: int
    known: Mapping[Context, int | None]
    """The action that a history's decisions took; None where they were not sure."""

    @classmethod
    def of(cls, taught: Sequence[Encoded], order: int) -> "SureRules":
        """The rules of some sessions, by one to `order` steps of history."""
        counts: dict[Context, dict[int, int]] = {}
        for encoded in taught:
            for context, action in _decisions(encoded, order):
                for length in range(1, len(context) + 1):
                    seen = counts.setdefault(context[-length:], {})
                    seen[action] = seen.get(action, 0) + 1
        return cls(
            order,
            {
                context: _sure(seen)
                for context, seen in counts.items()
                if sum(seen.values()) >= MIN_EVIDENCE
            },
        )

    @property
    def sure(self) -> Rules:
        """The rules themselves."""
        return {c: action for c, action in self.known.items() if action is not None}

    def decide(self, context: Context) -> int | None:
        """What the longest known history says; None where it is not sure."""
        for length in range(len(context), 0, -1):
            if context[-length:] in self.known:
                return self.known[context[-length:]]
        return None

    def row(
        self, agent: str, measured: Sequence[Encoded], *, is_target: bool = False
    ) -> SureRow:
        """How far the rules reach in held-out sessions, and how often they hold."""
        decided = [
            [
                (self.decide(context), action)
                for context, action in _decisions(e, self.order)
            ]
            for e in measured
        ]
        ruled = [[(r, a) for r, a in of if r is not None] for of in decided]
        tasks, covered = [e.task for e in measured], [len(of) for of in ruled]
        return SureRow(
            agent,
            is_target,
            len(self.sure),
            share(tasks, covered, [len(of) for of in decided]),
            share(tasks, [sum(r == a for r, a in of) for of in ruled], covered),
        )


def sure_rows(lesson: Lesson, encodings: Encodings) -> Iterator[SureRow]:
    """The rules of all that teach, of each agent, and what all's say of targets."""
    every = SureRules.of(lesson.teaching(encodings), ORDER)
    pairs = [*zip(lesson.sketches, encodings, strict=True)]
    own = sorted({s.agent for s in lesson.sketches if not s.is_target})
    if len(own) > 1:
        yield every.row(POOLED, lesson.measured(encodings))
    for agent in own:
        taught = [e for s, e in pairs if s.agent == agent and s.teaches]
        held = [e for s, e in pairs if s.agent == agent and s.side is Side.TEST]
        yield SureRules.of(taught, ORDER).row(agent, held)
    for agent in sorted({s.agent for s in lesson.sketches if s.is_target}):
        held = [e for s, e in pairs if s.agent == agent and s.side is Side.TEST]
        yield every.row(agent, held, is_target=True)


def _decisions(encoded: Encoded, order: int) -> list[tuple[Context, int]]:
    """The steps after a tool, each with the symbols before it, at most `order`."""
    return [
        (tuple(encoded.symbols[max(0, step - order) : step]), encoded.actions[step])
        for step, position in enumerate(positions(encoded))
        if position is Position.TOOL
    ]


def _sure(seen: Mapping[int, int]) -> int | None:
    top = max(sorted(seen), key=seen.__getitem__)
    return top if seen[top] >= SURE * sum(seen.values()) else None
