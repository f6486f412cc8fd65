"""What a pseudonym has in common with its value, and what not."""

import hashlib
import hmac
import json
import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.binding.values import is_keyish
from stretto.traces.redact.pseudonym import Pseudonyms, plain

SALT = b"pepper pepper pepper"
NEW = Pseudonyms(SALT)

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        ("user_41", "h1_[a-p]{16}"),
        ("pending", "h_[a-p]{16}"),
        ("mia@example.com", "h@[a-p]{16}"),
        ("c41@example.com", "h1@[a-p]{16}"),
        ("#W77B", "#H1_[a-pA-P]{16}"),
        ("  Desk lamp\t", "  H_[a-pA-P]{16}\t"),
        ("1008292230", "1[0-9]{18}"),
        ("-12.5e3", "1[0-9]{18}"),
        ("01234", "h1_[a-p]{16}"),
        ("LAX", "[\u4e00-\u9fff]{3}"),
        ("ok", "[\u4e00-\u9fff]{2}"),
        ("404", "[1-9][0-9]{2}"),
        ("1.5", r"[0-9]\.[0-9]"),
    ],
)
def test_a_pseudonym_has_its_values_shape(value, pattern):
    assert re.fullmatch(pattern, NEW.of(value))


@pytest.mark.parametrize("value", ["", " ", "#", "M", "7", " 7\n", "#7"])
def test_a_value_of_one_character_or_none_stays(value):
    assert NEW.of(value) == value


def test_pseudonyms_are_the_same_in_every_build():
    assert NEW.check == "750b19772b0352bb"
    assert NEW.of("#W77B") == "#H1_CgpoofoBEFlNiCpL"
    assert NEW.of("user_41") == "h1_laknpajkcamepgep"
    assert NEW.of("404") == "191"
    assert NEW.of("1008292230") == "1018846727714736141"


def test_the_letters_are_the_hmac_of_the_value_in_lower_case():
    message = b"stretto-redact-1\0value\0user_41"
    digits = hmac.new(SALT, message, hashlib.sha256).hexdigest()[:16]

    letters = NEW.of("user_41").removeprefix("h1_")
    assert "".join(
        "0123456789abcdef"["ghijklmnopabcdef".index(c)] for c in letters
    ) == (digits)


def test_another_salt_gives_other_pseudonyms():
    other = Pseudonyms(b"salt salt salt salt")

    assert other.check != NEW.check
    assert all(
        other.of(value) != NEW.of(value) for value in ("W77B", "LAX", "123456789")
    )


def test_a_salt_is_not_in_what_is_printed_of_it():
    assert "pepper" not in repr(NEW)


@given(TEXTS, TEXTS)
def test_values_are_equal_where_their_pseudonyms_are(one, other):
    assert (one == other) == (NEW.of(one) == NEW.of(other))


@given(st.text("aA1@", min_size=4, max_size=7), st.text("aA1@", min_size=4, max_size=7))
def test_values_equal_but_for_case_have_such_pseudonyms(one, other):
    same = plain(one) == plain(other)

    assert same == (plain(NEW.of(one)) == plain(NEW.of(other)))


@given(TEXTS)
def test_what_looks_like_a_key_does_so_still(value):
    core = value.strip()

    assert is_keyish(core) == is_keyish(NEW.of(core))


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_stays_a_number(number):
    told = json.dumps(number)
    new = json.loads(NEW.of(told))

    assert isinstance(new, int | float)
    assert not isinstance(new, bool)
    assert len(told) == 1 or NEW.of(told) != told


def test_no_two_short_numbers_have_one_pseudonym_and_none_has_itself():
    numbers = [*map(str, range(10, 1000))]
    new = [*map(NEW.of, numbers)]

    assert len({*new}) == len(new)
    assert all(one != other for one, other in zip(numbers, new, strict=True))


def test_fifty_thousand_values_have_as_many_pseudonyms():
    values = [f"{kind}{n}" for kind in ("W", "w", "user_", "") for n in range(12_500)]
    found = {NEW.of(value) for value in values}

    assert len(found) == len(values)


def test_spellings_of_a_word_are_told_apart():
    spelled = ["mia smith", "Mia Smith", "MIA SMITH", "Mia smith", "mIA sMITH"]

    assert all(NEW.of(a) != NEW.of(b) for a, b in combinations(spelled, 2))
    assert len({NEW.of(one).lower() for one in spelled}) == 1
