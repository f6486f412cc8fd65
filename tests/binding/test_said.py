import pytest

from stretto.binding.outputs import Output
from stretto.binding.paths import Leaf
from stretto.binding.said import Said


def said(*messages: str) -> Said:
    found = Said()
    for message in messages:
        found = found.then(message)
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


def test_a_later_message_changes_the_answer():
    first = said("hello")
    assert not first.mentions("W20")

    later = first.then("W20!")

    assert later.mentions("W20")
    assert later.mentions("hello")
    assert not first.mentions("W20")


def test_a_value_is_named_by_a_sibling_of_four_characters():
    text = said("the blue one, or the red")

    assert text.names(Leaf("id-1", ("blue",)))
    assert not text.names(Leaf("id-1", ("red", "size 4")))


def test_the_values_at_a_path_are_named_one_by_one():
    output = Output('[{"id": "1", "of": "blue"}, {"id": "2", "of": "green"}]')

    assert said("blue").row(output, "$[*].id") == (("1", "2"), (True, False), True)
    assert said("red").row(output, "$[*].id") == (("1", "2"), (False, False), False)
    assert said("blue").row(output, "$[*].id").named == (True, False)
    assert said("blue", "and 2").row(output, "$[*].id").named == (True, True)
