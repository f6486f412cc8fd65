"""
The results held back while a flow looks up what comes next.

Each has a run of its own: it waits for one lookup at a time, or for one answer of the
oracle's, and for all of them together no longer than its budget. Whatever ends it, the
host gets its result: with what was looked up by then, or as the server wrote it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from stretto.errors import OracleError, ProgramError
from stretto.flow.decision import Lookup
from stretto.flow.run import Runner
from stretto.oracle.answer import Response
from stretto.program.handlers import Run
from stretto.proxy.actions import Consult, Drop, Hold, Log, Outbox, WakeAt
from stretto.proxy.appendix import said
from stretto.proxy.behind import Behind, Wait
from stretto.proxy.choose import Chooser, Question
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
    """What a run waits for, and since when."""

    id: str
    what: Wait
    since: float
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
        step = self._step(held, run.begin)
        if step is None:
            return False
        self._wait(held, step, now)
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
            match held.waiting:
                case Waiting(id_, Question(), since, until):
                    late = OracleError(f"there was no answer in {until - since:.3g} s")
                    self.consulted(id_, late, now)
                    continue
                case Waiting(_, Lookup() as lookup):
                    self.chooser.was_late(lookup)
            self._abandon(held, "it takes too long", now)
            self._release(held)
        if self._held:
            self.out.put(WakeAt(min(map(_due, self._held))))

    def consulted(self, id_: str, answer: Response | OracleError, now: float) -> None:
        """A question was answered, or was not; an answer that came late is let fall."""
        for held in self._held:
            match held.waiting:
                case Waiting(asked, Question() as question, since) if asked == id_:
                    ms = round((now - since) * 1000)
                    lookup = self.chooser.conclude(question, answer, ms)
                    self._go_on(held, partial(held.run.decided, lookup), now)
                    return

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

    def _step(self, held: Held, step: Callable[[], Wait | Run]) -> Wait | None:
        """What comes next; None where the run is over, or could not go on."""
        try:
            next_ = step()
        except ProgramError as cause:
            self.out.note(f"the flow's program misran: {cause}")
            held.made.clear()
            return None
        if isinstance(next_, Run):
            after, n = held.asked.id, self.serving.per_call
            self.out.put(Log(run_line(after, held.run.site, next_, max_lookups=n)))
            return None
        return next_

    def _go_on(self, held: Held, step: Callable[[], Wait | Run], now: float) -> None:
        """Take the next step, and wait again, or give the host its result."""
        held.waiting = None
        next_ = self._step(held, step)
        if next_ is None:
            self._release(held)
        else:
            self._wait(held, next_, now)

    def _wait(self, held: Held, what: Wait, now: float) -> None:
        """Have it looked up, or answered."""
        if isinstance(what, Question):
            until = min(now + self.serving.answer_s, held.until)
            id_ = self._consult(what, until - now)
        else:
            until = min(now + self.serving.patience_s, held.until)
            id_ = self._look_up(held, what, now)
        held.waiting = Waiting(id_, what, now, until)
        self.out.put(WakeAt(until))

    def _consult(self, question: Question, budget_s: float) -> str:
        """Have the oracle asked; the question's id."""
        self.out.counts["questions"] += 1
        id_ = str(self.out.counts["questions"])
        self.out.put(Consult(id_, question.request, budget_s))
        return id_

    def _look_up(self, held: Held, lookup: Lookup, now: float) -> str:
        """Have something looked up; the call's id."""
        self.out.counts["lookups"] += 1
        tool, answered = self.names.bare(lookup.tool), partial(self._answered, held)
        return self.calls.call(held.asked, tool, lookup.arguments, answered, now)

    def _answered(self, held: Held, response: Message | None, now: float) -> None:
        waiting, held.waiting = held.waiting, None
        if waiting is None or held not in self._held:
            return
        made = None
        if response is not None and isinstance(waiting.what, Lookup):
            made = self._made(waiting.what, response)
        if made is None:
            self._release(held)
            return
        held.made.append(made)
        has_failed = made.said.has_failed
        self._go_on(held, partial(held.run.looked_up, succeeded=not has_failed), now)

    def _made(self, lookup: Lookup, response: Message) -> Made | None:
        """A lookup with its answer; None where that is no answer to go on with."""
        tool = self.names.bare(lookup.tool)
        if response.get("error") is None and not is_complete(response):
            self.out.note(f"{tool} did not answer a lookup with a result")
            return None
        return Made(tool, lookup.arguments, said(response))

    def _abandon(self, held: Held, why: str, now: float) -> None:
        if held.waiting is not None and isinstance(held.waiting.what, Lookup):
            self.calls.abandon(held.waiting.id, why, now)

    def _ignore(self, held: Held) -> None:
        if held.waiting is not None and isinstance(held.waiting.what, Lookup):
            self.calls.ignore(held.waiting.id)

    def _let_go(self, held: Held) -> None:
        self._held.remove(held)
        self.delivery.as_it_came(held.asked, held.line)

    def _release(self, held: Held) -> None:
        """Give the host its result, with what was looked up."""
        self.delivery.give(held.asked, held.line, held.made)
        self._held.remove(held)
