"""The list of words that agree."""

import pytest

from stretto.guards.agreed import agreed, is_agreement, words
from stretto.guards.facts import Facts
from stretto.guards.sources import Sources
from stretto.guards.verdict import Outcome
from tests.toys import Script


@pytest.mark.parametrize(
    "message",
    [
        "yes", "Yeah.", "YEP!", "yup", "I confirm", "Please proceed.", "Sure thing",
        "okay", "ok", "That is correct", "absolutely", "fine", "Go ahead", "go-ahead",
        "please do that", "Do it", "That's right", "That’s right", "sounds\ngood",
        "Please, cancel the order", "please process it", "please go on", "Let's do it",
        "I agree with it",
    ],
)  # fmt: skip
def test_a_word_of_the_list_or_a_phrase_among_the_words_agrees(message: str) -> None:
    assert is_agreement(message)


@pytest.mark.parametrize(
    "message",
    ["", "no", "yesterday", "confirmed?", "surely", "token", "refine", "finest",
     "I did it"],
)  # fmt: skip
def test_a_part_of_a_word_is_no_agreement(message: str) -> None:
    assert not is_agreement(message)


def test_phrases_are_found_across_punctuation() -> None:
    assert words("I do, it's -- “Fine”_ok") == ["i", "do", "it's", "fine", "ok"]
    assert is_agreement("Well, do: it now")


def after(*events: object, **options: bool) -> Outcome:
    return agreed(Facts.of(Sources(), events), **options).outcome  # type: ignore[arg-type]


def test_the_last_message_counts_and_nothing_said_fails() -> None:
    yes_then_no = Script().user("yes").reply().user("no, wait").events

    assert after() is Outcome.FAIL
    assert after(*Script().reply("Yes?").events) is Outcome.FAIL
    assert after(*Script().user("yes").events) is Outcome.PASS
    assert after(*yes_then_no) is Outcome.FAIL


def test_a_question_is_doubted_only_where_that_is_asked_for() -> None:
    question = Script().user("Is it okay to wait? ").events

    assert after(*question) is Outcome.PASS
    assert after(*question, doubts_questions=True) is Outcome.UNKNOWN
    assert after(*Script().user("okay").events, doubts_questions=True) is Outcome.PASS
