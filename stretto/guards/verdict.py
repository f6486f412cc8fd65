"""What a guard says of a call: it passes, it breaks the rule, or that is not known."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """The three ways a check can end."""

    PASS = "pass"
    FAIL = "fail"
    UNKNOWN = "unknown"
    """The session has not shown what the rule needs; never a reason to refuse."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome, and why; a pass needs no reason."""

    outcome: Outcome
    reason: str = ""


PASSED = Verdict(Outcome.PASS)


def fail(reason: str) -> Verdict:
    """The facts in hand break the rule."""
    return Verdict(Outcome.FAIL, reason)


def unknown(reason: str) -> Verdict:
    """A fact that the rule needs is not in hand."""
    return Verdict(Outcome.UNKNOWN, reason)


def unless(is_so: bool, reason: str) -> Verdict:
    """A pass where it is so, else a failure for `reason`."""
    return PASSED if is_so else fail(reason)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """What holds of all together: the first failure, else the first unknown."""
    ranked = (Outcome.PASS, Outcome.UNKNOWN, Outcome.FAIL)
    return max(verdicts, key=lambda v: ranked.index(v.outcome), default=PASSED)
