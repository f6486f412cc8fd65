import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.binding.outputs import Output
from stretto.binding.paths import Leaf
from stretto.binding.said import Row, Said


def said(*messages: str) -> Said:
    found = Said()
    for message in messages:
        found.hear(message)
    return found


@pytest.mark.parametrize("value", ["W20", " w20 ", "#W20", "order", "20?", "w2"])
def test_a_value_is_mentioned_whatever_its_case_and_without_its_hash(value):
    assert said("Where is ORDER w20?").mentions(value)


@pytest.mark.parametrize("value", ["", "  ", "#", "W21", "##W20"])
def test_nothing_is_mentioned_by_chance(value):
    assert not said("Where is ORDER w20?").mentions(value)


def test_messages_are_kept_apart_by_a_line():
    assert not said("W2", "0").mentions("W20")
    assert said("W2", "0").mentions("w2\n0")


def test_a_later_message_changes_the_answer_but_not_of_a_copy():
    first = said("hello")
    assert not first.mentions("W20")
    assert not first.mentions("W2000")

    copy = first.copy()

    assert first.hear("W20!") == ["W20"]
    assert first.mentions("W20")
    assert first.mentions("hello")
    assert not copy.mentions("W20")
    assert not copy.mentions("AW2000")
    assert first.hear("and AW2000") == ["W2000"]
    assert copy.hear("W20, AW2000") == ["W20", "W2000", "AW2000"]


def test_a_value_is_named_by_a_sibling_of_four_characters():
    text = said("the blue one, or the red")

    assert text.names(Leaf("id-1", ("blue",)))
    assert not text.names(Leaf("id-1", ("red", "size 4")))


def test_the_values_at_a_path_are_named_one_by_one():
    output = Output('[{"id": "1x", "of": "blue"}, {"id": "2x", "of": "green"}]')
    path = "$[*].id"

    assert said("blue").row(output, path) == Row(
        ("1x", "2x"), (True, False), {"1x": True, "2x": False}, True
    )
    assert not said("red").row(output, path).any_named


def test_a_value_that_stands_twice_is_named_as_where_it_stands_first():
    output = Output('[{"id": "1x"}, {"id": "2x"}, {"id": "1x", "of": "blue"}]')

    assert said("blue").row(output, "$[*].id") == Row(
        ("1x", "2x", "1x"), (False, False, True), {"1x": False, "2x": False}, True
    )


def test_a_message_tells_what_it_mentions_that_was_asked_of_in_vain():
    text = said("hello")
    for value in ("W20", "blue", "w2\n0", "hello", ""):
        text.mentions(value)

    assert text.hear("and?") == []
    assert text.hear("the BLUE one, w2") == ["blue"]
    assert text.hear("0, blue") == ["w2\n0"]


TEXTS = st.text(alphabet="abB# \n1", max_size=9)


@given(st.lists(st.tuples(st.booleans(), TEXTS), max_size=30))
@settings(max_examples=400, deadline=None)
def test_what_is_mentioned_is_what_stands_in_the_text(steps):
    found, text, denied = Said(), "", {}
    for is_message, words in steps:
        word = words.strip().lower()
        needle = word.removeprefix("#") or word
        if is_message:
            text += words.lower() + "\n"
            newly = {value for value, held in denied.items() if held in text}
            assert sorted(found.hear(words)) == sorted(newly)
            denied = {v: held for v, held in denied.items() if v not in newly}
        else:
            assert found.mentions(words) == (needle != "" and needle in text)
            if needle and needle not in text:
                denied[words] = needle
