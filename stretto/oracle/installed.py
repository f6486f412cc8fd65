"""The installed oracles, by name."""

from collections.abc import Callable
from typing import TypeAlias

from stretto.oracle.oracle import Oracle
from stretto.oracle.settings import OracleSettings
from stretto.plugins import Registry

OracleFactory: TypeAlias = Callable[[OracleSettings], Oracle]

ORACLES: Registry[OracleFactory] = Registry("stretto.oracles")


def oracle(name: str, settings: OracleSettings) -> Oracle:
    """
    The oracle of that name.

    Raises:
        UnknownPlugin: no installed package provides that name.
        BrokenPlugin: one does, and it does not load.
        OracleError: the settings lack what it needs, such as a key.
    """
    return ORACLES.get(name)(settings)
