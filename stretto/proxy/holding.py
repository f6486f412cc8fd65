"""
The results held back while a flow looks up what comes next.

Each has a run of its own: it waits for one lookup at a time, and for all of them
together no longer than its budget. Whatever ends it, the host gets its result: with
what was looked up by then, or as the server wrote it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from stretto.errors import ProgramError
from stretto.flow.decision import Lookup
from stretto.flow.run import Runner
from stretto.program.handlers import Run
from stretto.proxy.actions import Drop, Hold, Log, Outbox, WakeAt
from stretto.proxy.appendix import said
from stretto.proxy.behind import Behind
from stretto.proxy.choose import Chooser
from stretto.proxy.deliver import Delivery
from stretto.proxy.flowlog import run_line
from stretto.proxy.names import Names
from stretto.proxy.observe import is_complete, is_success, is_task
from stretto.proxy.requests import Asked, OwnCalls, Place
from stretto.proxy.serving import Serving
from stretto.traces.appended import Made
from stretto.traces.messages import Message


@dataclass(frozen=True, slots=True)
class Waiting:
    """A lookup under way."""

    id: str
    lookup: Lookup
    until: float


@dataclass(slots=True, eq=False)
class Held:
    """A call's result, held back."""

    asked: Asked
    line: bytes
    run: Behind
    until: float
    made: list[Made] = field(default_factory=list)
    waiting: Waiting | None = None


def _due(held: Held) -> float:
    """When something has to happen, whatever the server does."""
    return held.until if held.waiting is None else held.waiting.until


@dataclass(slots=True, eq=False)
class Holding:
    """One session's held results, and what it takes to look something up."""

    runner: Runner
    chooser: Chooser
    names: Names
    calls: OwnCalls
    delivery: Delivery
    serving: Serving
    out: Outbox
    _held: list[Held] = field(default_factory=list)

    def hold(self, asked: Asked, response: Message, line: bytes, now: float) -> bool:
        """
        Begin a run behind a call that the server has just answered.

        Returns whether the result is held; if not, it is for the caller to forward.
        """
        site = self.chooser.site
        if site is None or not self._may_hold(asked, response, line):
            return False
        choose = partial(self.chooser.choose, asked.id)
        n = self.serving.per_call
        run = Behind(self.runner, site, choose, max_lookups=n)
        held = Held(asked, line, run, now + self.serving.hold_s)
        step = self._step(held, None)
        if not isinstance(step, Lookup):
            return False
        self._look_up(held, step, now)
        self._held.append(held)
        self.out.put(Hold(asked.place.stream))
        self.out.counts["held"] += 1
        return True

    def withdraw(self, is_gone: Callable[[Place], bool], now: float) -> None:
        """The host no longer waits at some places: what is held there is let fall."""
        for held in [h for h in self._held if is_gone(h.asked.place)]:
            self._held.remove(held)
            self.out.put(Drop(held.asked.place.stream))
            self._abandon(held, "the call was cancelled", now)

    def overtake(self, place: Place, now: float) -> None:
        """The host calls under a held call's id: that result is given first, as is."""
        for held in [h for h in self._held if h.asked.place == place]:
            self._let_go(held)
            self._abandon(held, "its call's id was used again", now)

    def interrupt(self, why: str, now: float) -> None:
        """End every run."""
        for held in [*self._held]:
            self._abandon(held, why, now)
            self._release(held)

    def tick(self, now: float) -> None:
        """End the runs whose time is up, and say when the next one's is."""
        for held in [h for h in self._held if _due(h) <= now]:
            self.out.counts["out of time"] += 1
            if held.waiting is not None:
                self.chooser.was_late(held.waiting.lookup)
            self._abandon(held, "it takes too long", now)
            self._release(held)
        if self._held:
            self.out.put(WakeAt(min(map(_due, self._held))))

    def close(self) -> None:
        """A side has ended, and nothing more can be looked up."""
        for held in [*self._held]:
            self._ignore(held)
            self._release(held)

    def let_go(self) -> None:
        """Give the host every result as the server wrote it."""
        for held in [*self._held]:
            self._let_go(held)
            self._ignore(held)

    def _may_hold(self, asked: Asked, response: Message, line: bytes) -> bool:
        return (
            is_success(response)
            and not is_task(asked.message)
            and self.chooser.has_room
            and len(line) < self.serving.result_chars
        )

    def _step(self, held: Held, succeeded: bool | None) -> Lookup | None:
        """The next lookup; None where the run is over, or could not go on."""
        run = held.run
        try:
            step = run.begin() if succeeded is None else run.go_on(succeeded=succeeded)
        except ProgramError as cause:
            self.out.note(f"the flow's program misran: {cause}")
            held.made.clear()
            return None
        if isinstance(step, Run):
            after, n = held.asked.id, self.serving.per_call
            self.out.put(Log(run_line(after, run.site, step, max_lookups=n)))
            return None
        return step

    def _look_up(self, held: Held, lookup: Lookup, now: float) -> None:
        until = min(now + self.serving.patience_s, held.until)
        tool, answered = self.names.bare(lookup.tool), partial(self._answered, held)
        id_ = self.calls.call(held.asked, tool, lookup.arguments, answered, now)
        held.waiting = Waiting(id_, lookup, until)
        self.out.put(WakeAt(until))
        self.out.counts["lookups"] += 1

    def _answered(self, held: Held, response: Message | None, now: float) -> None:
        waiting, held.waiting = held.waiting, None
        if waiting is None or held not in self._held:
            return
        made = None if response is None else self._made(waiting.lookup, response)
        if made is not None:
            held.made.append(made)
            lookup = self._step(held, not made.said.has_failed)
            if lookup is not None:
                self._look_up(held, lookup, now)
                return
        self._release(held)

    def _made(self, lookup: Lookup, response: Message) -> Made | None:
        """A lookup with its answer; None where that is no answer to go on with."""
        tool = self.names.bare(lookup.tool)
        if response.get("error") is None and not is_complete(response):
            self.out.note(f"{tool} did not answer a lookup with a result")
            return None
        return Made(tool, lookup.arguments, said(response))

    def _abandon(self, held: Held, why: str, now: float) -> None:
        if held.waiting is not None:
            self.calls.abandon(held.waiting.id, why, now)

    def _ignore(self, held: Held) -> None:
        if held.waiting is not None:
            self.calls.ignore(held.waiting.id)

    def _let_go(self, held: Held) -> None:
        self._held.remove(held)
        self.delivery.as_it_came(held.asked, held.line)

    def _release(self, held: Held) -> None:
        """Give the host its result, with what was looked up."""
        self.delivery.give(held.asked, held.line, held.made)
        self._held.remove(held)
