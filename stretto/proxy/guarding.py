"""
Guards at work in one session: what they follow, what they refuse, what they log.

They have facts of their own, so that they check whether or not a flow is served, and
go on where one was switched off. Whatever goes wrong in here refuses nothing.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from stretto.canonical import Json
from stretto.episodes.episode import ToolCall
from stretto.guards.confirm import consent_rule, word_list_passes
from stretto.guards.facts import Exchange
from stretto.guards.guard import Ruling, refusal
from stretto.guards.proposal import Choices, Flag
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


class Consent(NamedTuple):
    """A call that rules let pass if the customer agreed to it, and what was said."""

    call: ToolCall
    exchange: Exchange
    is_listed: bool
    """Whether the word list takes the reply for a yes."""
    flags: list[Flag]
    """The call's arguments that look like another record's."""


class Checked(NamedTuple):
    """What guards say of a call."""

    why: str | None = None
    """Why it is not to be made, if it is not."""
    consent: Consent | None = None
    """What there is to be judged, if it may be made and a rule asks for consent."""


class Line(NamedTuple):
    """What guards say of a host's line, by the places of its calls."""

    refused: dict[int, Refused]
    consents: dict[int, Consent]


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

    def heard(self, line: bytes, said: Json) -> Line:
        """
        What is said of the calls of a host's line; it loses those that are refused.

        A line that is one such call is not passed on; a batch goes on without them.
        """
        if self._facts is None:
            return Line({}, {})
        if said is None and b'"tools/call"' in line:
            self._out.note("a line that cannot be read passed, and no guard checked it")
        found = self._found(said)
        refused = found.refused
        if refused and isinstance(said, list) and len(refused) < len(said):
            text = line.decode()
            rest = edited(text, without_items(text, whole(text), refused))
            self._out.amend(rest.encode())
        elif refused:
            self._out.keep()
        return found

    def check(self, tool: str, given: Json, about: Json) -> Checked:
        """
        What is said of a call.

        Args:
            about: The id of the host's request.
        """
        guards, facts = self._guards, self._facts
        if guards is None or facts is None or tool not in guards.tools:
            return Checked()
        call = ToolCall("", tool, arguments(given))
        if guards.now is None:
            facts.now = self._clock()
        rulings = guards.check(facts, call)
        self._out.counts["checked"] += 1
        for ruling in rulings:
            if ruling.has_broken:
                self._out.note(f"{ruling.guard.rule}: {ruling.verdict.reason}")
        why = refusal(rulings)
        if why is not None:
            self.count_refusal(tool, why)
        flags = self._log(call, rulings, about)
        rule = consent_rule(guards, call)
        if why is not None or rule is None:
            return Checked(why)
        is_listed = word_list_passes(rulings, rule)
        return Checked(None, Consent(call, facts.exchange, is_listed, flags))

    def count_refusal(self, tool: str, why: str) -> None:
        """A call is refused, which is counted and told."""
        self._out.counts["refused"] += 1
        self._out.note(f"refused {tool}: {why}")

    def _found(self, said: Json) -> Line:
        """What is said of a line's calls."""
        found = Line({}, {})
        for place, message in enumerate(said if isinstance(said, list) else [said]):
            if isinstance(message, dict) and message.get("method") == "tools/call":
                tool, given = (params(message).get(k) for k in ("name", "arguments"))
                if not isinstance(tool, str):
                    continue
                given = {} if given is None else given
                why, consent = self.check(tool, given, message.get("id"))
                if why is not None:
                    found.refused[place] = Refused(message, told(tool, why))
                elif consent is not None:
                    found.consents[place] = consent
        return found

    def _log(self, call: ToolCall, rulings: list[Ruling], about: Json) -> list[Flag]:
        """Logs a check; the call's arguments that look like another record's."""
        found: list[Flag] = []
        try:
            found = [] if self._choices is None else self._choices.flags(call)
            line = checked_line(about, call, rulings, found, shadow=self._is_shadow)
        except Exception as bug:  # the verdict stands without its line
            self._out.note(f"a check was not logged: {type(bug).__name__}: {bug}")
        else:
            self._out.put(Log(line, Beside.GUARDS))
        return found


def told(tool: str, why: str) -> str:
    """What the agent is told of a call that was refused."""
    return (
        f"{tool} was not called: a policy check stopped it before it reached the "
        f"server, so nothing has changed. {why[:1].upper()}{why[1:]}"
    )
