"""
Consent at work in one session: guards first, and then the judge of what they let pass.

Where the judge only logs, nothing waits for it. Where it is enforced, a write waits for
its verdict, and one that fails is answered in the server's place.
"""

from functools import partial

from stretto.canonical import Json
from stretto.guards.confirm import Asked
from stretto.proxy.actions import Outbox
from stretto.proxy.confirmlog import Judgement
from stretto.proxy.gate import Gate, Held
from stretto.proxy.guarding import Consent, Guarding, Line, Refused, told
from stretto.proxy.judging import Done, Judge
from stretto.proxy.requests import Verdict
from stretto.proxy.serving import Serving
from stretto.traces.messages import Message


class Consents:
    """
    One session's writes under judgement.

    Args:
        gate: Where the host's lines wait.
    """

    def __init__(
        self, serving: Serving, guarding: Guarding, gate: Gate, out: Outbox
    ) -> None:
        how = serving.confirming
        self.judge = Judge(how, serving.answer_s, out)
        self._is_enforced = how is not None and how.is_enforced
        self._refuses_unnamed = serving.refuses_unnamed
        self._guarding, self._gate = guarding, gate

    def check(
        self, tool: str, given: Json, about: Json, verdict: Verdict, now: float
    ) -> None:
        """Have a call of the proxy's own checked: tells the verdict, maybe later."""
        why, consent = self._guarding.check(tool, given, about)
        if consent is None or not self._waits:
            if consent is not None:
                self._judge(consent, _ignored, now)
            verdict(why, now)
            return

        def done(judgement: Judgement, now: float) -> None:
            verdict(self._refusal(judgement), now)

        self._judge(consent, done, now)

    def hear(
        self, line: bytes, said: Json, checked: Line, now: float, stream: str
    ) -> None:
        """Have those of a host's calls judged that ask for consent."""
        consents = checked.consents
        if not consents:
            return
        if not self._waits or not (stream or self._refuses_unnamed):
            for consent in consents.values():
                self._judge(consent, _ignored, now)
            return
        held = Held(stream, line, said, frozenset(checked.refused), {*consents})
        self._gate.hold(held)
        for place, consent in consents.items():
            self._judge(consent, partial(self._judged, held, place), now)

    @property
    def _waits(self) -> bool:
        """Whether a write waits for its verdict."""
        return self._is_enforced and self.judge.is_on

    def _judge(self, consent: Consent, done: Done, now: float) -> None:
        self.judge.judge(consent, done, now)

    def _judged(self, held: Held, place: int, judgement: Judgement, now: float) -> None:
        why = self._refusal(judgement)
        message = _at(held.said, place)
        refused = None
        if why is not None and message is not None:
            refused = Refused(message, told(judgement.call.tool, why))
        self._gate.judged(held, place, refused, now)

    def _refusal(self, judgement: Judgement) -> str | None:
        """Why a write is refused, which is told; None where it may be made."""
        if not judgement.fails:
            return None
        why = reason(judgement)
        self._guarding.count_refusal(judgement.call.tool, why)
        return why


def reason(judgement: Judgement) -> str:
    """Why a write fails, with the answers, and what to do about it."""
    second = judgement.judging.second
    named = [("p_yes", judgement.p_yes.get(Asked.CONFIRMED))]
    if second is not None:
        named.append(("p_second", judgement.p_yes.get(second)))
    answers = ", ".join(f"{name} {p:.2f}" for name, p in named if p is not None)
    return (
        f"it does not look as if the customer had agreed to this very change "
        f"({answers}). Tell the customer exactly what would be changed, and call again "
        "once they have agreed to it"
    )


def _at(said: Json, place: int) -> Message | None:
    message = said[place] if isinstance(said, list) else said
    return message if isinstance(message, dict) else None


def _ignored(_: Judgement, __: float) -> None:
    """What comes of a judgement that is only logged."""
