"""Which values a message names, held to bindings' own search."""

from hypothesis import given
from hypothesis import strategies as st

from stretto.binding.said import Said
from stretto.traces.redact.named import Named
from stretto.traces.redact.pseudonym import Pseudonyms, plain
from stretto.traces.redact.values import Choice, Hidden, Survey

VALUES = st.lists(st.text("aAb1# ", min_size=1, max_size=6), max_size=8)


def survey(values):
    """A survey of sessions that hold these values."""
    found = Survey(Choice())
    for value in values:
        found.text(value)
    return found


def heard(message, value):
    """Whether a binding finds that the customer said a value."""
    said = Said()
    said.hear(message)
    return said.mentions(value)


@given(VALUES, st.text("aAb1# ", max_size=20))
def test_the_values_found_are_those_that_bindings_find(values, message):
    found = {plain(v) for v in Named(survey(values).spelled).within(message)}

    assert found == {plain(v) for v in values if plain(v) and heard(message, v)}


@given(VALUES, st.text("aAb1# ", max_size=20))
def test_a_message_names_the_pseudonyms_of_what_it_named(values, message):
    new = Hidden(survey(values), Pseudonyms(b"0123456789abcdef"))
    said = new.said(message)

    # A value of one character may be part of another's pseudonym.
    long = [v for v in values if len(plain(v)) > 1 and not plain(v).isdigit()]
    assert all(heard(said, new.text(v)) == heard(message, v) for v in long)


def test_of_a_message_stays_what_it_names_in_order():
    new = Hidden(survey(["#W1a7", "Mia", "pending"]), p := Pseudonyms(b"x" * 16))

    assert new.said("Hi, mia here: is w1a7 PENDING?") == " ".join(
        [p.of("Mia"), p.of("w1a7"), p.of("pending")]
    )
    assert new.said("Nothing of the kind.") == "…"
    assert new.said("") == ""
