"""
A server as the environment of a replay: every call that is executed is sent to it.

The agent's own calls are, its writes included, in their order; so are the flow's
lookups. What the flow looked up is therefore what it would have found, as long as the
server answers the agent's calls as the record has it, which is counted too.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from stretto.client.session import Ends, Session
from stretto.episodes.episode import Episode, ToolCall, ToolResult
from stretto.episodes.manifest import Kind
from stretto.errors import ServerFailed, StrettoError
from stretto.evaluate.environment import Answer, Wanted
from stretto.evaluate.fidelity import Fidelity, alike
from stretto.evaluate.made import Recorded
from stretto.traces.listing import kind
from stretto.traces.messages import answer

PATIENCE_S = 30.0
"""How long a server may take to begin, and over each call."""
NAME = "stretto-replay"


@dataclass(slots=True)
class ServerEnvironment:
    """
    One episode's tools, in a session of its own.

    Args:
        kinds: The listed tools, each as its hint has it.
        patience_s: How long one call may take, in seconds.
    """

    session: Session
    kinds: Mapping[str, Kind]
    patience_s: float
    fidelity: Fidelity = field(default_factory=Fidelity)

    def has(self, tool: str) -> bool:
        """Whether the server lists the tool, and not as a write."""
        return self.kinds.get(tool, Kind.WRITE) is not Kind.WRITE

    def execute(self, recorded: Recorded) -> ToolResult | None:
        """
        What the server returns for one of the agent's calls.

        Raises:
            ServerFailed: it ended, or did not answer in time.
        """
        call, result = recorded.call, recorded.result
        if not isinstance(call.arguments, dict):
            self.fidelity.unsent += 1
            return result
        error, content = self._called(call)
        if result is not None:
            self.fidelity.executed += 1
            if not alike(content, error, result):
                self.fidelity.differing[call.tool] += 1
        return ToolResult(call.id, call.tool, error, content)

    def look_up(self, wanted: Wanted) -> Answer:
        """
        What the server returns for a lookup.

        Raises:
            ServerFailed: it ended, or did not answer in time.
        """
        error, content = self._called(wanted.call)
        return Answer(content, error, True)

    def _called(self, call: ToolCall) -> tuple[bool, str]:
        self.session.wait(self.patience_s)
        params = {"name": call.tool, "arguments": call.arguments}
        try:
            returned = answer(self.session.ask("tools/call", params))
        except ServerFailed as cause:
            raise ServerFailed(f"{cause}, of {call.tool}") from cause
        return returned.error, returned.content


@contextmanager
def opened(
    ends: Ends, episode: Episode, *, patience_s: float
) -> Iterator[ServerEnvironment]:
    """
    An episode's environment, with a server that was just started or reached.

    Raises:
        ServerFailed: it ends, refuses, or does not answer in time.
        StrettoError: it lacks a tool that the agent called with success.
    """
    session = Session.opened(ends, NAME, patience_s=patience_s)
    kinds = {str(tool.get("name")): kind(tool) for tool in session.tools()}
    _check(episode, kinds)
    yield ServerEnvironment(session, kinds, patience_s)


def _check(episode: Episode, kinds: Mapping[str, Kind]) -> None:
    results = episode.results()
    for turn in episode.turns:
        for call in turn.calls:
            result = results.get(call.id)
            if call.tool not in kinds and result is not None and not result.error:
                raise StrettoError(
                    f"the server lists no {call.tool}, which session {episode.id} "
                    "called",
                    hint="it has to be the server that the sessions were recorded "
                    f"with; it lists {', '.join(sorted(kinds)) or 'no tool'}",
                )
