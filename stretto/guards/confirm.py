"""
Whether the customer agreed to a write, as a System-One model reads the last exchange.

A word list takes any `okay` for a yes. Here a model is shown what the agent said last,
what the customer replied and the call, and asked whether the one agrees to the other.
What it is shown is cut without a mark: the end of the proposal, the start of the reply.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from stretto.canonical import Json
from stretto.episodes.episode import ToolCall
from stretto.guards.facts import Exchange
from stretto.guards.guard import Guard, Guards, Ruling
from stretto.guards.verdict import Outcome
from stretto.oracle.answer import NoulAnswer, Response
from stretto.oracle.next_step import joined
from stretto.oracle.question import Criteria, Noul, Request
from stretto.oracle.wording import Wording

MAX_PROPOSAL, MAX_REPLY = 1500, 600
"""Characters shown of what the agent said last, and of the reply."""

THRESHOLD = 0.5
"""The least probability of yes that is taken for one."""

_RULE = ".confirmed"


class Asked(StrEnum):
    """The questions, by id."""

    CONFIRMED = "confirmed"
    """Is the reply a clear consent to this very change?"""
    DESCRIBED = "described"
    """Does the agent's last message set out exactly this change?"""
    PROPOSED = "proposed"
    """Did the change come from the agent first?"""


@dataclass(frozen=True, slots=True)
class Judging:
    """How a write is judged."""

    second: Asked | None = None
    """Another question to ask beside the first."""
    is_second_counted: bool = True
    """Whether the second one's answer decides too; otherwise it is only logged."""
    threshold: float = THRESHOLD

    @property
    def asked(self) -> tuple[Asked, ...]:
        """The questions, in the order they are asked."""
        second = self.second
        return (Asked.CONFIRMED,) if second is None else (Asked.CONFIRMED, second)

    @property
    def counted(self) -> tuple[Asked, ...]:
        """Those that decide."""
        return self.asked if self.is_second_counted else (Asked.CONFIRMED,)

    def fails(self, p_yes: Mapping[Asked, float]) -> bool:
        """Whether an answer is no; a question without an answer never fails."""
        return any(p_yes[q] < self.threshold for q in self.counted if q in p_yes)

    def is_unknown(self, p_yes: Mapping[Asked, float]) -> bool:
        """Whether none of the answers is no, and one is missing."""
        return not self.fails(p_yes) and any(q not in p_yes for q in self.counted)


def consent_rule(guards: Guards, call: ToolCall) -> Guard | None:
    """The rule that asks for consent to a call; a call without one is not judged."""
    for guard in guards.rules:
        if guard.rule.endswith(_RULE) and call.tool in guard.tools:
            return guard
    return None


def word_list_passes(rulings: Iterable[Ruling], rule: Guard) -> bool:
    """Whether the rule that asks for consent, which is a word list, does not fail."""
    return not any(
        ruling.guard is rule and ruling.verdict.outcome is Outcome.FAIL
        for ruling in rulings
    )


def confirm_request(
    model: str, exchange: Exchange, call: ToolCall, asked: Asked, wording: Wording
) -> Request:
    """What is asked about a call before it is made; one question a request."""
    state = _state(exchange, call)
    return Request(model, state, {asked.value: _question(asked, wording)})


def read_confirm(response: Response, asked: Asked) -> float | None:
    """The probability of yes; None where it was not answered."""
    answer = response.answers.get(asked.value)
    return answer.noul if isinstance(answer, NoulAnswer) else None


def _state(exchange: Exchange, call: ToolCall) -> Json:
    return {
        "agent_said_last": exchange.proposal[-MAX_PROPOSAL:],
        "customer_replied": exchange.customer[:MAX_REPLY],
        "call_about_to_be_made": {"tool": call.tool, "arguments": call.arguments},
    }


def _question(asked: Asked, words: Wording) -> Noul:
    told = {
        Asked.CONFIRMED: (
            words.confirmed,
            Criteria(words.confirmed_true, words.confirmed_false),
        ),
        Asked.DESCRIBED: (
            words.described,
            Criteria(words.described_true, words.described_false),
        ),
        Asked.PROPOSED: (
            words.proposed,
            Criteria(words.proposed_true, words.proposed_false),
        ),
    }
    text, criteria = told[asked]
    return Noul(joined(words.data_note, text), criteria)
