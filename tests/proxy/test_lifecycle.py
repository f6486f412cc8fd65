"""Whoever ends first and however, the rest ends too, and says how."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.proxy.host import PROXY, Host, Watched, server

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="processes are watched by pidfd"
)

FOREVER = ("--grace", "3600")
"""So long that nothing a test sees is the grace's doing."""
AT_ONCE = ("--grace", "0.05")


@pytest.fixture
def watched() -> Iterator[list[Watched]]:
    """Processes to be killed should a test leave them."""
    processes: list[Watched] = []
    yield processes
    for process in processes:
        process.close()


def act(*what: object) -> bytes:
    return json.dumps(what).encode() + b"\n"


def _introduced(host: Host, watched: list[Watched]) -> Watched:
    """The server, which says its process id first."""
    watched.append(Watched(json.loads(host.line())["pid"]))
    return watched[-1]


def test_a_host_that_hangs_up_ends_the_server(watched: list[Watched]) -> None:
    with Host.behind_proxy(server("stubborn"), *FOREVER) as host:
        process = _introduced(host, watched)

        assert host.end() == 0
        assert process.has_ended()


def test_a_server_that_ignores_the_end_of_its_input_is_told_by_a_signal() -> None:
    with Host.behind_proxy(server("stubborn", "eof"), *AT_ONCE) as host:
        assert host.line()

        assert host.end() == 128 + signal.SIGTERM


def test_a_server_that_ignores_signals_too_is_killed(watched: list[Watched]) -> None:
    with Host.behind_proxy(server("stubborn", "eof", "term"), *AT_ONCE) as host:
        process = _introduced(host, watched)

        assert host.end() == 128 + signal.SIGKILL
        assert process.has_ended()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_the_server_gets_the_signal_that_the_proxy_got(name: str) -> None:
    number = signal.Signals[name]
    with Host.behind_proxy(server("stubborn", "eof"), *FOREVER) as host:
        assert host.line()
        host.process.send_signal(number)

        assert host.wait() == 128 + number


def test_a_server_that_ignores_the_signal_is_killed_after_the_grace() -> None:
    with Host.behind_proxy(server("stubborn", "eof", "term"), *AT_ONCE) as host:
        assert host.line()
        host.process.send_signal(signal.SIGTERM)

        assert host.wait() == 128 + signal.SIGKILL


def test_the_same_signal_again_kills_without_waiting() -> None:
    with Host.behind_proxy(server("stubborn", "eof", "term"), *FOREVER) as host:
        assert host.line()
        host.process.send_signal(signal.SIGTERM)
        assert host.line() == b'"eof"\n'
        assert host.process.poll() is None
        host.process.send_signal(signal.SIGTERM)

        assert host.wait() == 128 + signal.SIGKILL


def test_another_signal_is_passed_on_too() -> None:
    with Host.behind_proxy(server("stubborn", "eof", "int"), *FOREVER) as host:
        assert host.line()
        host.process.send_signal(signal.SIGINT)
        assert host.line() == b'"eof"\n'
        host.process.send_signal(signal.SIGTERM)

        assert host.wait() == 128 + signal.SIGTERM


def test_a_signal_that_the_proxy_was_started_to_ignore_ends_nothing() -> None:
    command = [*PROXY, *FOREVER, "--", *server("stubborn")]
    with Host(["nohup", *command]) as host:
        assert host.line()
        host.process.send_signal(signal.SIGHUP)
        host.send(b"still here\n")

        assert host.line() == b"still here\n"
        assert host.end() == 0


def test_a_killed_proxy_takes_a_deaf_server_with_it(watched: list[Watched]) -> None:
    with Host.behind_proxy(server("stubborn", "eof", "term")) as host:
        process = _introduced(host, watched)
        host.process.kill()

        assert process.has_ended()


def test_a_server_dies_with_the_proxy_also_where_the_watcher_was_killed(
    watched: list[Watched],
) -> None:
    with Host.behind_proxy(server("stubborn", "eof")) as host:
        process = _introduced(host, watched)
        proxy = host.process.pid
        children = Path(f"/proc/{proxy}/task/{proxy}/children").read_text().split()
        (watcher,) = {*map(int, children)} - {process.pid}
        os.kill(watcher, signal.SIGKILL)
        host.process.kill()

        assert process.has_ended()


def test_killing_the_proxys_group_takes_the_server_along(
    watched: list[Watched],
) -> None:
    deaf = server("stubborn", "eof", "term", "hup", "int")
    with Host.behind_proxy(deaf, start_new_session=True) as host:
        process = _introduced(host, watched)
        os.killpg(host.process.pid, signal.SIGKILL)

        assert process.has_ended()


def test_what_a_shell_started_dies_with_a_killed_proxy(watched: list[Watched]) -> None:
    deaf = " ".join(server("stubborn", "eof", "term", "hup"))
    with Host.behind_proxy(["sh", "-c", f"{deaf}; true"]) as host:
        process = _introduced(host, watched)
        host.process.kill()

        assert process.has_ended()


def test_a_killed_proxy_does_not_reach_what_left_the_servers_group(
    watched: list[Watched],
) -> None:
    with Host.behind_proxy(server("parent", "escape")) as host:
        said = json.loads(host.line())
        process, child = Watched(said["pid"]), Watched(said["child"])
        watched += [process, child]
        host.process.kill()

        assert process.has_ended()
        assert not child.has_ended(within_s=0.1)


def test_a_server_that_dies_in_mid_call_ends_the_session_with_its_status() -> None:
    with Host.behind_proxy(server("act"), *FOREVER) as host:
        host.send(act("exit", 7))

        assert host.rest() == b""
        assert host.wait() == 7


def test_a_server_that_a_signal_kills_is_told_by_its_number() -> None:
    with Host.behind_proxy(server("act"), *FOREVER) as host:
        host.send(act("die", signal.SIGSEGV))

        assert host.rest() == b""
        assert host.wait() == 128 + signal.SIGSEGV


def test_what_a_server_says_last_reaches_the_host() -> None:
    with Host.behind_proxy(server("act"), *FOREVER) as host:
        host.send(act("flood", 2) + act("say", b"the end".hex()) + act("exit", 0))

        said = host.rest()

        assert len(said) == 2 * 2**20 + len(b"the end")
        assert said.endswith(b"\nthe end")
        assert host.wait() == 0


def test_what_an_ended_server_left_running_is_ended(watched: list[Watched]) -> None:
    with Host.behind_proxy(server("parent", "leave"), *AT_ONCE) as host:
        said = json.loads(host.line())
        watched.append(Watched(said["child"]))

        assert host.rest() == b""
        assert host.wait() == 3
        assert watched[0].has_ended()


def test_a_server_that_closes_its_output_is_heard_to_have_ended() -> None:
    with Host.behind_proxy(server("act"), *FOREVER) as host:
        host.send(act("close"))

        assert host.rest() == b""
        assert host.process.poll() is None
        assert host.end() == 0


def test_a_host_that_stops_reading_ends_the_session(watched: list[Watched]) -> None:
    with Host.behind_proxy(server("stubborn"), *FOREVER) as host:
        process = _introduced(host, watched)
        host.process.stdout.close()
        host.send(b"for nobody\n")

        assert host.wait() == 0
        assert process.has_ended()


def test_a_server_that_reads_nothing_can_be_ended(watched: list[Watched]) -> None:
    with Host.behind_proxy(server("parent"), *AT_ONCE) as host:
        process = _introduced(host, watched)
        host.send(
            bytes(160 * 1024)
        )  # more than the server's pipe holds, and the host's
        host.process.send_signal(signal.SIGTERM)

        assert host.wait() == 128 + signal.SIGTERM
        assert process.has_ended()


def test_a_server_that_cannot_be_started_is_the_proxys_failure(tmp_path: Path) -> None:
    with Host.behind_proxy(["no-such-server"], "--record", str(tmp_path)) as host:
        assert host.rest() == b""
        assert host.wait() == 125

        (told,) = host.noted()
        assert told.startswith("stretto-proxy: no-such-server cannot be started")
        assert "PATH" in told
        assert [*tmp_path.iterdir()] == []
