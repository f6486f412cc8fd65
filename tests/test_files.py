"""Files that are written whole."""

import os
import threading

import pytest

from stretto.errors import CannotWrite
from stretto.files import write_text


def test_a_link_stays_a_link_to_what_is_written(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link, file = tmp_path / "link", tmp_path / "elsewhere" / "file"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file)

    write_text(link, "new")

    assert link.is_symlink()
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [*file.parent.iterdir()] == [file]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()

    write_text(pipe, "through")

    reader.join(timeout=10)
    assert read == ["through"]
    assert pipe.is_fifo()


def test_a_file_in_place_of_the_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("mine")

    with pytest.raises(CannotWrite, match="file/a cannot be written: Not a directory"):
        write_text(tmp_path / "file" / "a", "yours")

    assert (tmp_path / "file").read_text() == "mine"
