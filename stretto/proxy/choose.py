"""What a flow does at a decision, live: decided, logged, held to what is allowed."""

from typing import NamedTuple

from stretto.canonical import Json
from stretto.episodes.site import Site
from stretto.errors import OracleError
from stretto.flow.decide import Undecided, begin
from stretto.flow.deciders.protocol import Decider
from stretto.flow.decision import Decision, Lookup
from stretto.flow.flow import Flow
from stretto.flow.options import threshold_at
from stretto.flow.run import Decide
from stretto.oracle.answer import Response
from stretto.oracle.question import Request
from stretto.proxy.actions import Log, Outbox
from stretto.proxy.explore import Explorer
from stretto.proxy.flowlog import decision_line
from stretto.proxy.permit import Permit
from stretto.proxy.serving import Serving
from stretto.proxy.unfolding import Unfolding


class Point(NamedTuple):
    """Where in a run a decision is made."""

    after: Json
    address: str
    offered: Decide


class Question(NamedTuple):
    """A decision that waits for a System-One model's answers."""

    point: Point
    undecided: Undecided
    age: int
    """The episode's, when it was asked."""

    @property
    def request(self) -> Request:
        """What to ask."""
        return self.undecided.request


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
        self._n_questions = 0
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

    def choose(
        self, after: Json, address: str, offered: Decide
    ) -> Lookup | Question | None:
        """
        The lookup to make now, or what has to be asked first; None hands back.

        Args:
            after: The id of the agent's call that the flow runs behind.
            address: That of the decision in the flow's program.
            offered: What the program expects to be chosen from.
        """
        if not self.has_room:
            return None
        point = Point(after, address, offered)
        try:
            moment, served = self._episode.moment(), self._serving.threshold
            begun = begin(self._flow, moment, self._decider, threshold=served)
            if isinstance(begun, Decision):
                return self._chosen(point, begun, ms=0)
        except Exception as cause:  # a decider may be a stranger's, and raise anything
            self._out.note(f"a decision failed, and hands back: {cause}")
            return None
        if self._n_questions >= self._serving.questions:
            return None
        self._n_questions += 1
        return Question(point, begun, self._episode.age)

    def conclude(
        self, question: Question, answer: Response | OracleError, ms: int
    ) -> Lookup | None:
        """
        The lookup to make now that a question was answered; None hands back.

        Args:
            answer: What was answered, or why nothing was.
            ms: How many milliseconds that took.
        """
        if question.age != self._episode.age:
            self._out.counts["overtaken"] += 1
            return None
        if isinstance(answer, OracleError):
            self._out.note(f"the oracle has no answer, which hands back: {answer}")
        try:
            decision = question.undecided.conclude(answer)
            return self._chosen(question.point, decision, ms=ms)
        except Exception as cause:  # a decider may be a stranger's, and raise anything
            self._out.note(f"a decision failed, and hands back: {cause}")
            return None

    def was_late(self, lookup: Lookup) -> None:
        """A lookup took too long, so that the agent has waited for nothing."""
        self._permit.was_late(lookup.tool)

    def _chosen(self, point: Point, decision: Decision, *, ms: int) -> Lookup | None:
        """What is done of what was decided, which is logged."""
        decision, policy = self._drawn(decision)
        shadow, withheld = self._serving.shadow, None
        lookup = decision.action if isinstance(decision.action, Lookup) else None
        if lookup is not None and not shadow:
            withheld = self._permit.refusal(lookup.tool)
        line = decision_line(
            point.after,
            point.address,
            decision,
            ms=ms,
            shadow=shadow,
            withheld=withheld,
            policy=policy,
        )
        self._out.put(Log(line))
        if lookup is None or shadow:
            return None
        if withheld is not None:
            self._out.note(f"{lookup.tool} is not looked up: {withheld}")
            return None
        if lookup.tool not in point.offered.options:
            self._out.note(f"{lookup.tool} is no lookup that the program offers there")
            return None
        self.n_lookups += 1
        return lookup

    def _drawn(self, decision: Decision) -> tuple[Decision, Json]:
        """The decision, or another where the flow explores, and how it was drawn."""
        moment = self._episode.moment()
        if self._explorer is None or moment.site is None or not decision.probabilities:
            return decision, None
        threshold = threshold_at(self._flow, moment.site, self._serving.threshold)
        settled, shown = self._episode.settled, self._episode.shown()
        found = self._explorer.drawn(decision, moment, threshold, settled, shown)
        return found.decision, found.policy
