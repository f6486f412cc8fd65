"""One place that is asked over HTTP, as patiently as there is time for."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from stretto.errors import OracleDown, OracleError
from stretto.markdown import printable
from stretto.oracle.http.attempt import HttpSender, NoReply, Reply, Sender
from stretto.oracle.http.breaker import Breaker
from stretto.oracle.http.patience import (
    LIVE,
    OFFLINE,
    RETRIED,
    Clock,
    retry_after_s,
)
from stretto.oracle.http.secret import KeyHolder, Secret
from stretto.oracle.http.within import TooLate, within

T = TypeVar("T")

MAX_TOLD = 300
"""How much of a reply's body an error tells, in characters."""

_HINTS = {
    401: "the key is wrong or has been revoked",
    402: "the account has no credit left",
    403: "the key may not use this model",
    404: "the base URL or the model's name is wrong",
    413: "the request is too long for the model",
    422: "the server takes requests of another form",
}

_MOMENT_S = 0.001
"""The least that a try is given: a timeout of nothing would mean something else."""

_OF_EVERY_REQUEST = frozenset({401, 402, 403, 404}) | RETRIED
"""The statuses that another request would meet as well."""


class Failure(NamedTuple):
    """Why a try failed where another may do better."""

    why: str
    wait_s: float = 0.0
    """What the server asked for."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A place, the key to it, and how patient one is with it."""

    name: str
    """The oracle's, as errors tell it."""
    sender: Sender
    keys: KeyHolder
    needs_key: bool = True
    clock: Clock = field(default_factory=Clock)
    breaker: Breaker = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "breaker", Breaker(self.name, self.clock))

    def guarded(self, budget_s: float | None, work: Callable[[float], T]) -> T:
        """
        What `work` gives, which is told until when it may post.

        With a budget it ends with that, whatever it is stuck in, and a server that
        keeps failing is left alone for a while.

        Raises:
            OracleDown: it took longer than the budget, or the server is left alone.
        """
        if budget_s is None:
            return work(math.inf)
        self.breaker.check()
        until = self.clock.now() + budget_s
        try:
            result = within(budget_s, lambda: work(until))
        except TooLate:
            self.breaker.failed()
            why = f"{self.name} gave no answer within {budget_s:g} s"
            raise OracleDown(why) from None
        except OracleDown:
            self.breaker.failed()
            raise
        except OracleError:
            self.breaker.succeeded()
            raise
        self.breaker.succeeded()
        return result

    def post(self, body: bytes, until: float) -> bytes:
        """
        The body of the reply that succeeded.

        A try may take 30 seconds. Where there is no end to the time, four more follow
        after 1, 2, 4 and 8 seconds or what the server asks for; where there is one, the
        waits are a tenth of that, and none goes past it.

        Raises:
            OracleError: the server refused this request.
            OracleDown: it would not have answered another one either.
        """
        key = self.keys.get() if self.needs_key else self.keys.find()
        patience = OFFLINE if until == math.inf else LIVE
        tried = 0
        while True:
            left = max(until - self.clock.now(), _MOMENT_S)
            outcome = self._try(body, key, min(patience.timeout_s, left))
            if isinstance(outcome, bytes):
                return outcome
            tried += 1
            wait = patience.wait_s(tried, outcome.wait_s, self.clock.random())
            if wait is None or self.clock.now() + wait >= until:
                times = "once" if tried == 1 else f"{tried} times"
                raise OracleDown(f"{self.name} {outcome.why} (tried {times})")
            self.clock.sleep(wait)

    def _try(
        self, body: bytes, key: Secret | None, timeout_s: float
    ) -> bytes | Failure:
        try:
            reply = self.sender.post(body, key, timeout_s)
        except NoReply as cause:
            return Failure(printable(str(cause))[:MAX_TOLD])
        if 200 <= reply.status < 300:
            return reply.body
        if reply.status in RETRIED:
            wait = retry_after_s(reply.retry_after, self.clock.unix())
            return Failure(told(reply), wait)
        kind = OracleDown if reply.status in _OF_EVERY_REQUEST else OracleError
        raise kind(f"{self.name} {told(reply)}", hint=_HINTS.get(reply.status))


def endpoint(
    name: str,
    url: str,
    variable: str,
    environ: Mapping[str, str],
    *,
    needs_key: bool = True,
) -> Endpoint:
    """
    The endpoint at a URL, its key in the variable of that name.

    Raises:
        OracleError: the URL is none, or the roots to trust cannot be read.
    """
    clock = Clock()
    sender = HttpSender(url, environ, clock)
    return Endpoint(name, sender, KeyHolder(variable, environ), needs_key, clock)


def told(reply: Reply) -> str:
    """A reply that did not succeed, in a line."""
    text = printable(" ".join(reply.body.decode(errors="replace").split()))
    if len(text) > MAX_TOLD:
        text = f"{text[:MAX_TOLD]}…"
    return f"answered {reply.status}: {text}" if text else f"answered {reply.status}"
