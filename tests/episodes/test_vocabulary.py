"""Actions and symbols as numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.episodes.step import Outcome
from stretto.episodes.vocabulary import (
    MAX_FEATURE,
    START,
    Symbol,
    Vocabulary,
    parse,
    symbol,
)
from tests.claims import claim


@claim("habit:symbol", "habit:outcomes")
@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ((0, Outcome.REPLY, 0), 8192),
        ((2, Outcome.OK, 0), 32768),
        ((3, Outcome.ERROR, 0), 53248),
        ((3, Outcome.OK, 1), 49153),
    ],
)
def test_a_symbol_is_the_number_the_format_gives_it(parts, code):
    assert symbol(*parts) == code
    assert parse(code) == Symbol(*parts)


@given(st.integers(0, 10_000), st.sampled_from(list(Outcome)), st.integers(0, 5000))
def test_a_symbol_holds_its_parts_the_feature_capped(action, outcome, feature):
    code = symbol(action, outcome, feature)

    assert parse(code) == (action, outcome, min(feature, MAX_FEATURE))
    assert code < START


def test_padding_is_no_symbol():
    assert parse(START) is None


@claim("walk:alphabet", "vocab:other")
def test_ids_are_a_message_the_tools_sorted_and_any_other_tool():
    vocabulary = Vocabulary.of(["pay", "find", "Zoom", "find"])

    assert vocabulary.tools == ("Zoom", "find", "pay")
    assert [vocabulary.id(t) for t in (None, "Zoom", "find", "pay")] == [0, 1, 2, 3]
    assert vocabulary.id("unheard of") == 4
    assert vocabulary.size == 5


def test_vocabularies_of_the_same_tools_are_equal():
    assert Vocabulary.of("ba") == Vocabulary.of("ab")
    assert Vocabulary.of("a") != Vocabulary.of("ab")
