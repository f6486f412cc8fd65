"""The demo's agent at a proxy that listens, its client the SDK's own."""

import json
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from stretto.canonical import Json
from stretto.demo.agent import Agent
from stretto.demo.conversation import converse
from stretto.demo.customer import Repeated
from stretto.demo.record import play
from stretto.demo.world import build
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read
from tests.claims import claim
from tests.proxy.conftest import SEED
from tests.proxy.host import PROXY, Host, server

SESSIONS = (40, 42)
WORLD = build(SEED)
SHOP = [sys.executable, "-m", "stretto.demo.server", "--seed", str(SEED)]
LEGACY, STATELESS = "legacy", "2026-07-28"


@contextmanager
def listening(*command: str) -> Iterator[tuple[str, Host]]:
    """Where a process listens that says so first; it has to end well."""
    with Host(command) as process:
        yield process.line().decode().strip(), process
        process.process.send_signal(signal.SIGTERM)
        assert process.wait() == 0


@contextmanager
def proxied(behind: str, *options: str) -> Iterator[tuple[str, Host]]:
    """A proxy that listens, with a process or with a URL behind it."""
    at = [*PROXY, "--listen", "127.0.0.1:0", *options]
    with ExitStack() as stack:
        if behind == "stdio":
            yield stack.enter_context(listening(*at, "--", *SHOP))
            return
        with Host(server("shop_http", str(SEED))) as shop:
            url = shop.line().decode().strip()
            yield stack.enter_context(listening(*at, "--upstream", url))
            stack.close()


class Desk:
    """The agent's end of a connection, as a conversation wants it."""

    def __init__(self, portal: BlockingPortal, client: Client, talk: Path) -> None:
        self._portal, self._client, self._talk = portal, client, talk

    def wait(self, _: tuple[int, int]) -> None:
        """Time does not matter here."""

    def said(self, role: str, text: str) -> None:
        with self._talk.open("a") as talk:
            print(json.dumps({"role": role, "content": text}), file=talk)

    def notify(self, method: str) -> None:
        raise AssertionError(method)

    def ask(self, method: str, *params: Mapping[str, Json]) -> list[dict[str, Json]]:
        assert method == "tools/call"
        return self._portal.call(self._ask, params)

    async def _ask(self, params: tuple[Mapping[str, Any], ...]) -> list[dict[str, Any]]:
        answers: list[dict[str, Any]] = [{} for _ in params]

        async def call(nth: int) -> None:
            made = params[nth]
            result = await self._client.call_tool(made["name"], made["arguments"])
            said = result.model_dump(by_alias=True, mode="json", exclude_none=True)
            answers[nth] = {"result": said}

        async with anyio.create_task_group() as group:
            for nth in range(len(params)):
                group.start_soon(call, nth)
        return answers


@contextmanager
def connected(url: str, era: str, name: str, talk: Path) -> Iterator[Desk]:
    """A client of a session that its host gave a name."""
    headers = {"Stretto-Session": name}
    with start_blocking_portal() as portal, ExitStack() as stack:
        http = httpx2.AsyncClient(headers=headers)
        stack.enter_context(portal.wrap_async_context_manager(http))
        client = Client(streamable_http_client(url, http_client=http), mode=era)
        stack.enter_context(portal.wrap_async_context_manager(client))
        portal.call(client.list_tools)
        yield Desk(portal, client, talk)


def logged(folder: Path) -> list[Path]:
    """The logs of the sessions."""
    return sorted(p for p in folder.glob("*.jsonl") if ".flow." not in p.name)


@claim("live:appended")
@pytest.mark.parametrize("behind", ["stdio", "http"])
def test_the_agent_takes_fewer_turns_with_a_flow_that_a_listening_proxy_serves(
    flow: Path, tmp_path: Path, behind: str
) -> None:
    logs = tmp_path / "logs"
    served = ("--flow", str(flow), "--record", str(logs))
    beside = ("--context", str(tmp_path / "{session}.talk"))
    without, turns = 0, dict.fromkeys((LEGACY, STATELESS), 0)
    with proxied(behind, *served, *beside) as (url, _):
        for nth in SESSIONS:
            recorded = play(WORLD, seed=SEED, index=nth)
            opening, *answers = recorded.heard
            without += len(recorded.turns)
            for era in turns:
                name = f"{era}-{nth}"
                with connected(url, era, name, tmp_path / f"{name}.talk") as desk:
                    agent, customer = Agent(recorded.style), Repeated(answers)
                    turns[era] += len([*converse(desk, agent, customer, opening)])

    assert turns[LEGACY] < without
    assert turns[STATELESS] < without
    ledger = Ledger()
    episodes = list(read(logged(logs), ledger=ledger))
    assert len(episodes) == 2 * len(SESSIONS)
    assert not ledger.problems
    for log, episode in zip(logged(logs), episodes, strict=True):
        decided = log.with_suffix(".flow.jsonl").read_text().splitlines()
        decisions = map(json.loads, decided)
        lookups = [d for d in decisions if d.get("action") == "lookup"]
        calls = [call for turn in episode.turns for call in turn.calls]
        made = [call for call in calls if call.is_lookup]
        assert [(d["tool"], d["arguments"]) for d in lookups] == [
            (call.tool, call.arguments) for call in made
        ]
        assert {str(d["after"]) for d in lookups} <= {call.id for call in calls}
