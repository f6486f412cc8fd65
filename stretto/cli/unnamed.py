"""Whom a flow's decider asks where nobody named an oracle, or who decides instead."""

from collections.abc import Mapping
from typing import NamedTuple

from stretto.flow.deciders.decider import decider
from stretto.flow.deciders.protocol import Decider
from stretto.flow.flow import Flow
from stretto.oracle.usual import JEV, Unproven, usual


class Unnamed(NamedTuple):
    """Who decides, and whom they ask."""

    decider: Decider
    oracle: str | None
    """None where they ask nobody."""
    warning: str = ""
    """What is not as one would wish; empty where nothing is."""


def unnamed(
    flow: Flow, found: Decider, environ: Mapping[str, str], *, is_named: bool
) -> Unnamed:
    """
    The oracle that is usual for a decider that asks.

    Where that is nobody, the habit decides in place of a decider that nobody named; one
    that was named asks Jev, and is told that the key is missing.

    Raises:
        FormatError: a model of one's own lies in stretto's folder and cannot be read.
    """
    if found.state() is None:
        return Unnamed(found, None)
    oracle = usual(flow.model, environ)
    if not isinstance(oracle, Unproven):
        return Unnamed(found, oracle)
    if is_named:
        return Unnamed(found, JEV, str(oracle))
    return Unnamed(decider(flow, "habit"), None, f"{oracle}; the habit decides")
