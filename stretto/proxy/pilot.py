"""A flow at work in one session: what it follows, what it holds, what it may call."""

from stretto.episodes.site import Site
from stretto.flow.decide import offer
from stretto.flow.deciders.protocol import Decider
from stretto.flow.decision import HandBack
from stretto.flow.flow import Flow
from stretto.flow.run import Runner
from stretto.proxy.actions import Outbox
from stretto.proxy.choose import Chooser
from stretto.proxy.deliver import Delivery
from stretto.proxy.entry import Sender
from stretto.proxy.follow import Follower
from stretto.proxy.holding import Holding
from stretto.proxy.names import Names, names
from stretto.proxy.permit import Permit
from stretto.proxy.relist import with_room, without_schemas
from stretto.proxy.requests import Asked, OwnCalls
from stretto.proxy.serving import Serving, Structured
from stretto.proxy.tooltable import ToolTable
from stretto.traces.messages import Message
from stretto.traces.turns import Change

_ASKS_THE_HOST = ("elicitation/create", "sampling/createMessage")
"""What a server asks of the host when a call's arguments are not enough for it."""


class Pilot:
    """A flow, its server's tools, and the session so far."""

    def __init__(
        self,
        follower: Follower,
        holding: Holding,
        tools: ToolTable,
        behind: frozenset[str],
        structured: Structured,
    ) -> None:
        self.holding = holding
        self._follower, self._tools = follower, tools
        self._behind, self._structured = behind, structured
        self._is_following = self._is_looking = True

    def follow(
        self, now: float, sender: Sender, message: Message, stream: str = ""
    ) -> Change | None:
        """Take in the next message; what it adds to the episode, if anything."""
        if not self._is_following:
            return None
        return self._follower.follow(now, sender, message, stream)

    def hold(self, asked: Asked, response: Message, line: bytes, now: float) -> bool:
        """Whether the result of a call is held back from now on."""
        return self._is_looking and self.holding.hold(asked, response, line, now)

    def told(self, message: Message, now: float) -> None:
        """The server says something of its own accord."""
        if message.get("method") in _ASKS_THE_HOST:
            self.holding.interrupt("nobody is there to be asked", now)

    def relisted(self, page: str) -> str:
        """A page of the server's list of tools, as the host is to have it."""
        match self._structured:
            case Structured.AUTO:
                return with_room(page, self._tools, self._behind)
            case Structured.STRIP:
                return without_schemas(page, self._tools, self._behind)
            case Structured.TEXT:
                return page

    def end(self) -> None:
        """Look nothing up any more, and let go of what is held."""
        self._is_looking = False
        self.holding.close()

    def give_up(self) -> None:
        """Stop altogether, leaving every result as the server wrote it."""
        self._is_looking = self._is_following = False
        self.holding.let_go()


def pilot(
    flow: Flow,
    decider: Decider,
    serving: Serving,
    tools: ToolTable,
    calls: OwnCalls,
    out: Outbox,
    runner: Runner | None,
) -> Pilot | None:
    """
    The flow, ready to be told of a session; None where it knows nothing of this server.

    Args:
        runner: The flow's; None to make one.

    Raises:
        ProgramError: its program names something that flows do not have.
    """
    if isinstance(named := names(flow, serving.server), str):
        out.note(f"nothing is looked up: {named}")
        return None
    follower = Follower(
        flow,
        named,
        state=decider.state(),
        task=serving.task,
        keeps=serving.exploration is not None,
    )
    permit = Permit(flow, named, tools, serving.grants)
    chooser = Chooser(flow, decider, serving, permit, follower.episode, out)
    delivery = Delivery(tools, serving, out)
    runner = Runner.of(flow) if runner is None else runner
    holding = Holding(runner, chooser, named, calls, delivery, serving, out)
    is_listed_as_it_is = serving.shadow or not serving.relists
    structured = Structured.TEXT if is_listed_as_it_is else serving.structured
    return Pilot(follower, holding, tools, _behind(flow, named), structured)


def _behind(flow: Flow, named: Names) -> frozenset[str]:
    """The server's tools behind whose calls the flow may look something up."""
    known = {*flow.manifest.tools, *(site.tool for site in flow.sites.next)}
    return frozenset(
        named.bare(tool)
        for tool in known
        if named.has(tool)
        and not isinstance(offer(flow, Site(tool, failed=False)), HandBack)
    )
