"""The log begins with a question, and accounts for every line of every stream."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.proxy.entry import CUT, GAP, Sender
from stretto.proxy.journal import Journal, Loss

CLIENT, SERVER = Sender.CLIENT, Sender.SERVER
DISCOVER = b'{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}\n'
DISCOVERED = b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}\n'
CANCELLED = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}\n'
CALL = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get"}}\n'


class Kept:
    """A log in memory."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.n_opened = self.n_closed = 0

    def opened(self) -> "Kept":
        self.n_opened += 1
        return self

    def append(self, lines: bytes) -> None:
        self.pieces.append(lines)

    def close(self) -> None:
        self.n_closed += 1

    def entries(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in b"".join(self.pieces).splitlines()]


def _kept(*said: tuple[Sender, bytes | Loss], longest: int = 1_000) -> Kept:
    kept = Kept()
    journal = Journal(kept.opened, longest)
    for t_ms, (sender, what) in enumerate(said):
        journal.add(t_ms, sender, what)
        journal.flush()
    journal.close()
    return kept


@pytest.mark.parametrize(
    "said",
    [
        [],
        [(SERVER, b"Server running on stdio\n")],
        [(CLIENT, DISCOVER), (SERVER, DISCOVERED)],
        [(SERVER, b"hello\n"), (CLIENT, DISCOVER + CANCELLED), (CLIENT, b"")],
        [(CLIENT, DISCOVER), (CLIENT, DISCOVER)],
    ],
)
def test_a_start_that_only_asks_who_is_there_leaves_no_log(said: list) -> None:
    kept = _kept(*said)

    assert (kept.n_opened, kept.pieces) == (0, [])


@pytest.mark.parametrize(
    "asks", [CALL, b"hello\n", b"[]\n", b'{"method":["x"]}\n', b"\n", b"\xff\n", b"1\n"]
)
def test_the_first_question_begins_the_log_with_what_was_said_before(
    asks: bytes,
) -> None:
    kept = _kept((SERVER, b"banner\n"), (CLIENT, DISCOVER), (CLIENT, asks))

    assert [entry["t_ms"] for entry in kept.entries()] == [0, 1, 2]
    assert (kept.n_opened, kept.n_closed) == (1, 1)


def test_a_server_that_talks_without_end_begins_the_log_too() -> None:
    kept = _kept(*[(SERVER, b"x" * 999 + b"\n")] * 1_100)

    assert kept.n_opened == 1
    assert len(kept.entries()) == 1_100


def test_the_last_line_is_logged_without_its_line_feed() -> None:
    kept = _kept((CLIENT, CALL), (CLIENT, CALL[:-1]), (CLIENT, b""))

    first, last = kept.entries()
    assert first["message"] == last["message"]


def test_streams_are_put_together_apart() -> None:
    kept = _kept((CLIENT, CALL[:20]), (SERVER, b"one\n"), (CLIENT, CALL[20:]))

    assert [entry["from"] for entry in kept.entries()] == ["server", "client"]


def test_a_line_is_timed_when_it_is_complete() -> None:
    kept = _kept((CLIENT, CALL[:20]), (CLIENT, CALL[20:]))

    assert [entry["t_ms"] for entry in kept.entries()] == [1]


def test_a_line_longer_than_is_kept_is_told_to_be_cut() -> None:
    kept = _kept((CLIENT, CALL), longest=20)

    cut, text = kept.entries()
    assert cut["message"]["method"] == CUT
    assert cut["message"]["params"] == {"from": "client", "bytes": len(CALL) - 1}
    assert text == {"t_ms": 0, "from": "client", "raw": CALL[:20].decode()}


def _lost(data: bytes) -> Loss:
    return Loss().then(data)


def test_lines_that_were_not_kept_are_told_where_they_are_missing() -> None:
    kept = _kept((CLIENT, CALL), (SERVER, _lost(b"a\nb\n")), (SERVER, b"c\n"))

    _, gap, after = kept.entries()
    assert gap["from"] == "proxy"
    assert gap["message"]["method"] == GAP
    assert gap["message"]["params"] == {"from": "server", "lines": 2, "bytes": 4}
    assert after["raw"] == "c"


def test_a_line_that_is_kept_in_part_is_not_logged() -> None:
    kept = _kept(
        (CLIENT, CALL),
        (SERVER, b"whole\nbeg"),
        (SERVER, _lost(b"in\nmid")),
        (SERVER, b"dle\nend\n"),
    )

    _, whole, gap, end = kept.entries()
    assert (whole["raw"], end["raw"]) == ("whole", "end")
    assert gap["message"]["params"]["lines"] == 2


STREAM = st.lists(
    st.tuples(st.sampled_from([b"ab", b"\n", b"c\n", b"\nd", b"\n\n"]), st.booleans()),
    max_size=12,
)


@given(stream=STREAM)
@settings(max_examples=150, deadline=None)
def test_every_line_is_either_logged_or_counted_as_missing(stream) -> None:
    """Whatever chunks are lost; the rest of the log is the stream's own lines."""
    kept, told = [(CLIENT, CALL)], b""
    lost = None
    for chunk, is_lost in [*stream, (b"\nlast\n", False)]:
        told += chunk
        if is_lost:
            lost = (lost or Loss()).then(chunk)
            continue
        if lost:
            kept.append((SERVER, lost))
        lost = None
        kept.append((SERVER, chunk))
    lines = told.decode().splitlines()

    logged, missing = [], 0
    for entry in _kept(*kept).entries()[1:]:
        if "raw" in entry:
            logged.append(entry["raw"])
        else:
            missing += entry["message"]["params"]["lines"]

    assert len(logged) + missing == len(lines)
    remaining = iter(lines)
    assert all(line in remaining for line in logged)


def test_lines_that_are_no_json_are_counted_at_the_end(
    capfd: pytest.CaptureFixture[str],
) -> None:
    _kept((CLIENT, CALL), (SERVER, b"{\n  1\n}\n"))

    assert "2 lines were no JSON" in capfd.readouterr().err


def test_headers_of_another_protocol_are_named_once(
    capfd: pytest.CaptureFixture[str],
) -> None:
    _kept((CLIENT, b"Content-Length: 9\r\n\r\n{}\n"), (SERVER, b"content-length: 1\n"))

    assert capfd.readouterr().err.count("a Content-Length header passed") == 1
