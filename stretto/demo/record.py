"""
Recorded sessions of the scripted agent at the shop, as a recording proxy writes them.

Each session is of one customer, and has a server of its own.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from stretto import __version__
from stretto.canonical import Json
from stretto.demo.acts import Act, Call, Reply, Result, Say
from stretto.demo.agent import Agent, drawn_style
from stretto.demo.customer import Caller
from stretto.demo.server import NAME, served
from stretto.demo.wire import SPEAKING_MS, THINKING_MS, Wire
from stretto.demo.world import Customer, World, build
from stretto.errors import CannotWrite
from stretto.files import write_text

PROTOCOL = "2025-11-25"
_OPENS = datetime(2026, 5, 4, 8, 30, tzinfo=UTC)
_APART = timedelta(minutes=7, seconds=11, milliseconds=137)


@dataclass(frozen=True, slots=True)
class Recording:
    """One session: its log, and the turns the agent made."""

    session: str
    log: str
    turns: tuple[Act, ...]


def record(folder: Path, *, sessions: int, seed: int, first: int = 0) -> list[Path]:
    """
    The logs of sessions `first` to `first + sessions - 1`, written into `folder`.

    A session's content depends on the seed and its index alone. Sixty in a row are of
    sixty different customers.

    Raises:
        CannotWrite: the folder cannot be made, or a log not written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise CannotWrite(f"{folder} cannot be made: {cause.strerror}") from cause
    world = build(seed)
    paths = []
    for index in range(first, first + sessions):
        recording = play(world, seed=seed, index=index)
        path = folder / f"{recording.session}.jsonl"
        write_text(path, recording.log)
        paths.append(path)
    return paths


def play(world: World, *, seed: int, index: int) -> Recording:
    """Session number `index`: one customer served, from a fresh copy of the world."""
    rng = random.Random(f"session/{seed}/{index}")
    with served(world) as (reads, writes):
        wire = Wire(reads, writes, rng)
        _open(wire)
        caller = Caller(world, _customer(world, seed, index), rng)
        turns = tuple(_converse(wire, Agent(drawn_style(rng)), caller))
    start = _OPENS + _APART * index
    stamp = start.strftime("%Y%m%dT%H%M%S.%f")[:-3]
    session = f"{stamp}Z-{4_000 + index}"
    header: dict[str, Json] = {
        "stretto_mcp_log": 2,
        "session": session,
        "started_unix_ms": int(start.timestamp() * 1_000),
        "server_command": [NAME, "--seed", str(seed)],
        "domain": "shop",
        "agent_model": "scripted",
    }
    first = json.dumps(header, separators=(",", ":"))
    return Recording(session, "\n".join([first, *wire.entries, ""]), turns)


def _open(wire: Wire) -> None:
    about: dict[str, Json] = {
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "stretto-demo", "version": __version__},
    }
    wire.ask("initialize", about)
    wire.notify("notifications/initialized")
    wire.ask("tools/list", {})


def _converse(wire: Wire, agent: Agent, caller: Caller) -> Iterator[Act]:
    """The agent's turns, each put on the wire and answered."""
    opening = caller.opening()
    wire.said("user", opening.text)
    turns = agent.serve(opening)
    act = next(turns)
    while True:
        wire.wait(THINKING_MS)
        yield act
        try:
            act = turns.send(_reply(wire, act, caller))
        except StopIteration:
            return


def _reply(wire: Wire, act: Act, caller: Caller) -> Reply:
    """What becomes of a turn: the server's results, or the customer's words."""
    if not isinstance(act, Say):
        return tuple(map(_result, wire.ask("tools/call", *map(_params, act))))
    wire.said("assistant", act.text)
    heard = caller.answer(act.need) if act.need else None
    if heard is not None:
        wire.wait(SPEAKING_MS)
        wire.said("user", heard.text)
    return heard


def _params(call: Call) -> dict[str, Json]:
    return {"name": call.tool, "arguments": {**call.arguments}}


def _result(response: dict[str, Json]) -> Result:
    """A response's result; the shop answers every call with one text."""
    match response:
        case {"result": {"isError": bool(failed), "content": [{"text": str(text)}]}}:
            return Result(failed, text)
        case _:
            raise ConnectionError(f"no tool's answer: {response}")


def _customer(world: World, seed: int, index: int) -> Customer:
    """Whose session it is: each round takes all customers, in an order of its own."""
    turn, place = divmod(index, len(world.customers))
    ids = list(world.customers)
    random.Random(f"round/{seed}/{turn}").shuffle(ids)
    return world.customers[ids[place]]
