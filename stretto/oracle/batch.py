"""Many requests asked at once, their cost known beforehand."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import NamedTuple

from stretto.errors import AnswerMissing, OracleError
from stretto.oracle.answer import Response
from stretto.oracle.ask import ask
from stretto.oracle.oracle import Oracle
from stretto.oracle.paid import parts, price, tokens
from stretto.oracle.question import Request

AT_ONCE = 8
"""How many requests are under way at a time."""

MIN_FAILURES = 20
"""How many failures it takes to give up, if they are more than half of the finished."""


class Estimate(NamedTuple):
    """What asking would take, told before anything is asked."""

    requests: int
    tokens: int
    """Of all of them, at four bytes each."""
    dollars: float
    """Of those that have to be asked; what is kept costs nothing."""


class Outcome(NamedTuple):
    """What became of one request."""

    key: str
    result: Response | OracleError


@dataclass(slots=True)
class Asked:
    """Answers by key, and the errors in place of some: an oracle that asks nobody."""

    model: str
    name: str = "asked"
    responses: dict[str, Response] = field(default_factory=dict)
    errors: dict[str, OracleError] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        """Take in what became of a request."""
        if isinstance(outcome.result, Response):
            self.responses[outcome.key] = outcome.result
        else:
            self.errors[outcome.key] = outcome.result

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:  # noqa: ARG002
        """
        What was answered.

        Raises:
            OracleError: what was raised instead.
            AnswerMissing: the request was not among those asked.
        """
        key = request.key
        if (error := self.errors.get(key)) is not None:
            raise error
        if (response := self.responses.get(key)) is None:
            raise AnswerMissing(key, "the batch")
        return response


def distinct(
    requests: Iterable[Request], limit: int | None = None
) -> dict[str, Request]:
    """The requests by key, sorted, each once; the first `limit` of them."""
    by_key = {request.key: request for request in requests}
    return {key: by_key[key] for key in islice(sorted(by_key), limit)}


def estimate(oracle: Oracle, requests: Mapping[str, Request]) -> Estimate:
    """What asking these would take."""
    asked = [part for request in requests.values() for part in parts(oracle, request)]
    return Estimate(
        len(asked),
        sum(map(tokens, asked)),
        sum(price(oracle, request) for request in requests.values()),
    )


def check_budget(estimate: Estimate, dollars: float) -> None:
    """
    Nothing, where asking stays within a budget.

    Raises:
        OracleError: it would not.
    """
    if estimate.dollars > dollars:
        raise OracleError(
            f"asking would cost about ${estimate.dollars:.2f}, and the budget is "
            f"${dollars:.2f}",
            hint="`--oracle-budget` raises it; `--oracle-limit` asks less",
        )


def ask_all(
    oracle: Oracle, requests: Mapping[str, Request], *, at_once: int = AT_ONCE
) -> Iterator[Outcome]:
    """
    What becomes of each request, as it does.

    Whoever stops listening stops the asking; answers already under way are dropped,
    but for those a cache keeps.

    Raises:
        OracleError: 20 requests have failed, and more than half of the finished.
    """
    outcomes: SimpleQueue[Outcome] = SimpleQueue()
    asking = _Asking(oracle, iter(requests.items()), outcomes)
    for _ in range(min(at_once, len(requests))):
        Thread(target=asking.run, daemon=True).start()
    failed = 0
    try:
        for finished in range(1, len(requests) + 1):
            outcome = outcomes.get()
            yield outcome
            if not isinstance(error := outcome.result, OracleError):
                continue
            failed += 1
            if failed >= MIN_FAILURES and 2 * failed > finished:
                raise OracleError(
                    f"{failed} of {finished} requests failed, and the other "
                    f"{len(requests) - finished} were not asked; the last: {error}",
                    hint=error.hint,
                ) from None
    finally:
        asking.over.set()


@dataclass(slots=True)
class _Asking:
    """What the threads share."""

    oracle: Oracle
    todo: Iterator[tuple[str, Request]]
    outcomes: SimpleQueue[Outcome]
    lock: Lock = field(default_factory=Lock)
    over: Event = field(default_factory=Event)

    def run(self) -> None:
        """Ask one after the other, until there is none left or it is over."""
        while not self.over.is_set():
            with self.lock:
                item = next(self.todo, None)
            if item is None:
                return
            key, request = item
            self.outcomes.put(Outcome(key, self._result(request)))

    def _result(self, request: Request) -> Response | OracleError:
        try:
            return ask(self.oracle, request)
        except OracleError as error:
            return error
