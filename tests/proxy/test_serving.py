"""A flow served through the proxy: processes, pipes, and the shop of the demo."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from stretto.cli.proxy_arguments import OWN_FAILURE
from stretto.demo.world import build
from stretto.episodes.episode import AssistantTurn, Episode
from stretto.learn.learn import learn
from stretto.traces.appended import HEADER
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read
from tests.claims import claim
from tests.proxy.conftest import SEED
from tests.proxy.host import INITIALIZE, PROXY, Host

SHOP = [sys.executable, "-m", "stretto.demo.server", "--seed", str(SEED)]
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


def email() -> str:
    """A customer with several orders."""
    customers = build(SEED).customers.values()
    return max(customers, key=lambda c: len(c.order_ids)).email


def open_session(host: Host) -> None:
    host.send(INITIALIZE)
    host.line()
    host.send(INITIALIZED)
    host.ask(1, "tools/list")


def texts(answer: dict[str, Any]) -> list[str]:
    return [item["text"] for item in answer["result"]["content"]]


def find(host: Host, id: int = 7) -> dict[str, Any]:
    found: dict[str, Any] = host.ask(
        id, name="find_customer", arguments={"email": email()}
    )
    return found


def decisions(folder: Path) -> list[dict[str, Any]]:
    [log] = folder.glob("*.flow.jsonl")
    return [json.loads(line) for line in log.read_text().splitlines()]


def session(folder: Path) -> Episode:
    [log] = [p for p in folder.glob("*.jsonl") if not p.name.endswith(".flow.jsonl")]
    [episode] = read([log])
    return episode


def lookups(episode: Episode) -> list[str]:
    return [
        call.tool
        for event in episode.events
        if isinstance(event, AssistantTurn)
        for call in event.calls
        if call.is_lookup
    ]


@claim("live:appended")
def test_lookups_come_back_in_the_agents_own_result(flow, tmp_path):
    with Host.behind_proxy(
        SHOP, "--flow", str(flow), "--record", str(tmp_path)
    ) as host:
        open_session(host)
        answer = find(host)
        assert host.end() == 0
        told = host.noted()[-1]

    own, added = texts(answer)
    assert (
        told
        == f"stretto-proxy: {added.count('get_')} lookups, added to 1 of the results"
    )
    assert json.loads(own)["customer_id"]
    assert added.startswith(f"{HEADER}\n\nget_customer ")
    assert "get_order" in added
    decided = [line for line in decisions(tmp_path) if "action" in line]
    made = [line["tool"] for line in decided if line["action"] == "lookup"]
    assert made == lookups(session(tmp_path))
    assert decided[-1]["action"] == "hand_back" or len(made) == 8
    assert {line["after"] for line in decided} == {7}


def test_a_flow_is_served_with_a_server_at_a_url(flow, tmp_path):
    served = ("--flow", str(flow), "--record", str(tmp_path))
    token = ("--upstream-header", "Authorization=SHOP_TOKEN")
    environment = {**os.environ, "SHOP_TOKEN": "Bearer not-to-be-logged"}
    with Host([*PROXY, "--listen", "127.0.0.1:0", "--", *SHOP]) as listener:
        url = listener.line().decode().strip()
        command = [*PROXY, *served, "--upstream", url, *token]
        with Host(command, env=environment) as host:
            open_session(host)
            own, added = texts(find(host))
            assert host.end() == 0

    assert json.loads(own)["customer_id"]
    assert added.startswith(f"{HEADER}\n\nget_customer ")
    logged = "".join(path.read_text() for path in tmp_path.iterdir())
    assert url in logged
    assert "not-to-be-logged" not in logged


def test_without_its_headers_variable_no_session_begins(monkeypatch):
    monkeypatch.delenv("SHOP_TOKEN", raising=False)
    token = ("--upstream-header", "Authorization=SHOP_TOKEN")
    with Host([*PROXY, "--upstream", "http://127.0.0.1:9/mcp", *token]) as host:
        assert host.end() == OWN_FAILURE
        assert "the environment has no SHOP_TOKEN" in host.noted()[-1]


def test_a_session_served_reads_learns_and_replays_like_any_other(flow, tmp_path):
    with Host.behind_proxy(
        SHOP, "--flow", str(flow), "--record", str(tmp_path)
    ) as host:
        open_session(host)
        find(host)
        host.end()
    ledger = Ledger()
    [log] = [p for p in tmp_path.glob("*.jsonl") if ".flow." not in p.name]
    episodes = list(read([log], ledger=ledger))

    again = learn(episodes, ledger.manifest).flow

    assert not ledger.problems
    assert "get_customer" in again.bindings.args


@claim("shadow:mode")
def test_in_shadow_the_result_is_the_servers_byte_for_byte(flow, tmp_path):
    with Host(SHOP) as host:
        open_session(host)
        plain = find(host)
        host.end()
    with Host.behind_proxy(
        SHOP, "--flow", str(flow), "--flow-shadow", "--record", str(tmp_path)
    ) as host:
        open_session(host)
        shadowed = find(host)
        host.end()

    assert shadowed == plain
    [first, *_] = decisions(tmp_path)
    assert (first["action"], first["tool"]) == ("lookup", "get_customer")
    assert first["shadow"] is True
    assert lookups(session(tmp_path)) == []


def test_only_granted_tools_are_called(flow, tmp_path):
    with Host.behind_proxy(
        SHOP, "--flow", str(flow), "--flow-tools", "get_order", "--record",
        str(tmp_path),
    ) as host:  # fmt: skip
        open_session(host)
        answer = find(host)
        host.end()

    assert len(texts(answer)) == 1
    [first, *_] = decisions(tmp_path)
    assert "withheld" in first


def test_a_tool_that_the_server_no_longer_marks_as_reading_is_not_called(flow):
    hinted = [*SHOP, "--hint", "get_customer=false"]
    with Host.behind_proxy(hinted, "--flow", str(flow)) as host:
        open_session(host)
        assert len(texts(find(host))) == 1
        host.end()


def test_a_flow_that_cannot_be_read_ends_the_proxy_before_the_server_starts(tmp_path):
    broken = tmp_path / "x.flow.json"
    broken.write_text('{"stretto_flow": 9}')

    with Host.behind_proxy(SHOP, "--flow", str(broken)) as host:
        noted = host.noted()
        assert host.wait() == 125

    assert "`stretto_flow` is 9" in noted[-1]


def test_a_server_that_dies_while_a_lookup_is_open_ends_the_session(flow):
    with Host.behind_proxy(SHOP, "--flow", str(flow)) as host:
        open_session(host)
        find(host)
        assert host.end() == 0


def test_a_flow_that_knows_no_tool_of_the_server_changes_no_byte(flow):
    echo = ["cat"]
    said = b'{"jsonrpc": "2.0", "id": 3.0, "x": 1e400}\n\xff\xfe\nnot json\n'
    with Host(echo) as host:
        host.send(said)
        plain = [host.line() for _ in range(3)]
        host.end()
    with Host.behind_proxy(echo, "--flow", str(flow)) as host:
        host.send(said)
        served = [host.line() for _ in range(3)]
        assert host.end() == 0

    assert served == plain


def test_the_last_line_without_a_line_feed_arrives_too(flow):
    with Host.behind_proxy(["cat"], "--flow", str(flow)) as host:
        host.send(b"half a line")
        host.hang_up()
        assert host.rest().rstrip(b"\n") == b"half a line"
        host.wait()


def test_commits_are_offered_and_made_call_by_call(tmp_path):
    with Host.behind_proxy(SHOP, "--commit", "--record", str(tmp_path)) as host:
        host.send(INITIALIZE)
        host.line()
        host.send(INITIALIZED)
        tools = host.ask(1, "tools/list")["result"]["tools"]
        answer = host.ask(
            2,
            name="stretto_commit",
            arguments={
                "calls": [{"name": "find_customer", "arguments": {"email": email()}}]
            },
        )
        host.end()

    assert tools[-1]["name"] == "stretto_commit"
    assert texts(answer)[0].startswith("find_customer {")


def test_what_was_said_beside_the_session_is_in_its_log(tmp_path):
    talk = tmp_path / "talk.jsonl"
    talk.write_text('{"role":"user","content":"where is my parcel?"}\n')
    logs = tmp_path / "logs"
    with Host.behind_proxy(SHOP, "--context", str(talk), "--record", str(logs)) as host:
        open_session(host)
        find(host)
        host.end()

    assert session(logs).events[0].text == "where is my parcel?"
