"""What an oracle is made from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

LATEST = "jev-latest"
"""The model asked for where none is named."""

MODEL = "TYPESAFE_DEFAULT_MODEL"
"""The variable that names another."""

FOLDER = Path(".oracle-cache")
"""Where commands keep answers."""


@dataclass(frozen=True, slots=True)
class OracleSettings:
    """What every oracle may make use of; each takes what it needs."""

    model: str | None = None
    """The model named on the command line."""
    cache: Path = FOLDER
    """The folder of kept answers."""
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The process's variables, keys among them: never shown."""


def model_of(settings: OracleSettings) -> str:
    """The model that requests name, which is part of their keys."""
    return settings.model or settings.environ.get(MODEL) or LATEST
