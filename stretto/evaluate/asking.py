"""When a flow's program asks for a decision, given what became of those before."""

from dataclasses import dataclass, field
from typing import TypeAlias

from stretto.episodes.site import Site
from stretto.flow.behind import run_behind
from stretto.flow.caps import PER_CALL
from stretto.flow.decision import Lookup
from stretto.flow.run import Runner

Looked: TypeAlias = tuple[tuple[str, bool], ...]
"""The lookups a run made, in order: each one's tool, and whether it succeeded."""


@dataclass(frozen=True, slots=True)
class Asking:
    """
    A flow's program as a tree: at each decision a lookup, or handing back.

    A run is a function of what its draws are answered with, so a tree that has been
    asked once answers for every run alike, whichever episode it is in.
    """

    runner: Runner
    _known: dict[tuple[Site, Looked], bool] = field(default_factory=dict, repr=False)

    def asks(self, site: Site, looked: Looked) -> bool:
        """Whether a run after a call at `site` asks again after these lookups."""
        known = self._known.get((site, looked))
        if known is None:
            known = self._known[site, looked] = self._run(site, looked)
        return known

    def _run(self, site: Site, looked: Looked) -> bool:
        tools = iter(looked)
        results = iter(looked)

        def decide() -> Lookup:
            for tool, _ in tools:
                return Lookup(tool, {}, 1.0, 1.0)
            raise _Asked

        def look_up(_: Lookup) -> bool:
            return next(results)[1]

        try:
            run_behind(self.runner, site, decide, look_up, max_lookups=PER_CALL)
        except _Asked:
            return True
        return False


class _Asked(Exception):
    """The run has come to the decision that was wanted."""
