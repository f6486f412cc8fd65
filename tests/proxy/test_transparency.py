"""A server behind a proxy finds what it would find without one."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.proxy.host import PROXY, Host, server

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the servers look at /proc"
)

ABOUT = b'["about"]\n'


def _about(host: Host) -> dict:
    host.send(ABOUT)
    return json.loads(host.line())


def test_environment_folder_and_standard_error_are_the_hosts(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "ODD": "a=b\n\udcff"}
    notes = tmp_path / "notes"
    with (
        notes.open("w") as stderr,
        Host.behind_proxy(server("act"), env=env, cwd=tmp_path, stderr=stderr) as host,
    ):
        about = _about(host)
        assert host.end() == 0

    assert about["env"] == env
    assert about["cwd"] == str(tmp_path)
    assert about["stderr"] == str(notes)
    assert notes.read_text() == ""


def test_the_server_inherits_what_the_host_left_open_and_nothing_of_the_proxys(
    tmp_path: Path,
) -> None:
    reads, writes = os.pipe()
    with Host(server("act"), pass_fds=[reads]) as host:
        direct = _about(host)
        host.end()
    with Host.behind_proxy(
        server("act"), "--record", str(tmp_path), pass_fds=[reads]
    ) as host:
        behind = _about(host)
        host.end()
    os.close(reads)
    os.close(writes)

    assert behind["open"] == direct["open"]
    assert reads in behind["open"]


def test_a_session_without_recording_says_nothing_of_its_own() -> None:
    with Host.behind_proxy(server("echo")) as host:
        assert host.ask(1, "tools/list")["id"] == 1
        assert host.end() == 0
        assert host.noted() == []


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_a_standard_stream_that_the_host_closed_is_no_other_files(
    closed: str, tmp_path: Path
) -> None:
    record = tmp_path / "logs"
    command = [*PROXY, "--record", str(record), "--", *server("act")]
    with Host(["sh", "-c", f'"$@" {closed}', "sh", *command]) as host:
        if "0" not in closed:
            host.send(b'["say", "7b7d0a"]\n')
        assert host.end() == 0
        said = host.rest()

    assert said == (b"" if "0" in closed or "1" in closed else b"{}\n")
    for log in record.iterdir():
        assert all(json.loads(line) for line in log.read_bytes().splitlines())
