"""Files that must not be there yet."""

import pytest

from stretto.errors import CannotWrite
from stretto.newfile import write_new


def test_a_file_that_is_there_stays_as_it_is(tmp_path):
    (tmp_path / "a").write_text("mine")

    with pytest.raises(CannotWrite, match="File exists"):
        write_new(tmp_path / "a", [b"yours"])

    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a", "mine")]


def test_of_pieces_that_end_early_nothing_is_left(tmp_path):
    def pieces():
        yield b"one"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_new(tmp_path / "a", pieces())

    assert [*tmp_path.iterdir()] == []


def test_a_new_file_holds_its_pieces(tmp_path):
    write_new(tmp_path / "a", [b"one ", b"two"])

    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a", "one two")]
