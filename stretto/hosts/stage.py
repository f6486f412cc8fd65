"""How far a server has come: recorded, watched by a flow, or served by one."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from stretto.home import Home, from_home

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Stage:
    """What the proxy does for one server."""

    server: str
    """The server's name, as folders and logs spell it."""
    domain: str | None = None
    record: Path | None = None
    """Where sessions are kept; None keeps none."""
    flow: Path | None = None
    decider: str | None = None
    is_shadow: bool = False
    """Whether the flow decides, and looks nothing up."""

    @property
    def options(self) -> tuple[str, ...]:
        """The proxy's options."""
        given = {
            "--record": None if self.record is None else from_home(self.record),
            "--domain": self.domain,
            "--server-name": self.server,
            "--flow": None if self.flow is None else str(self.flow),
            "--flow-decider": self.decider,
        }
        words = [w for pair in given.items() if pair[1] for w in pair if w]
        return (*words, "--flow-shadow") if self.is_shadow else tuple(words)

    def __str__(self) -> str:
        kept = "" if self.record is None else f"recorded to {from_home(self.record)}"
        if self.flow is None:
            return kept
        how = "watched" if self.is_shadow else "served"
        flow = f"{how} by {self.flow.name}"
        return f"{flow}, {kept}" if kept else flow


def recording(server: str, home: Home) -> Stage:
    """The first stage: nothing but a log of each session."""
    name = plain(server)
    return Stage(name, record=home.logs(name))


def watching(server: str, home: Home, flow: Path, *, has_reach: bool) -> Stage:
    """
    The second stage: a flow decides, and what it would have looked up is logged.

    By reach where it counted that, as it will be when it serves.
    """
    name, decider = plain(server), "reach" if has_reach else None
    shadow = Stage(name, record=home.shadow(name), flow=flow, decider=decider)
    return replace(shadow, is_shadow=True)


def serving(server: str, flow: Path) -> Stage:
    """The third stage: a flow looks up behind the agent's calls."""
    return Stage(plain(server), flow=flow)


def plain(name: str) -> str:
    """A name as folders and logs can have it; empty where nothing of it is left."""
    return _NOT_PLAIN.sub("-", name).strip("-")
