"""Every byte passes as it came, both ways, whatever it is and however it is cut."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.proxy.pump import Outlet, Pump
from tests.proxy.host import PATIENCE_S, Host, peak_memory, server

CHUNKS = st.lists(st.binary(min_size=1, max_size=300), max_size=20)


@pytest.fixture(scope="module", params=["passing on", "recording"])
def mirror(request: pytest.FixtureRequest, tmp_path_factory) -> Iterator[Host]:
    """A server that says what it hears, behind a proxy."""
    folder = tmp_path_factory.mktemp("logs")
    options = ["--record", str(folder)] if request.param == "recording" else []
    with Host.behind_proxy(["cat"], *options) as host:
        yield host
        assert host.end() == 0


@given(chunks=CHUNKS)
@settings(max_examples=60, deadline=None)
def test_what_a_mirror_hears_it_says_byte_for_byte(mirror: Host, chunks) -> None:
    for chunk in chunks:
        mirror.send(chunk)
    sent = b"".join(chunks)

    assert mirror.exactly(len(sent)) == sent


@given(chunks=CHUNKS)
@settings(max_examples=60, deadline=None)
def test_a_pump_delivers_what_it_takes_in_order_and_then_the_end(chunks) -> None:
    heard: list[bytes] = []
    ended = threading.Event()
    reads, writes = os.pipe()
    Pump(reads, heard.append, ended.set).start()
    for chunk in chunks:
        os.write(writes, chunk)
    os.close(writes)

    assert ended.wait(PATIENCE_S)
    os.close(reads)
    assert b"".join(heard) == b"".join(chunks)
    assert heard[-1] == b"" not in heard[:-1]


def test_a_line_of_twelve_mebibytes_passes_and_is_in_the_log(tmp_path: Path) -> None:
    line = b'{"text":"' + b"y" * (12 * 2**20) + b'"}\n'
    with Host.behind_proxy(["cat"], "--record", str(tmp_path)) as host:
        writer = threading.Thread(target=host.send, args=[line])
        writer.start()
        heard = host.exactly(len(line))
        writer.join()
        assert host.end() == 0

    (log,) = tmp_path.iterdir()
    assert heard == line
    assert log.read_bytes().count(b'"message":' + line[:-1] + b"}\n") == 2


@pytest.mark.parametrize("options", [[], ["--record"]], ids=["passing on", "recording"])
def test_a_reader_that_lags_makes_the_server_wait_and_memory_stays(
    options: list[str], tmp_path: Path
) -> None:
    sent = 160
    options = [*options, str(tmp_path)] if options else []
    with Host.behind_proxy(server("act"), *options) as host:
        host.send(b'["flood", %d]\n' % sent)
        for _ in range(sent):
            assert len(host.exactly(2**20)) == 2**20
        peak = peak_memory(host.process.pid)
        assert host.end() == 0

    assert peak < (50 + (100 if options else 0)) * 2**20


def test_pipes_that_a_host_made_non_blocking_are_waited_for() -> None:
    stdin, stdout = os.pipe(), os.pipe()
    os.set_blocking(stdin[0], False)
    os.set_blocking(stdout[1], False)
    with Host.behind_proxy(["cat"], stdin=stdin[0], stdout=stdout[1]) as host:
        sent = os.urandom(2**19)
        writer = threading.Thread(target=_write_all, args=[stdin[1], sent])
        writer.start()
        os.close(stdin[0])
        os.close(stdout[1])
        with open(stdout[0], "rb") as reads:
            heard = reads.read()
        writer.join()
        assert host.wait() == 0

    assert heard == sent


def _write_all(fd: int, data: bytes) -> None:
    with open(fd, "wb") as writes:
        writes.write(data)


def test_an_outlet_whose_reader_is_gone_says_so_once_and_takes_the_rest() -> None:
    broken: list[None] = []
    reads, writes = os.pipe()
    os.close(reads)
    outlet = Outlet(writes, lambda: broken.append(None))
    outlet.write(b"one\n")
    outlet.write(b"two\n")
    os.close(writes)

    assert broken == [None]


def test_a_closed_outlet_leads_nowhere_and_its_reader_sees_the_end() -> None:
    reads, writes = os.pipe()
    outlet = Outlet(writes, lambda: None)
    outlet.write(b"one\n")
    outlet.close()
    outlet.write(b"two\n")

    assert os.read(reads, 100) == b"one\n"
    assert os.read(reads, 100) == b""
    os.fstat(writes)  # still taken, so that no other file gets its number
    os.close(reads)
    os.close(writes)


def test_writes_of_several_threads_are_not_mixed() -> None:
    reads, writes = os.pipe()
    outlet = Outlet(writes, lambda: None)
    lines = [bytes([letter]) * 100_000 + b"\n" for letter in b"abcd"]
    threads = [threading.Thread(target=outlet.write, args=[line]) for line in lines]
    for thread in threads:
        thread.start()
    with open(reads, "rb") as file:
        heard = [file.readline() for _ in lines]
    for thread in threads:
        thread.join()
    os.close(writes)

    assert sorted(heard) == lines
