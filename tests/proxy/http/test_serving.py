"""`stretto-proxy --listen` with a flow, as a process and from its command line."""

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from stretto.cli.proxy_arguments import OWN_FAILURE
from stretto.demo.world import build
from stretto.proxy.appendix import HEADER
from stretto.traces.reader import read
from tests.claims import claim
from tests.proxy.conftest import SEED
from tests.proxy.host import PROXY, Host
from tests.proxy.http.simulated import repeating, stateless

SHOP = [sys.executable, "-m", "stretto.demo.server", "--seed", str(SEED)]
EMAIL = max(build(SEED).customers.values(), key=lambda c: len(c.order_ids)).email
FIND = stateless(
    {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {"name": "find_customer", "arguments": {"email": EMAIL}},
    }
)


@contextmanager
def listening(*options: str) -> Iterator[tuple[str, list[str]]]:
    """Where a proxy listens in front of the shop, and what it notes to its end."""
    noted: list[str] = []
    with Host([*PROXY, "--listen", "127.0.0.1:0", *options, "--", *SHOP]) as listener:
        yield listener.line().decode().strip(), noted
        listener.process.send_signal(signal.SIGTERM)
        assert listener.wait() == 0
        noted += listener.noted()


def find(url: str, **headers: str) -> list[str]:
    """The texts that a call of the stateless revision gets."""
    said = {name.decode(): value.decode() for name, value in repeating(FIND)}
    answered = httpx2.post(url, json=FIND, headers={**said, **headers})
    content: list[dict[str, Any]] = answered.json()["result"]["content"]
    return [item["text"] for item in content]


def test_a_call_that_names_no_session_has_lookups_added_to_its_result(
    flow: Path, tmp_path: Path
) -> None:
    with listening("--flow", str(flow), "--record", str(tmp_path)) as (url, noted):
        own, added = find(url)

    assert json.loads(own)["customer_id"]
    assert added.startswith(f"{HEADER}\n\nget_customer ")
    n_lookups = added.count("\nget_")
    assert noted[-1].endswith(f"{n_lookups} lookups, added to 1 of the results")
    [log] = [path for path in tmp_path.glob("*.jsonl") if ".flow." not in path.name]
    [episode] = read([log])
    calls = [call for turn in episode.turns for call in turn.calls]
    assert sum(call.is_lookup for call in calls) == n_lookups


@claim("shadow:mode")
def test_in_shadow_decisions_are_logged_and_the_result_is_the_servers(
    flow: Path, tmp_path: Path
) -> None:
    log = str(tmp_path / "{session}.decisions")
    with listening("--flow", str(flow), "--flow-shadow", "--flow-log", log) as (url, _):
        assert len(find(url, **{"Stretto-Session": "desk-4"})) == 1

    [first, *_] = (tmp_path / "desk-4.decisions").read_text().splitlines()
    decision = json.loads(first)
    assert (decision["after"], decision["tool"]) == (7, "get_customer")
    assert decision["shadow"] is True


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--flow", "no.flow.json"), "no.flow.json"),
        (("--flow", "{flow}", "--flow-log", "no/where.jsonl"), "cannot be written"),
        (("--flow", "{flow}", "--flow-decider", "arbiter"), "arbiter"),
    ],
)
def test_what_cannot_be_served_is_said_before_anything_is_listened_to(
    flow: Path, options: tuple[str, ...], why: str
) -> None:
    given = [option.format(flow=flow) for option in options]
    with Host([*PROXY, "--listen", "127.0.0.1:0", *given, "--", *SHOP]) as listener:
        noted = listener.noted()
        assert listener.wait() == OWN_FAILURE

    assert why in noted[-1]
    assert not any("listening at" in line for line in noted)
