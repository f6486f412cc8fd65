"""A line's entry says what passed, and every reader can read it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.proxy import entry as written
from stretto.proxy.entry import Sender, as_message, as_text, header, verbatim
from stretto.proxy.lines import Line
from stretto.traces import sessionlog
from stretto.traces.ledger import Ledger
from stretto.traces.sessionlog import read_log

HEADER = header({"session": "s", "started_unix_ms": 0, "server_command": []})


def _line(data: bytes) -> Line:
    return Line(data, len(data))


def _entry(data: bytes) -> bytes:
    message = verbatim(data)
    if message is None:
        return as_text(7, Sender.SERVER, _line(data))
    return as_message(7, Sender.SERVER, message)


def _raw(data: bytes) -> str:
    value = json.loads(_entry(data))
    assert value.keys() == {"t_ms", "from", "raw"}
    return value["raw"]


@pytest.mark.parametrize(
    "line",
    [
        b'{"b":1,"a":[2.50,1e2,"\\u00e9\\/\xc3\xa9"]}',
        b'{"a":1,"a":2}',
        b"17",
        b'"text"',
        b"null",
        b"[]",
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
        b'{"n":123456789012345678901234567890}',
        '{"t":"\u2028\u2029\u0085"}'.encode(),
        b'{"t":"\\ud83d\\ude00"}',
        b'{\t"a" : 1\r}',
        b"[" * 128 + b"]" * 128,
        b"[" * 127 + b"1" + b"]" * 127,
        b'{"a":' * 127 + b"1" + b"}" * 127,
        b'{"t":"' + b"[" * 500 + b'"}',
        b"[" + b"[],{}," * 300 + b"0]",
    ],
)
def test_one_json_value_stands_in_the_log_as_it_came(line: bytes) -> None:
    expected = b'{"t_ms":7,"from":"server","message":' + line + b"}\n"

    assert _entry(line) == _entry(b" \t" + line + b" \r") == expected


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b"", ""),
        (b"   ", "   "),
        (b"Server running\r", "Server running"),
        (b'1,"raw":"x"', '1,"raw":"x"'),
        (b"{} {}", "{} {}"),
        (b'{"a":1', '{"a":1'),
        (b'{"t":"\\ud83d"}', '{"t":"\\ud83d"}'),
        (b'{"t":"\\ude00\\ud83d"}', '{"t":"\\ude00\\ud83d"}'),
        (b'{"\\udc00":1}', '{"\\udc00":1}'),
        (b'{"t":"caf\xe9"}', '{"t":"caf\ufffd"}'),
        (b"\xff\xfe{\x00}\x00", "\ufffd\ufffd{\x00}\x00"),
        (b"\xef\xbb\xbf{}", "\ufeff{}"),
        (b"NaN", "NaN"),
        (b'{"n":-Infinity}', '{"n":-Infinity}'),
        (b'{"n":1e400}', '{"n":1e400}'),
        (b"1" * 5_000, "1" * 5_000),
        (b'{"t":"\x01"}', '{"t":"\x01"}'),
        (b"Content-Length: 52\r", "Content-Length: 52"),
        (b"[" * 129 + b"]" * 129, "[" * 129 + "]" * 129),
        (b"[" * 128 + b"1" + b"]" * 128, "[" * 128 + "1" + "]" * 128),
        (b"[" * 9_999 + b"]" * 9_999, "[" * 9_999 + "]" * 9_999),
    ],
)
def test_anything_else_stands_there_as_text(line: bytes, text: str) -> None:
    assert _raw(line) == text


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None, exclude_categories=[]), max_size=5),
    lambda values: (
        st.lists(values, max_size=4) | st.dictionaries(st.text(max_size=3), values)
    ),
    max_leaves=8,
)
NESTED = st.builds(
    lambda value, depth: "[" * depth + json.dumps(value) + "]" * depth,
    JSON,
    st.integers(120, 130),
)
SPELLED = (
    st.builds(json.dumps, JSON, ensure_ascii=st.booleans(), indent=st.none())
    | NESTED
    | st.text(alphabet='{}[]",:0\\ud8d\t\r ', max_size=12)
)
LINES = st.binary(max_size=40) | SPELLED.map(
    lambda text: text.encode("utf-8", "surrogatepass")
)


@given(lines=st.lists(LINES.map(lambda line: line.replace(b"\n", b"")), max_size=8))
@settings(max_examples=120, deadline=None)
def test_whatever_passes_the_logs_reader_finds_no_fault_with_the_log(
    lines: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "log.jsonl"
    path.write_bytes(HEADER + b"".join(map(_entry, lines)))
    ledger = Ledger()

    log = read_log(path, ledger)

    assert ledger.problems == []
    assert log is not None
    assert len(log.entries) == len(lines)


@given(line=LINES.map(lambda line: line.replace(b"\n", b"")))
@settings(max_examples=120, deadline=None)
def test_an_entry_holds_the_line_itself_or_its_text(line: bytes) -> None:
    message = verbatim(line)

    if message is None:
        assert _raw(line) == line.rstrip(b"\r\n").decode("utf-8", "replace")
    else:
        assert message == line.strip(b" \t\r\n")
        json.dumps(json.loads(message), ensure_ascii=False, allow_nan=False).encode()


def test_a_line_that_was_cut_is_text_and_its_size_is_told() -> None:
    first, second, end = as_text(7, Sender.CLIENT, Line(b'{"a":', 900)).split(b"\n")

    assert json.loads(first) == {
        "t_ms": 7,
        "from": "proxy",
        "message": {
            "jsonrpc": "2.0",
            "method": "notifications/stretto/cut",
            "params": {"from": "client", "bytes": 900},
        },
    }
    assert json.loads(second) == {"t_ms": 7, "from": "client", "raw": '{"a":'}
    assert end == b""


def test_an_entry_is_never_longer_than_readers_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(written, "LONGEST_ENTRY", 600)

    notice, entry, _ = as_text(7, Sender.SERVER, _line(bytes(500))).split(b"\n")

    assert json.loads(notice)["message"]["params"] == {"from": "server", "bytes": 500}
    assert json.loads(entry)["raw"] == "\0" * 100


def test_the_log_is_spelled_as_its_readers_expect() -> None:
    assert [*Sender] == [*sessionlog.Sender]
    assert written.VERSION_FIELD == sessionlog.VERSION_FIELD
    assert sessionlog.VERSIONS[-1] == written.VERSION
    assert (written.GAP, written.CUT) == (sessionlog.GAP, sessionlog.CUT)
    assert written.LONGEST_ENTRY < sessionlog.MAX_LINE - 1_000
