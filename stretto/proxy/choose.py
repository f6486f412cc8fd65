"""What a flow does at a decision, live: decided, logged, held to what is allowed."""

from typing import NamedTuple

from stretto.canonical import Json
from stretto.episodes.site import Site
from stretto.flow.decide import decide
from stretto.flow.deciders.protocol import Decider
from stretto.flow.decision import Decision, Lookup
from stretto.flow.flow import Flow
from stretto.flow.options import threshold_at
from stretto.flow.run import Decide
from stretto.proxy.actions import Log, Outbox
from stretto.proxy.explore import Explorer
from stretto.proxy.flowlog import decision_line
from stretto.proxy.permit import Permit
from stretto.proxy.serving import Serving
from stretto.proxy.unfolding import Unfolding


class _Chosen(NamedTuple):
    """What to do, and the line that says so."""

    lookup: Lookup | None
    line: bytes


class Chooser:
    """One session's decisions."""

    def __init__(
        self,
        flow: Flow,
        decider: Decider,
        serving: Serving,
        permit: Permit,
        episode: Unfolding,
        out: Outbox,
    ) -> None:
        self._flow, self._decider, self._serving = flow, decider, serving
        self._permit, self._episode, self._out = permit, episode, out
        self.n_lookups = 0
        """How many lookups were chosen so far."""
        how = serving.exploration
        self._explorer = None if how is None else Explorer(flow, decider.name, how)

    @property
    def site(self) -> Site | None:
        """The call that returned last; None where a message followed."""
        return self._episode.site

    @property
    def has_room(self) -> bool:
        """Whether the session may have another lookup."""
        return self.n_lookups < self._serving.per_session

    def choose(self, after: Json, address: str, offered: Decide) -> Lookup | None:
        """
        The lookup to make now; None hands back.

        Args:
            after: The id of the agent's call that the flow runs behind.
            address: That of the decision in the flow's program.
            offered: What the program expects to be chosen from.
        """
        if not self.has_room:
            return None
        try:
            chosen = self._chosen(after, address)
        except Exception as cause:  # a decider may be a stranger's, and raise anything
            self._out.note(f"a decision failed, and hands back: {cause}")
            return None
        self._out.put(Log(chosen.line))
        lookup = chosen.lookup
        if lookup is not None and lookup.tool not in offered.options:
            self._out.note(f"{lookup.tool} is no lookup that the program offers there")
            return None
        self.n_lookups += lookup is not None
        return lookup

    def was_late(self, lookup: Lookup) -> None:
        """A lookup took too long, so that the agent has waited for nothing."""
        self._permit.was_late(lookup.tool)

    def _chosen(self, after: Json, address: str) -> _Chosen:
        decision, policy = self._decided()
        shadow, withheld = self._serving.shadow, None
        lookup = decision.action if isinstance(decision.action, Lookup) else None
        if lookup is not None and not shadow:
            withheld = self._permit.refusal(lookup.tool)
        line = decision_line(
            after, address, decision, shadow=shadow, withheld=withheld, policy=policy
        )
        if withheld is not None and lookup is not None:
            self._out.note(f"{lookup.tool} is not looked up: {withheld}")
        return _Chosen(None if shadow or withheld is not None else lookup, line)

    def _decided(self) -> tuple[Decision, Json]:
        """The decision, and how it was drawn where the flow explores."""
        moment, served = self._episode.moment(), self._serving.threshold
        decision = decide(self._flow, moment, self._decider, threshold=served)
        if self._explorer is None or moment.site is None or not decision.probabilities:
            return decision, None
        threshold = threshold_at(self._flow, moment.site, served)
        settled, shown = self._episode.settled, self._episode.shown()
        found = self._explorer.drawn(decision, moment, threshold, settled, shown)
        return found.decision, found.policy
