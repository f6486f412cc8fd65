"""The folder that stretto keeps things in, where nobody named another."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "STRETTO_HOME"


@dataclass(frozen=True, slots=True)
class Home:
    """A folder for what is recorded, a folder within it for each server."""

    root: Path

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Home":
        """The folder that `STRETTO_HOME` names, else `~/.stretto`; it may not exist."""
        named = environment.get(VARIABLE)
        return cls(Path(named).expanduser() if named else Path.home() / ".stretto")

    def logs(self, server: str) -> Path:
        """Where a server's sessions are recorded, to learn from."""
        return self.root / "logs" / server

    @property
    def oracle_cache(self) -> Path:
        """Where the answers of a proxy's oracle are kept."""
        return self.root / "oracle-cache"

    def shadow(self, server: str) -> Path:
        """
        Where they are recorded while a flow only watches.

        Apart from the others, so that a flow is not learned from its own test.
        """
        return self.root / "shadow" / server


def from_home(path: Path) -> str:
    """A path as `~/…` where it is below the user's home folder; as it is elsewhere."""
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except ValueError:
        return str(path)
