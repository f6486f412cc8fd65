"""A local model's file."""

import json
import pickle
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.errors import FormatError, VersionError
from stretto.oracle.local.clues import clues
from stretto.oracle.local.file import (
    ALL,
    Gain,
    LocalModel,
    local_bytes,
    parse_local,
    read_local,
    write_local,
)
from stretto.oracle.local.tensors import Tensors, parse_tensors, tensors_bytes
from tests.oracle.local.models import PROVENANCE, model_of
from tests.oracle.local.test_clues import OPTIONS, desk

SEEN = clues(desk("L107"), OPTIONS)
MODEL = model_of(SEEN)
DATA = local_bytes(MODEL)


def rewritten(**texts: str) -> bytes:
    """The file with other texts."""
    found = parse_tensors(DATA, "f")
    return tensors_bytes(Tensors(found.arrays, {**found.texts, **texts}))


def test_a_model_written_and_read_gives_the_same_scores_and_bytes(tmp_path):
    written = write_local(MODEL, tmp_path / "m.safetensors")
    read = read_local(tmp_path / "m.safetensors")

    assert local_bytes(read) == DATA
    assert read.provenance == MODEL.provenance
    assert read.digest == written.digest != ""
    for place, member in MODEL.members.items():
        assert read.members[place].calibration == member.calibration
        expected = member.net.scores(SEEN).tolist()
        assert read.members[place].net.scores(SEEN).tolist() == expected


def test_the_file_is_laid_out_as_safetensors():
    length = int.from_bytes(DATA[:8], "little")
    header = json.loads(DATA[8 : 8 + length])
    place = header["all.word_rows"]

    begin, end = (8 + length + at for at in place["data_offsets"])
    rows = np.frombuffer(DATA[begin:end], "<f4").reshape(place["shape"])

    assert rows.tolist() == MODEL.members[ALL].net.words.rows.tolist()
    assert header["__metadata__"]["stretto_local"] == "1"
    assert length % 8 == 0


def test_a_gain_says_whether_the_model_beats_the_habit():
    gains = [None, Gain(-0.1, 0.3), Gain(0.01, 0.3)]
    models = [
        LocalModel(MODEL.members, replace(PROVENANCE, gain=gain)) for gain in gains
    ]

    read = [parse_local(local_bytes(model), "f").provenance for model in models]

    assert [provenance.gain for provenance in read] == gains
    assert [provenance.beats_habit for provenance in read] == [False, False, True]


@pytest.mark.parametrize("data", [b"", b"\x80", pickle.dumps([1]), b"PK\x03\x04" * 9])
def test_what_is_no_safetensors_file_is_refused(data):
    with pytest.raises(FormatError):
        parse_local(data, "f")


def test_another_version_is_named():
    with pytest.raises(VersionError, match="stretto_local"):
        parse_local(rewritten(stretto_local="2"), "f")


def test_an_array_too_many_or_too_few_is_named():
    found = parse_tensors(DATA, "f")
    more = {**found.arrays, "more": np.zeros(1, np.float32)}
    fewer = {name: a for name, a in found.arrays.items() if name != "3.marks"}

    with pytest.raises(FormatError, match="more"):
        parse_local(tensors_bytes(Tensors(more, found.texts)), "f")
    with pytest.raises(FormatError, match=r"3\.marks"):
        parse_local(tensors_bytes(Tensors(fewer, found.texts)), "f")


@pytest.mark.parametrize(
    ("name", "array", "cause"),
    [
        ("all.words", np.array([2, 2], np.uint32), "rising"),
        ("all.words", np.array([0, 1], np.uint32), "rising"),
        ("all.words", np.array([1.0, 2.0], np.float32), "rising"),
        ("all.word_rows", np.full((1, 3), 1.0, np.float32), "row for each"),
        ("all.word_rows", np.full((0, 300), 1.0, np.float32), "row for each"),
        ("all.mark_rows", np.full((1, 3), np.nan, np.float32), "no number"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, array, cause):
    found = parse_tensors(DATA, "f")

    with pytest.raises(FormatError, match=cause):
        parse_local(
            tensors_bytes(Tensors({**found.arrays, name: array}, found.texts)), "f"
        )


@settings(deadline=None)
@given(st.integers(0, len(DATA) - 1), st.integers(0, 255), st.booleans())
def test_a_damaged_file_is_a_format_error_or_else_a_whole_model(at, byte, cut):
    damaged = DATA[:at] if cut else DATA[:at] + bytes([byte]) + DATA[at + 1 :]

    with suppress(FormatError):
        assert parse_local(damaged, "f").digest
        assert not cut
