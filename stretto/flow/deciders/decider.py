"""The installed deciders, by name."""

from collections.abc import Callable
from typing import TypeAlias

from stretto.errors import CannotDecide
from stretto.flow.deciders.protocol import Decider, default_name
from stretto.flow.flow import Flow
from stretto.plugins import Registry

DeciderFactory: TypeAlias = Callable[[Flow], Decider]

DECIDERS: Registry[DeciderFactory] = Registry("stretto.deciders")


def decider(flow: Flow, name: str | None = None) -> Decider:
    """
    The decider of that name for `flow`, or the one the flow asks for.

    A flow with an arbiter asks for it; otherwise for reach where it holds reach
    counts, else for the habit.

    Raises:
        UnknownPlugin: no installed package provides that name.
        CannotDecide: the flow does not hold what the decider needs.
    """
    wanted = name or default_name(flow)
    if name is None and wanted not in DECIDERS.names():
        raise CannotDecide(
            f"the flow asks to be decided by its {wanted}, which is not installed",
            hint=f"name another: {', '.join(DECIDERS.names())}",
        )
    return DECIDERS.get(wanted)(flow)
