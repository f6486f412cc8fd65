"""A recorded session is the session: what passed, in the order in which it could."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stretto.episodes.episode import AssistantTurn, ToolResult
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read
from tests.proxy.host import (
    INITIALIZE,
    PROXY,
    Host,
    entries,
    log_in,
    peak_memory,
    request,
    server,
)

ECHO = server("echo")


def _calls(n: int, first: int = 0) -> Iterator[bytes]:
    for id in range(first, first + n):
        yield request(id, name="echo", arguments={"text": f"text {id}"})


def test_a_recorded_session_is_read_as_what_went_over_the_wire(tmp_path: Path) -> None:
    options = ["--record", str(tmp_path), "--domain", "shop", "--agent-model", "m"]
    with Host.behind_proxy(ECHO, *options) as host:
        sent = [INITIALIZE, request(1, "tools/list"), *_calls(3, first=2)]
        heard = []
        for line in sent:
            host.send(line)
            heard.append(host.line())
        assert host.end() == 0

    logged = entries(log_in(tmp_path))
    lines = log_in(tmp_path).read_bytes().splitlines()[1:]
    wire = [line for pair in zip(sent, heard, strict=True) for line in pair]
    assert [e["from"] for e in logged] == ["client", "server"] * 5
    for entry, line in zip(lines, wire, strict=True):
        assert entry.endswith(b'"message":' + line[:-1] + b"}")

    ledger = Ledger()
    (episode,) = read([tmp_path], ledger=ledger)
    assert ledger.problems == []
    assert ledger.manifest.tools == {"echo": "read"}
    assert (episode.id, episode.domain) == (log_in(tmp_path).stem, "shop")
    assert episode.agent == "m"
    calls = [c for e in episode.events if isinstance(e, AssistantTurn) for c in e.calls]
    results = [e.content for e in episode.events if isinstance(e, ToolResult)]
    assert [call.arguments for call in calls] == [
        {"text": f"text {id}"} for id in range(2, 5)
    ]
    assert results == ["text 2", "text 3", "text 4"]


def test_the_header_says_how_the_session_came_about(tmp_path: Path) -> None:
    options = ["--record", str(tmp_path), "--server-name", "echo"]
    with Host.behind_proxy([*ECHO, "--token", "K"], *options) as host:
        host.send(INITIALIZE)
        host.line()
        assert host.end() == 0
        (told,) = host.noted()

    path = log_in(tmp_path)
    header = json.loads(path.read_bytes().split(b"\n")[0])
    assert told == f"stretto-proxy: recording to {path}"
    assert header["server_command"] == [*ECHO, "--token", "<redacted>"]
    assert header["session"] == path.stem
    assert path.stem.endswith(f"Z-{host.process.pid}")
    assert header["host_session"] == f"host-{os.getpid()}"
    assert header["server_name"] == "echo"


def test_a_host_may_name_its_session(tmp_path: Path) -> None:
    env = {**os.environ, "STRETTO_SESSION": "chat-7"}
    with Host.behind_proxy(ECHO, "--record", str(tmp_path), env=env) as host:
        host.send(INITIALIZE)
        host.line()
        assert host.end() == 0

    header = json.loads(log_in(tmp_path).read_bytes().split(b"\n")[0])
    assert header["host_session"] == "chat-7"


@pytest.mark.parametrize("asks", [[], [request(1, "server/discover")]])
def test_a_start_that_only_probes_leaves_no_log(
    asks: list[bytes], tmp_path: Path
) -> None:
    with Host.behind_proxy(ECHO, "--record", str(tmp_path)) as host:
        for line in asks:
            host.send(line)
            assert host.line()
        assert host.end() == 0
        assert host.noted() == []

    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("calls", "callers"),
    [(1_000, 64), pytest.param(100_000, 64, marks=pytest.mark.slow)],
)
def test_calls_side_by_side_are_all_answered_and_logged_after_their_question(
    calls: int, callers: int, tmp_path: Path
) -> None:
    free = threading.Semaphore(callers)
    answers: list[int] = []
    peaks: list[int] = []

    def hear() -> None:
        for n in range(calls):
            answers.append(json.loads(host.line())["id"])
            free.release()
            if n in (calls // 4, calls - 1):
                peaks.append(peak_memory(host.process.pid))

    with Host.behind_proxy(ECHO, "--record", str(tmp_path)) as host:
        hears = threading.Thread(target=hear)
        hears.start()
        for line in _calls(calls):
            free.acquire()
            host.send(line)
        hears.join()
        assert host.end() == 0

    assert answers == [*range(calls)]
    assert peaks[1] - peaks[0] < 8 * 2**20
    asked: set[int] = set()
    order: dict[str, list[int]] = {"client": [], "server": []}
    times = []
    for entry in entries(log_in(tmp_path)):
        order[entry["from"]].append(entry["message"]["id"])
        times.append(entry["t_ms"])
        if entry["from"] == "client":
            asked.add(entry["message"]["id"])
        assert entry["message"]["id"] in asked
    assert order == {"client": [*range(calls)], "server": [*range(calls)]}
    assert times == sorted(times)


def test_a_full_disk_ends_recording_and_nothing_else(tmp_path: Path) -> None:
    """The kernel refuses the log's growth in the middle of a line."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000))"
    python, c, starts = PROXY
    limited = [python, c, f"{limit}; {starts}"]
    with Host([*limited, "--record", str(tmp_path), "--", *ECHO]) as host:
        host.send(INITIALIZE)
        assert host.line()
        for id, line in enumerate(_calls(50)):
            host.send(line)
            assert json.loads(host.line())["id"] == id
        assert host.end() == 0
        named, stopped = host.noted()

    path = log_in(tmp_path)
    assert named == f"stretto-proxy: recording to {path}"
    assert stopped == f"stretto-proxy: recording stopped: {path}: File too large"
    assert path.read_bytes().endswith(b"}\n")
    assert len(entries(path)) > 5
    ledger = Ledger()
    assert len([*read([path], ledger=ledger)]) == 1
    assert ledger.problems == []


def test_a_log_that_grows_long_goes_on_in_another_file_and_is_one_session(
    tmp_path: Path,
) -> None:
    text = "x" * 600_000
    options = ["--record", str(tmp_path), "--log-size", "1"]
    with Host.behind_proxy(ECHO, *options) as host:
        for id in range(3):
            host.ask(id, name="echo", arguments={"text": text})
        assert host.end() == 0

    assert len([*tmp_path.iterdir()]) > 2
    ledger = Ledger()
    (episode,) = read([tmp_path], ledger=ledger)
    assert ledger.problems == []
    results = [e for e in episode.events if isinstance(e, ToolResult)]
    assert [result.content for result in results] == [text] * 3


def test_old_logs_are_deleted_when_a_new_one_begins(tmp_path: Path) -> None:
    old = tmp_path / "20200102T030405.678Z-4321.jsonl"
    old.write_text(json.dumps({"stretto_mcp_log": 2, "session": old.stem}) + "\n")
    os.utime(old, (0, 0))
    options = ["--record", str(tmp_path), "--retain-days", "30"]
    with Host.behind_proxy(ECHO, *options) as host:
        host.send(INITIALIZE)
        host.line()
        assert host.end() == 0
        assert "deleted 1 logs older than 30 days" in host.noted()[1]

    assert log_in(tmp_path) != old
