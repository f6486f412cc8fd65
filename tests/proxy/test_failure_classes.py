"""Failures that proxies have been seen to have, where no other test stands for one."""

import json
import signal
from pathlib import Path

import pytest

from tests.proxy.engine.desk import line
from tests.proxy.engine.shop import ORDERS, asked, call, desk, lookups, result, silent
from tests.proxy.host import INITIALIZE, Host, request, server


def test_two_open_calls_with_one_id_are_both_answered_and_one_is_followed_up() -> None:
    at = desk(serves=silent)
    at.host_says(call(1))
    at.host_says(call(1, "find", email="z@b.c"))

    at.server_says(result(1))
    at.server_says(result(1, {"orders": ["W8"]}))
    at.wait(9)

    assert sorted(at.host) == sorted(
        [line(result(1)), line(result(1, {"orders": ["W8"]}))]
    )
    assert len(lookups(at)) == 1


def test_a_second_answer_to_a_call_passes_at_once_and_only_the_first_is_held() -> None:
    at = desk(serves=silent)
    at.host_says(call(1))
    at.server_says(result(1))

    at.server_says(result(1, "late"))

    assert at.host == [line(result(1, "late"))]
    at.wait(9)
    assert at.host == [line(result(1, "late")), line(result(1))]
    assert lookups(at) == [("get", {"id": ORDERS["orders"][0]})]


@pytest.mark.parametrize("options", [[], ["--commit"]], ids=["passing on", "acting"])
def test_what_a_server_says_arrives_while_it_hears_nothing(options: list[str]) -> None:
    said = b"y" * 1023 + b"\n"
    with Host.behind_proxy(["yes", said[:-1].decode()], *options) as host:
        host.send(bytes(160 * 1024))  # more than the pipe to the server holds

        assert host.exactly(2**20) == said * 2**10
        host.process.send_signal(signal.SIGTERM)
        host.rest()
        assert host.wait() == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    "options",
    [[], ["--record"], ["--commit"]],
    ids=["passing on", "recording", "acting"],
)
def test_a_server_hears_what_its_host_says_and_nothing_else(
    options: list[str], tmp_path: Path
) -> None:
    folder = [str(tmp_path)] if options == ["--record"] else []
    asks = [INITIALIZE, request(1, "tools/list"), request(2, name="t", arguments={})]
    with Host.behind_proxy(server("told"), *options, *folder) as host:
        for said in asks:
            host.send(said)
            heard = json.loads(host.line())["result"]["heard"]
        assert host.end() == 0

    assert heard == [json.loads(said) for said in asks]


def test_notifications_keep_their_place_among_the_answers() -> None:
    at = desk(serves=silent)
    changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    updated = {"jsonrpc": "2.0", "method": "notifications/resources/updated"}
    at.host_says(call(1, "cancel", id="W1"))
    said = [changed, result(1, "ok"), updated]

    for message in said:
        at.server_says(message)

    assert at.host == [line(message) for message in said]
    assert asked(at) == []
