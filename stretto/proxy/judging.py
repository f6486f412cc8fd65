"""
The confirmation judge at work in one session: what it asks, and what it makes of it.

It is asked about a write that no guard refuses, with what was said last before the
write. An answer that does not come, or not in time, fails nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from stretto.errors import OracleError
from stretto.guards.confirm import Asked, confirm_request, read_confirm
from stretto.oracle.answer import Response
from stretto.oracle.wording import shipped_wording
from stretto.proxy.actions import Beside, Consult, Log, Outbox, WakeAt
from stretto.proxy.confirmlog import Judgement, confirm_line
from stretto.proxy.guarding import Consent
from stretto.proxy.serving import Confirming

ID = "confirm-"
"""What the ids of its questions begin with."""

Done = Callable[[Judgement, float], None]
"""Is told a judgement once every question is answered, or will not be, and the time."""


@dataclass(slots=True, eq=False)
class _Case:
    """A write whose questions are under way."""

    judgement: Judgement
    done: Done
    since: float
    until: float
    waiting: dict[str, Asked] = field(default_factory=dict)
    """The questions without an answer, by id."""


class Judge:
    """
    One session's judge.

    Args:
        how: How writes are judged; None where they are not.
        answer_s: How many seconds the answers to one write may take.
    """

    def __init__(self, how: Confirming | None, answer_s: float, out: Outbox) -> None:
        self._how, self._answer_s, self._out = how, answer_s, out
        self._cases: list[_Case] = []
        self._n_asked = 0

    @property
    def is_on(self) -> bool:
        """Whether writes are judged."""
        return self._how is not None

    def judge(self, consent: Consent, done: Done, now: float) -> None:
        """
        Have a write judged; returns at once.

        Args:
            done: Told the judgement, at once where nothing is to be asked, and never
                where writes are not judged.
        """
        if (how := self._how) is None:
            return
        call, exchange, is_listed, flags = consent
        words = shipped_wording()
        requests = {
            asked: confirm_request(how.model, exchange, call, asked, words)
            for asked in how.judging.asked
        }
        keys = {asked: request.key for asked, request in requests.items()}
        judgement = Judgement(
            call, how.judging, how.is_enforced, is_listed, flags, keys
        )
        case = _Case(judgement, done, now, now + self._answer_s)
        self._cases.append(case)
        for asked, request in requests.items():
            if self._n_asked >= how.questions:
                judgement.skipped = f"{how.questions} questions were asked already"
                break
            self._n_asked += 1
            id_ = f"{ID}{self._n_asked}"
            case.waiting[id_] = asked
            self._out.put(Consult(id_, request, self._answer_s))
        self._out.counts["judged"] += 1
        if case.waiting:
            self._out.put(WakeAt(case.until))
        else:
            self._conclude(case, now)

    def consulted(self, id_: str, answer: Response | OracleError, now: float) -> None:
        """A question was answered, or was not; an answer that came late is let fall."""
        for case in self._cases:
            if (asked := case.waiting.pop(id_, None)) is not None:
                self._take(case, asked, answer)
                if not case.waiting:
                    self._conclude(case, now)
                return

    def tick(self, now: float) -> None:
        """End the cases whose time is up, and say when the next one's is."""
        for case in [c for c in self._cases if c.until <= now]:
            self._out.counts["judged late"] += 1
            self._conclude(case, now)
        if self._cases:
            self._out.put(WakeAt(min(case.until for case in self._cases)))

    def close(self, now: float) -> None:
        """End every case with the answers that are there; nothing more is judged."""
        self._how = None
        for case in [*self._cases]:
            self._conclude(case, now)

    def _take(self, case: _Case, asked: Asked, answer: Response | OracleError) -> None:
        if isinstance(answer, OracleError):
            self._out.note(f"whether a write was agreed to is not known: {answer}")
        elif (p := read_confirm(answer, asked)) is None:
            case.judgement.odd = asked
        else:
            case.judgement.p_yes[asked] = p

    def _conclude(self, case: _Case, now: float) -> None:
        self._cases.remove(case)
        judgement = case.judgement
        judgement.ms = round((now - case.since) * 1000)
        self._out.counts["unconfirmed"] += judgement.fails
        self._out.put(Log(confirm_line(judgement), Beside.CONFIRM))
        case.done(judgement, now)
