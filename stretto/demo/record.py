"""
Recorded sessions of the scripted agent at the shop, as a recording proxy writes them.

Each session is of one customer, and has a server of its own.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from stretto.canonical import Json
from stretto.demo.acts import Act
from stretto.demo.agent import Agent, Style, drawn_style
from stretto.demo.conversation import converse, greet
from stretto.demo.customer import Caller, Heard
from stretto.demo.server import NAME, served
from stretto.demo.wire import Wire
from stretto.demo.world import Customer, World, build
from stretto.errors import CannotWrite
from stretto.files import write_text

_OPENS = datetime(2026, 5, 4, 8, 30, tzinfo=UTC)
_APART = timedelta(minutes=7, seconds=11, milliseconds=137)
_PROCESS = 4_000


@dataclass(frozen=True, slots=True)
class Recording:
    """One session: its log, and who did what in it."""

    session: str
    log: str
    turns: tuple[Act, ...]
    """The agent's."""
    style: Style
    heard: tuple[Heard, ...]
    """What the customer said, the opening first."""


def record(folder: Path, *, sessions: int, seed: int, first: int = 0) -> list[Path]:
    """
    The logs of sessions `first` to `first + sessions - 1`, written into `folder`.

    A session's content depends on the seed and its index alone. Sixty in a row are of
    sixty different customers.

    Raises:
        CannotWrite: the folder cannot be made, or a log not written.
    """
    made(folder)
    world = build(seed)
    paths = []
    for index in range(first, first + sessions):
        recording = play(world, seed=seed, index=index)
        path = folder / f"{recording.session}.jsonl"
        write_text(path, recording.log)
        paths.append(path)
    return paths


def made(folder: Path) -> Path:
    """
    The folder, which now is there.

    Raises:
        CannotWrite: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise CannotWrite(f"{folder} cannot be made: {cause.strerror}") from cause
    return folder


def play(world: World, *, seed: int, index: int) -> Recording:
    """Session number `index`: one customer served, from a fresh copy of the world."""
    rng = random.Random(f"session/{seed}/{index}")
    with served(world) as (reads, writes):
        wire = Wire(reads, writes, rng)
        greet(wire)
        caller = Caller(world, _customer(world, seed, index), rng)
        style = drawn_style(rng)
        opening = caller.opening()
        turns = [*converse(wire, Agent(style), caller, opening)]
    answers = [turn.reply for turn in turns if isinstance(turn.reply, Heard)]
    session, log = logged(wire.entries, seed=seed, index=index)
    acts = tuple(turn.act for turn in turns)
    return Recording(session, log, acts, style, (opening, *answers))


def logged(
    entries: Sequence[str], *, seed: int, index: int, process: int = _PROCESS
) -> tuple[str, str]:
    """
    A session's name, and its log, as text.

    Args:
        process: The number of the first session's process.
    """
    start = _OPENS + _APART * index
    stamp = start.strftime("%Y%m%dT%H%M%S.%f")[:-3]
    session = f"{stamp}Z-{process + index}"
    header: dict[str, Json] = {
        "stretto_mcp_log": 2,
        "session": session,
        "started_unix_ms": int(start.timestamp() * 1_000),
        "server_command": [NAME, "--seed", str(seed)],
        "domain": "shop",
        "agent_model": "scripted",
    }
    first = json.dumps(header, separators=(",", ":"))
    return session, "\n".join([first, *entries, ""])


def _customer(world: World, seed: int, index: int) -> Customer:
    """Whose session it is: each round takes all customers, in an order of its own."""
    turn, place = divmod(index, len(world.customers))
    ids = list(world.customers)
    random.Random(f"round/{seed}/{turn}").shuffle(ids)
    return world.customers[ids[place]]
