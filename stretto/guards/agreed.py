"""Whether the customer's last message agrees, by a list of words."""

import re

from stretto.guards.facts import Facts
from stretto.guards.verdict import Verdict, fail, unknown, unless

_WORDS = frozenset(
    {
        "yes", "yeah", "yep", "yup", "confirm", "proceed", "sure", "okay", "ok",
        "correct", "absolutely", "fine",
    }
)  # fmt: skip
_PHRASES = (
    "go ahead", "please do", "do it", "that's right", "sounds good", "please cancel",
    "please process", "please go", "let's do", "i agree",
)  # fmt: skip
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def words(message: str) -> list[str]:
    """A message's words, in small letters; an apostrophe within one stays."""
    return _WORD.findall(message.lower().replace("’", "'"))


def is_agreement(message: str) -> bool:
    """Whether a message holds a word of the list, or a phrase of it among its words."""
    said = words(message)
    if not _WORDS.isdisjoint(said):
        return True
    text = " ".join(said)
    return any(phrase in text for phrase in _PHRASES)


def agreed(facts: Facts, *, doubts_questions: bool = False) -> Verdict:
    """
    Whether the last message agrees; nothing said is no agreement.

    Args:
        doubts_questions: Whether a message that ends in a question mark is unknown,
            as `is it okay if I call back?` is no yes.
    """
    if not facts.has_customer_spoken:
        return fail("the customer has said nothing")
    message = facts.exchange.customer
    if doubts_questions and message.rstrip().endswith("?"):
        return unknown("the customer's last message is a question")
    return unless(is_agreement(message), "the customer's last message holds no yes")
