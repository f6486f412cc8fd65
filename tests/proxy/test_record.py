"""Recording never holds up what it records, and says what it could not keep."""

import os
import threading
from pathlib import Path

import pytest

from stretto.proxy.entry import GAP, Sender
from stretto.proxy.journal import Journal
from stretto.proxy.logfile import LogFile
from stretto.proxy.record import Recorder
from tests.proxy.host import PATIENCE_S
from tests.proxy.test_journal import CALL, Kept

CLIENT, SERVER = Sender.CLIENT, Sender.SERVER


class Stuck(Kept):
    """A log whose disk has stopped answering, until it is told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.is_stuck, self.goes_on = threading.Event(), threading.Event()
        self.has_heard_the_server = threading.Event()

    def append(self, lines: bytes) -> None:
        self.is_stuck.set()
        assert self.goes_on.wait(PATIENCE_S)
        super().append(lines)
        if b'"from":"server"' in lines:
            self.has_heard_the_server.set()


def _recording(log: Kept, **limits: int) -> Recorder:
    recorder = Recorder(Journal(log.opened), **limits)
    recorder.start()
    return recorder


def test_what_was_taken_is_in_the_log_in_order_and_times_never_decrease() -> None:
    log = Kept()
    recorder = _recording(log)
    recorder.take(CLIENT, CALL)

    def say(sender: Sender) -> None:
        for n in range(500):
            recorder.take(sender, b"%d\n" % n)

    threads = [threading.Thread(target=say, args=[s]) for s in (CLIENT, SERVER)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.close(PATIENCE_S)

    _, *entries = log.entries()
    times = [entry["t_ms"] for entry in entries]
    assert times == sorted(times)
    for sender in (CLIENT, SERVER):
        said = [entry["message"] for entry in entries if entry["from"] == sender]
        assert said == [*range(500)]


def test_a_full_queue_drops_lines_and_counts_them_where_they_are_missing() -> None:
    log = Stuck()
    recorder = _recording(log, room=3_000)
    recorder.take(CLIENT, CALL)
    assert log.is_stuck.wait(PATIENCE_S)
    sent = [b'"%d"\n' % n for n in range(100)]
    for line in sent:
        recorder.take(SERVER, line)
    log.goes_on.set()
    recorder.close(PATIENCE_S)

    entries = log.entries()
    gaps = [e["message"]["params"] for e in entries if e["from"] == "proxy"]
    said = [e["message"] for e in entries if e["from"] == "server"]
    assert said == [str(n) for n in range(len(said))]
    assert 0 < len(said) < 100
    assert [gap["from"] for gap in gaps] == ["server"]
    assert len(said) + gaps[0]["lines"] == 100
    assert gaps[0]["bytes"] == sum(map(len, sent[len(said) :]))
    assert entries[-1]["message"]["method"] == GAP


def test_recording_goes_on_behind_a_gap() -> None:
    log = Stuck()
    recorder = _recording(log, room=1_000)
    recorder.take(CLIENT, CALL)
    assert log.is_stuck.wait(PATIENCE_S)
    for n in range(50):
        recorder.take(SERVER, b"%d\n" % n)
    log.goes_on.set()
    assert log.has_heard_the_server.wait(PATIENCE_S)
    recorder.take(CLIENT, b'"after"\n')
    recorder.close(PATIENCE_S)

    assert [entry["from"] for entry in log.entries()][-2:] == ["proxy", "client"]


def test_a_log_that_cannot_be_made_is_told_once_and_ends_recording(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def refuses() -> Kept:
        raise OSError(28, "No space left on device", "sessions/s.jsonl")

    recorder = Recorder(Journal(refuses))
    recorder.start()
    for _ in range(3):
        recorder.take(CLIENT, CALL)
    recorder.close(PATIENCE_S)
    recorder.take(CLIENT, CALL)

    told = "stretto-proxy: recording stopped: sessions/s.jsonl: No space left on device"
    assert capfd.readouterr().err.splitlines() == [told]


def test_a_disk_that_fills_up_leaves_whole_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, room, real = tmp_path / "s.jsonl", 50, os.write

    def write(fd: int, data: memoryview) -> int:
        nonlocal room
        if room == 0:
            raise OSError(28, "No space left on device")
        taken = real(fd, data[: min(room, 30)])
        room -= taken
        return taken

    log = LogFile(str(path))
    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError, match="No space left") as refusal:
        log.append(b'{"a":1}\n' * 10)
    monkeypatch.undo()
    log.close()

    assert refusal.value.filename == str(path)
    assert path.read_bytes() == b'{"a":1}\n' * 6


def test_a_log_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("kept")

    with pytest.raises(FileExistsError):
        LogFile(str(path))
    assert path.read_text() == "kept"


def test_a_log_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    LogFile(str(path)).close()

    assert path.stat().st_mode & 0o777 == 0o600


def test_a_disk_that_never_answers_does_not_keep_the_session_from_ending() -> None:
    log = Stuck()
    recorder = _recording(log)
    recorder.take(CLIENT, CALL)
    assert log.is_stuck.wait(PATIENCE_S)

    recorder.close(0.01)

    assert not log.goes_on.is_set()
    log.goes_on.set()
