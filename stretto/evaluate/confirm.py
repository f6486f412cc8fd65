"""
The confirmation judge against recorded sessions: what it would have said of each write.

Writes are gathered first, so that what asking them would cost is known beforehand; the
audit then goes by the answers, beside what the word list says of the same writes.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from stretto.errors import OracleError
from stretto.evaluate.guards import N_EXAMPLES
from stretto.evaluate.judged import Gathered, Judged
from stretto.guards.confirm import (
    Asked,
    Judging,
    confirm_request,
    read_confirm,
)
from stretto.guards.evidence import Group
from stretto.guards.guard import Guards
from stretto.oracle.ask import ask
from stretto.oracle.oracle import Oracle
from stretto.oracle.question import Request
from stretto.oracle.wording import Wording


class Count(StrEnum):
    """What is counted of the writes of a group."""

    WRITES = "writes"
    WORD_LIST = "word_list"
    """The list finds no yes."""
    JUDGE = "judge"
    """The first question is answered with a no."""
    TWO_QUESTIONS = "two_questions"
    """One of the two questions is."""
    BOTH = "both"
    """The list finds no yes, and the first question is answered with a no."""
    UNANSWERED = "unanswered"
    """A question has no answer."""
    PROPOSAL_CHECK = "proposal_check"
    """An argument looks like another record's, by no model."""


FAILURES = (Count.WORD_LIST, Count.JUDGE, Count.TWO_QUESTIONS)
"""The counts that are ways to fail a write."""


class Kind(StrEnum):
    """Writes that one judge fails and another does not."""

    JUDGE_ONLY = "judge_only"
    WORD_LIST_ONLY = "word_list_only"
    SECOND_ONLY = "second_only"


class Example(NamedTuple):
    """A write that two judges disagree on."""

    write: Judged
    p_yes: float | None
    p_second: float | None


@dataclass(slots=True)
class ConfirmAudit:
    """What two judges make of the same writes."""

    guards: Guards
    judging: Judging
    gathered: Gathered
    counts: Counter[tuple[Group, Count]] = field(default_factory=Counter)
    episodes: Counter[tuple[Group, Count]] = field(default_factory=Counter)
    """Sessions with an accepted write that fails, by how they ended."""
    examples: dict[Kind, list[Example]] = field(
        default_factory=lambda: {kind: [] for kind in Kind}
    )

    @property
    def accepted(self) -> int:
        """The writes that the tools accepted."""
        return sum(w.group is not Group.REFUSED for w in self.gathered.writes)


def requests(
    gathered: Gathered, judging: Judging, model: str, wording: Wording
) -> Iterator[Request]:
    """What is asked about the writes, a question a request."""
    for write in gathered.writes:
        for asked in judging.asked:
            yield _request(write, asked, model, wording)


def audit_confirm(
    guards: Guards,
    gathered: Gathered,
    judging: Judging,
    oracle: Oracle,
    wording: Wording,
    *,
    n_examples: int = N_EXAMPLES,
) -> ConfirmAudit:
    """
    What is made of the writes, by answers.

    Args:
        oracle: Whoever answers; what it raises leaves a question without an answer.
        n_examples: How many writes of each kind are kept, the first ones.
    """
    audit = ConfirmAudit(guards, judging, gathered)
    failing: set[tuple[Group, int, Count]] = set()
    for write in gathered.writes:
        p_yes = _answers(write, judging, oracle, wording)
        counted = _counted(write, judging, p_yes)
        audit.counts.update((write.group, count) for count in counted)
        if write.group is not Group.REFUSED:
            ways = counted.intersection(FAILURES)
            failing |= {(write.ended, write.place, way) for way in ways}
        for kind in _disagreements(judging, p_yes, is_listed=write.is_listed):
            if len(audit.examples[kind]) < n_examples:
                p_first = p_yes.get(Asked.CONFIRMED)
                p_second = None if judging.second is None else p_yes.get(judging.second)
                audit.examples[kind].append(Example(write, p_first, p_second))
    audit.episodes.update((group, count) for group, _, count in failing)
    return audit


def _request(write: Judged, asked: Asked, model: str, wording: Wording) -> Request:
    return confirm_request(model, write.exchange, write.call, asked, wording)


def _answers(
    write: Judged, judging: Judging, oracle: Oracle, wording: Wording
) -> dict[Asked, float]:
    found: dict[Asked, float] = {}
    for asked in judging.asked:
        try:
            response = ask(oracle, _request(write, asked, oracle.model, wording))
        except OracleError:
            continue
        if (p := read_confirm(response, asked)) is not None:
            found[asked] = p
    return found


def _counted(write: Judged, judging: Judging, p_yes: dict[Asked, float]) -> set[Count]:
    is_failed = _fails_first(judging, p_yes)
    holds = {
        Count.WRITES: True,
        Count.WORD_LIST: not write.is_listed,
        Count.JUDGE: is_failed,
        Count.TWO_QUESTIONS: judging.second is not None and judging.fails(p_yes),
        Count.BOTH: is_failed and not write.is_listed,
        Count.UNANSWERED: len(p_yes) < len(judging.asked),
        Count.PROPOSAL_CHECK: bool(write.flags),
    }
    return {count for count, is_so in holds.items() if is_so}


def _disagreements(
    judging: Judging, p_yes: dict[Asked, float], *, is_listed: bool
) -> Iterator[Kind]:
    """Which judge alone fails a write; none does where the first has not answered."""
    if Asked.CONFIRMED not in p_yes:
        return
    is_failed = _fails_first(judging, p_yes)
    if is_failed and is_listed:
        yield Kind.JUDGE_ONLY
    if not is_failed and not is_listed:
        yield Kind.WORD_LIST_ONLY
    if not is_failed and judging.fails(p_yes):
        yield Kind.SECOND_ONLY


def _fails_first(judging: Judging, p_yes: dict[Asked, float]) -> bool:
    return p_yes.get(Asked.CONFIRMED, 1.0) < judging.threshold
