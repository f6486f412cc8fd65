"""An argument of a call as a question: which of the values it has been seen to take."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from stretto.canonical import Json
from stretto.oracle.answer import Answer, ChoiceAnswer, Response
from stretto.oracle.next_step import joined
from stretto.oracle.question import Choice, Request
from stretto.oracle.wording import Wording, fill

VALUE = "value"
"""The question's id."""


class Place(NamedTuple):
    """An argument of a tool."""

    tool: str
    argument: str


class Pick(NamedTuple):
    """The option that a System-One model chose, and what it gave each."""

    option: str
    probabilities: Mapping[str, float]
    """By option; 0 where it was left out."""

    @property
    def p(self) -> float:
        """That of the option chosen."""
        return self.probabilities.get(self.option, 0.0)


def value_request(
    model: str,
    state: Mapping[str, Json],
    place: Place,
    others: Json,
    options: Collection[str],
    *,
    doc: str,
    wording: Wording,
) -> Request:
    """
    What is asked of an argument of the call that is about to be made.

    Args:
        others: The call's other arguments.
        options: The values to choose from, at least one.
        doc: What the argument's documentation says; may be empty.
    """
    tool, arg = place
    told = joined(
        wording.context,
        wording.data_note,
        fill(wording.value, tool=tool, arg=arg),
        fill(wording.value_doc, arg=arg, doc=doc) if doc else "",
    )
    rubric = fill(wording.value_option, tool=tool, arg=arg)
    pending: Json = {"tool": tool, "other_arguments": others}
    return Request(
        model,
        {**state, "pending_call": pending},
        {VALUE: Choice(told, dict.fromkeys(sorted(options), rubric))},
    )


def read_value(response: Response, options: Collection[str]) -> Pick | None:
    """The answer to an argument's question; None where it is missing, or no option."""
    return picked(response.answers.get(VALUE), options)


def picked(answer: Answer | None, options: Collection[str]) -> Pick | None:
    """The choice among some options; None where it is none of them."""
    if not isinstance(answer, ChoiceAnswer) or answer.choice not in options:
        return None
    given = answer.probabilities
    return Pick(answer.choice, {o: given.get(o, 0.0) for o in sorted(options)})
