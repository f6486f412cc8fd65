"""JSON as strict as it is written."""

import pytest

from stretto.traces.decode import Unreadable, decode
from stretto.traces.ledger import Ledger


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_what_json_has_no_number_for_is_refused(text):
    with pytest.raises(Unreadable, match="no JSON number"):
        decode(text, Ledger())


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("1 2", "is not JSON"),
        ("9" * 5000, "is not JSON"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_what_cannot_be_read_says_why(text, cause):
    with pytest.raises(Unreadable, match=cause):
        decode(text, Ledger())


def test_paired_surrogates_are_the_character_they_stand_for():
    ledger = Ledger()

    assert decode('"\\ud83d\\ude00"', ledger) == "😀"
    assert not ledger.counts
