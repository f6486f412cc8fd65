"""A session's log in several files."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.proxy.folder import LogFolder
from stretto.proxy.logfile import LogFile
from stretto.proxy.parted import PartedLog
from stretto.proxy.session import Session
from stretto.traces import sessionlog
from stretto.traces.ledger import Ledger
from stretto.traces.sessionlog import read_header

SESSION = Session(("srv",), 1_893_553_445_678, 4321)
ID = "20300102T030405.678Z-4321"


def test_a_long_log_goes_on_in_files_that_say_which_they_are(tmp_path: Path) -> None:
    log = LogFolder(str(tmp_path), most=2_000).new_log(SESSION)
    for _ in range(5):
        log.append(b"x" * 999 + b"\n")
    log.close()

    names = [f"{ID}.jsonl", *(f"{ID}.{n}.jsonl" for n in range(2, 6))]
    assert sorted(tmp_path.iterdir()) == [tmp_path / name for name in sorted(names)]
    headers = [read_header(tmp_path / name, Ledger()) for name in names]
    assert [(h.session, h.part) for h in headers if h is not None] == [
        (ID, n) for n in range(1, 6)
    ]
    first = json.loads((tmp_path / names[0]).read_text().splitlines()[0])
    assert "part" not in first


@given(
    lines=st.lists(st.integers(1, 30).map(lambda n: b"x" * n + b"\n")),
    most=st.integers(1, 60),
)
@settings(max_examples=60, deadline=None)
def test_no_line_is_lost_and_no_file_longer_than_allowed_with_several(
    lines: list[bytes], most: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    log = PartedLog(lambda part: LogFile(str(folder / f"{part:03}")), most)
    for line in lines:
        log.append(line)
    log.close()

    files = [path.read_bytes() for path in sorted(folder.iterdir())]
    assert b"".join(files) == b"".join(lines)
    assert all(len(file) <= most or file.count(b"\n") == 1 for file in files)


def test_the_writer_and_the_readers_call_the_part_the_same(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(
        '{"stretto_mcp_log":2,"session":"s","started_unix_ms":0,"part":7}\n'
    )

    header = sessionlog.read_header(path, Ledger())

    assert header is not None
    assert header.part == 7
