"""Whatever a server says, the host gets it, and the log can be read."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from stretto.proxy.entry import verbatim
from stretto.traces.ledger import Ledger
from stretto.traces.sessionlog import read_log
from tests.proxy.host import Host, entries, log_in, server
from tests.proxy.hostile import CASES

END = b'{"the":"end"}\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[Host]:
    """A host whose server says what it is told to."""
    with Host.behind_proxy(server("act"), "--record", str(folder)) as host:
        yield host


@pytest.mark.parametrize("name", CASES)
def test_the_host_gets_what_the_server_said(name: str, host: Host) -> None:
    said = CASES[name]
    host.send(json.dumps(["say", (said + END).hex()]).encode() + b"\n")

    assert host.exactly(len(said + END)) == said + END


def test_the_server_gets_what_the_host_said() -> None:
    with Host.behind_proxy(["cat"]) as mirror:
        for said in CASES.values():
            mirror.send(said)

            assert mirror.exactly(len(said)) == said


def test_the_log_of_it_all_reads_back(host: Host, folder: Path) -> None:
    assert host.end() == 0
    ledger = Ledger()
    log = read_log(log_in(folder), ledger)
    assert log is not None
    assert ledger.problems == []

    said = [e for e in entries(log_in(folder)) if e["from"] == "server"]
    lines = [line for case in CASES.values() for line in (case + END).split(b"\n")[:-1]]
    assert len(said) == len(lines)
    for entry, line in zip(said, lines, strict=True):
        assert ("raw" in entry) is (verbatim(line) is None)


def test_a_session_that_ends_in_mid_line_is_passed_on_and_logged(
    tmp_path: Path,
) -> None:
    with Host.behind_proxy(["cat"], "--record", str(tmp_path)) as host:
        host.send(b'{"id":1}\n{"unfinished":')
        host.hang_up()

        assert host.rest() == b'{"id":1}\n{"unfinished":'
        assert host.wait() == 0

    texts = [e.get("raw") for e in entries(log_in(tmp_path))]
    assert texts.count('{"unfinished":') == 2
