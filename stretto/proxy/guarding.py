"""
Guards at work in one session: what they follow, what they refuse, what they log.

They have facts of their own, so that they check whether or not a flow is served, and
go on where one was switched off. Whatever goes wrong in here refuses nothing.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from stretto.canonical import Json
from stretto.episodes.episode import ToolCall
from stretto.guards.guard import Ruling, refusal
from stretto.guards.proposal import Choices
from stretto.proxy.actions import Beside, Log, Outbox
from stretto.proxy.entry import Sender
from stretto.proxy.guardlog import checked_line
from stretto.proxy.hear import Hearing
from stretto.proxy.serving import Serving
from stretto.proxy.splice import edited, whole, without_items
from stretto.traces.calls import arguments
from stretto.traces.messages import Message, params
from stretto.traces.turns import Called


class Refused(NamedTuple):
    """A call of the host's that the server does not get, and what the agent is told."""

    message: Message
    text: str


class Guarding:
    """
    One session's guards; without any, everything may be called.

    Args:
        clock: What time it is, where the guards do not say.
    """

    def __init__(
        self,
        serving: Serving,
        out: Outbox,
        *,
        clock: Callable[[], datetime] = datetime.now,
    ) -> None:
        guards = serving.guards
        if guards is not None and serving.guards_shadow:
            guards = guards.logged()
        self._guards, self._out = guards, out
        self._is_shadow, self._clock = serving.guards_shadow, clock
        self._facts = None if guards is None else guards.facts()
        self._choices = None if self._facts is None else Choices(self._facts)
        self._hearing = Hearing()

    def follow(
        self, now: float, sender: Sender, message: Message, stream: str = ""
    ) -> None:
        """Take in the session's next message."""
        if self._facts is None:
            return
        try:
            change = self._hearing.hear(now, sender, message, stream)
            if isinstance(change, Called):
                self._facts.called(change.call)
            elif change is not None:
                self._facts.take(change)
        except Exception as bug:  # without its facts, no guard knows anything
            self._facts = None
            why = f"{type(bug).__name__}: {bug}"
            self._out.note(f"the guards are switched off: {why}")

    def refused(self, line: bytes, said: Json) -> list[Refused]:
        """
        The calls of a host's line that are not to be made; the line loses them.

        A line that is one such call is not passed on; a batch goes on without them.
        """
        if self._facts is None:
            return []
        if said is None and b'"tools/call"' in line:
            self._out.note("a line that cannot be read passed, and no guard checked it")
        found = dict(self._found(said))
        if found and isinstance(said, list) and len(found) < len(said):
            text = line.decode()
            rest = edited(text, without_items(text, whole(text), found))
            self._out.amend(rest.encode())
        elif found:
            self._out.keep()
        return [*found.values()]

    def refuses(self, tool: str, given: Json, about: Json) -> str | None:
        """
        Why a tool is not to be called; None where it may be.

        Args:
            about: The id of the host's request.
        """
        guards, facts = self._guards, self._facts
        if guards is None or facts is None or tool not in guards.tools:
            return None
        call = ToolCall("", tool, arguments(given))
        if guards.now is None:
            facts.now = self._clock()
        rulings = guards.check(facts, call)
        self._out.counts["checked"] += 1
        for ruling in rulings:
            if ruling.has_broken:
                self._out.note(f"{ruling.guard.rule}: {ruling.verdict.reason}")
        if (why := refusal(rulings)) is not None:
            self._out.counts["refused"] += 1
            self._out.note(f"refused {tool}: {why}")
        self._log(call, rulings, about)
        return why

    def _found(self, said: Json) -> Iterator[tuple[int, Refused]]:
        """What is refused of a line, by its place in it."""
        for place, message in enumerate(said if isinstance(said, list) else [said]):
            if isinstance(message, dict) and message.get("method") == "tools/call":
                tool, given = (params(message).get(k) for k in ("name", "arguments"))
                if not isinstance(tool, str):
                    continue
                given = {} if given is None else given
                why = self.refuses(tool, given, message.get("id"))
                if why is not None:
                    yield place, Refused(message, told(tool, why))

    def _log(self, call: ToolCall, rulings: list[Ruling], about: Json) -> None:
        try:
            found = [] if self._choices is None else self._choices.flags(call)
            line = checked_line(about, call, rulings, found, shadow=self._is_shadow)
        except Exception as bug:  # the verdict stands without its line
            self._out.note(f"a check was not logged: {type(bug).__name__}: {bug}")
        else:
            self._out.put(Log(line, Beside.GUARDS))


def told(tool: str, why: str) -> str:
    """What the agent is told of a call that was refused."""
    return (
        f"{tool} was not called: a policy check stopped it before it reached the "
        f"server, so nothing has changed. {why[:1].upper()}{why[1:]}"
    )
