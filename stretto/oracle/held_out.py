"""Which oracle to ask about a recorded session: one that never saw its task."""

from typing import Protocol, runtime_checkable

from stretto.oracle.oracle import Oracle


@runtime_checkable
class Learned(Protocol):
    """An oracle that was learned from recorded sessions."""

    def held_out(self, task: str) -> Oracle:
        """The same oracle as learned without that task, where it was learned from."""


def held_out(oracle: Oracle, task: str) -> Oracle:
    """
    What to ask about a recorded session of `task`, to learn from it or to measure.

    An oracle that was learned from the task itself would know the answer; any other is
    given back as it is.
    """
    return oracle.held_out(task) if isinstance(oracle, Learned) else oracle
