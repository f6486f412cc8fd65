"""
Every way a replay of one episode can go, as a graph that grows where it is needed.

A node is a state in which the flow is asked and has a lookup to make. Two edges leave
it, one for making the lookup and one for handing back; each adds to the counts and
leads to the next node, or to the end. A setting decides between the two by comparing
the node's score with its threshold at the node's site, and by nothing else. So all that
is costly (following the session, weighing, binding) is done once for every state,
however many settings come to it, and by the code that serves.

Why one comparison is enough: let f be the site's floor, which no setting's threshold is
below, b the lookup that is made at threshold f, and s its score, probability times
chance. Exclusive chances take the likeliest option, which is b, or none; as a chance is
at most 1, b's probability reaches a threshold whenever s does. Independent ones take
the option of the largest score among those whose probability reaches the threshold;
where s reaches it, b is among these and has the largest; where it does not, no option's
score does. And where nothing is made at f, nothing is at any threshold above.

Two ways into the same state are one node. States are the same where messages, calls and
results are, in their order, whoever made the calls; so a decider may weigh all of that,
and may not go by the ids of calls or by which of them were lookups.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from stretto.evaluate.nodes import END, NONE, UNKNOWN, Known, Most, Nodes
from stretto.evaluate.setting import Floors
from stretto.evaluate.spent import NOTHING, Spent
from stretto.evaluate.walk import MAX_CALLS, Walk
from stretto.flow.caps import PER_CALL, PER_SESSION
from stretto.flow.decide import decide
from stretto.flow.deciders.protocol import Decider
from stretto.flow.decision import HandBack, Lookup
from stretto.flow.flow import Flow
from stretto.oracle.oracle import Oracle

MAX_NODES = 20_000
"""The most nodes an episode's graph may have."""

OLD = 3
"""
From how many messages back a lookup is used later and never next: those of its own
message and of the one after it, while its turn lasts, still are.
"""

State: TypeAlias = tuple[object, ...]
"""All that what is still to come depends on."""


class CannotGraph(Exception):
    """A replay that a graph does not stand for, or not within the nodes it may have."""


class NearCaps(Exception):
    """States that were taken for the same are not, with so many calls made."""


class Here(NamedTuple):
    """A walk that stands at a node, with the site and the lookup there."""

    walk: Walk
    site: str
    lookup: Lookup


@dataclass(slots=True)
class Graph:
    """One episode's graph, with what it takes to grow it."""

    flow: Flow
    """Free to act at every site."""
    decider: Decider
    floors: Floors
    start: Walk
    """A walk that has not begun; only copies of it move."""
    nodes: Nodes = field(default_factory=Nodes)
    oracle: Oracle | None = None
    """Whom to ask, where the decider asks: the same question, the same answer."""
    max_nodes: int = MAX_NODES
    is_counting: bool = False
    """Whether states also differ by how many calls were made, as near the caps."""
    _here: dict[int, Here] = field(default_factory=dict)
    """The walks that stand at nodes just found."""
    _known: dict[State, Known] = field(default_factory=dict)
    _most: list[Most] = field(default_factory=list)

    def begin(self) -> int:
        """The first node, or `END` where the flow has no lookup to make."""
        if self.nodes.first == UNKNOWN:
            walk = self.start.copy()
            self.nodes.first, self.nodes.adds, self.nodes.spent = self._onward(
                walk, came=-1
            )
            self._reach(self.nodes.first, Most(0, 0))
        return self.nodes.first

    def count(self) -> None:
        """Empty the graph, for one that tells states apart by the calls made."""
        self.hold(Nodes(), is_counting=True)

    def hold(self, nodes: Nodes, *, is_counting: bool) -> None:
        """Go on from nodes that were found elsewhere."""
        self.nodes, self.is_counting = nodes, is_counting
        self._here, self._known = {}, {}
        self._most = [NONE] * len(nodes)
        self._reach(nodes.first, Most(0, 0))

    def grow(self, node: int, *, make: bool, hand_back: bool) -> None:
        """
        Find out where the edges asked for lead.

        Raises:
            CannotGraph: there is no room for another node, or a chance is above 1.
            NearCaps: `count` has to be called, and the graph begun anew.
            CannotDecide: the decider did not keep to the options.
        """
        here = self._here.pop(node, None)
        kinds = (
            (True, make, self.nodes.make),
            (False, hand_back, self.nodes.hand_back),
        )
        wanted = [kind for kind, asked, e in kinds if asked and e.to[node] == UNKNOWN]
        if not wanted:
            return
        walk, _, lookup = here or self._walked(node)
        for kind in wanted[1:]:
            self._edge(node, walk.copy(), lookup if kind else None)
        self._edge(node, walk, lookup if wanted[0] else None)

    def _edge(self, node: int, walk: Walk, lookup: Lookup | None) -> None:
        walk.take()
        walk.answer(lookup)
        edges = self.nodes.hand_back if lookup is None else self.nodes.make
        edges.to[node], edges.adds[node], edges.spent[node] = self._onward(
            walk, came=2 * node + (lookup is None)
        )
        self._reach(edges.to[node], self._most[node].past(edges.adds[node]))

    def _onward(self, walk: Walk, *, came: int) -> Known:
        """The next node on a walk's way; decisions without a lookup are no nodes."""
        passed: list[tuple[State, int, Spent]] = []
        found = Known(END, 0, NOTHING)
        while walk.advance():
            state = self._state(walk)
            known = self._known.get(state)
            if known is not None:
                found = known
                break
            passed.append((state, *walk.take()))
            here = self._decided(walk)
            if isinstance(here, Here):
                found = Known(self._node(here, came), 0, NOTHING)
                break
            walk.answer(here)
        found = found.after(*walk.take())
        for state, counted, spent in reversed(passed):
            self._known[state] = found
            found = found.after(counted, spent)
        return found

    def _decided(self, walk: Walk) -> Here | HandBack | None:
        """What the flow makes at the site's floor; None where it is never asked."""
        moment = walk.moment()
        floor = self.floors.at(site := str(moment.site))
        if floor == math.inf:
            return None
        action = decide(
            self.flow, moment, self.decider, threshold=floor, oracle=self.oracle
        ).action
        return Here(walk, site, action) if isinstance(action, Lookup) else action

    def _node(self, here: Here, came: int) -> int:
        nodes, lookup = self.nodes, here.lookup
        if len(nodes) == self.max_nodes:
            raise CannotGraph(f"its graph has more than {self.max_nodes:,} nodes")
        if lookup.chance > 1:
            raise CannotGraph(f"the chance of {lookup.tool} is above 1")
        score, order = lookup.p * lookup.chance, _order(here.walk)
        number = nodes.add(here.site, score, order=order, came=came)
        self._most.append(NONE)
        self._here[number] = here
        return number

    def _state(self, walk: Walk) -> State:
        """
        What the next decisions depend on.

        The stop, the run's lookups and which lookups are unused follow from each other
        and the story: every call so far was executed or answered. Ages do not.
        """
        run, last = walk.run, walk.course.record.last
        assert run is not None
        useful = tuple([
            (m.key, m.content, m.stale, min(walk.messages - m.message, OLD))
            for m in walk.made
            if m.exact and not m.used and last[m.key] > run.behind.position
        ])  # fmt: skip
        made = (len(walk.made), walk.executed) if self.is_counting else None
        gate = (tuple(walk.transcript.surprise), walk.transcript.has_returned)
        return walk.next, run.looked, walk.story, useful, gate, made

    def _reach(self, node: int, most: Most) -> None:
        """Note how many lookups a node can be reached with, and all that follow it."""
        waiting = [(node, most)]
        while waiting:
            node, most = waiting.pop()
            if node < 0 or self._most[node].with_(most) == self._most[node]:
                continue
            most = self._most[node] = self._most[node].with_(most)
            self._check(most)
            waiting += (
                (edges.to[node], most.past(edges.adds[node]))
                for edges in (self.nodes.make, self.nodes.hand_back)
            )

    def _check(self, most: Most) -> None:
        if self.is_counting:
            return
        n_calls = len(self.start.course.record.calls)
        if most.lookups + 1 >= PER_SESSION or n_calls + most.unused + 1 >= MAX_CALLS:
            raise NearCaps

    def _walked(self, node: int) -> Here:
        """A walk to a node that was found earlier, along one of the ways there."""
        way: list[int] = []
        came = self.nodes.came[node]
        while came >= 0:
            way.append(came)
            came = self.nodes.came[came // 2]
        walk = self.start.copy()
        for edge in reversed(way):
            here = self._walk_to(walk, edge // 2)
            walk.answer(None if edge % 2 else here.lookup)
        return self._walk_to(walk, node)

    def _walk_to(self, walk: Walk, node: int) -> Here:
        while walk.advance():
            if _order(walk) == self.nodes.order[node]:
                here = self._decided(walk)
                assert isinstance(here, Here)
                return here
            walk.answer(None)
        raise AssertionError("a node's way leads past it")


def _order(walk: Walk) -> int:
    assert walk.run is not None
    return walk.next * (PER_CALL + 1) + len(walk.run.looked)
