"""
The order in which a choice's options stand, changed and averaged over.

Whoever reads a request finds options sorted by name. To stand in another order they are
numbered, `1 get_order`, `2 get_customer`, and so are other options: the answers have
other keys. An order is drawn by hash from a seed and the request, the same wherever it
is asked again, and is then turned, so that another option comes first each time.
"""

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import NamedTuple, Protocol, runtime_checkable

from stretto.errors import OracleError
from stretto.oracle.answer import Answer, ChoiceAnswer, Response, Usage
from stretto.oracle.ask import ask
from stretto.oracle.held_out import held_out
from stretto.oracle.oracle import Oracle
from stretto.oracle.paid import price
from stretto.oracle.question import MAX_OPTIONS, Choice, Question, Request

SEED = 7

Order = tuple[str, ...]
"""A choice's options, the first one first."""


class Orders(NamedTuple):
    """In which orders a choice is asked."""

    most: int = MAX_OPTIONS
    """How many; in as many as it has options at the most, each of which is then first
    once."""
    seed: int = SEED

    def of(self, key: str, id: str, options: Iterable[str]) -> list[Order]:
        """Those of one choice of the request of that key."""
        start = f"{self.seed}\n{key}\n{id}\n"

        def drawn(option: str) -> bytes:
            return sha256(f"{start}{option}".encode(errors="replace")).digest()

        first = sorted(sorted(options), key=drawn)
        n = min(self.most, len(first))
        begins = [len(first) * turn // n for turn in range(n)]
        return [(*first[begin:], *first[:begin]) for begin in begins]


@runtime_checkable
class Orderless(Protocol):
    """An oracle that goes by the names of options and to which no order gets."""

    @property
    def is_orderless(self) -> bool:
        """True."""


class Turn(NamedTuple):
    """A request with its choices in one of their orders."""

    request: Request
    orders: Mapping[str, Mapping[str, str]]
    """By choice's id: the options in order, by the name that each is asked under."""

    def read(self, response: Response) -> Mapping[str, Answer]:
        """The answers, of the options by their own names."""
        return {
            id: _renamed(answer, self.orders[id])
            if isinstance(answer, ChoiceAnswer) and id in self.orders
            else answer
            for id, answer in response.answers.items()
        }


def turns(request: Request, how: Orders, *, numbered: bool = True) -> list[Turn]:
    """
    A request in each order of its choices; what is no choice is asked in the first.

    A choice of fewer options is in fewer of them.

    Args:
        numbered: Whether the options' names say where they stand. If not, only who
            goes through the mapping of options finds out, and all turns have one key.
    """
    key = request.key
    orders = {
        id: [_names(order, numbered) for order in how.of(key, id, question.criteria)]
        for id, question in request.questions.items()
        if isinstance(question, Choice) and len(question.criteria) > 1
    }
    found = []
    for n in range(max(map(len, orders.values()), default=1)):
        here = {
            id: of_choice[n] for id, of_choice in orders.items() if n < len(of_choice)
        }
        asked = {
            id: _in_order(question, here[id]) if id in here else question
            for id, question in request.questions.items()
            if id in here or (n == 0 and id not in orders)
        }
        found.append(Turn(replace(request, questions=asked), here))
    return found


@dataclass(frozen=True, slots=True)
class Shuffled:
    """
    `inner`, each choice asked in several orders and its probabilities averaged.

    An oracle that no order gets to is asked once, as it is.
    """

    inner: Oracle
    how: Orders = field(default_factory=Orders)

    @property
    def name(self) -> str:
        """That of `inner`."""
        return self.inner.name

    @property
    def model(self) -> str:
        """That of `inner`."""
        return self.inner.model

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:
        """
        The averaged answers; one that is missing in an order is left out of them.

        Args:
            budget_s: For all orders together, which are asked one after the other.

        Raises:
            OracleError: `inner` raised it in an order, or the time was over before.
        """
        if isinstance(self.inner, Orderless):
            return self.inner.ask(request, budget_s=budget_s)
        until = math.inf if budget_s is None else time.monotonic() + budget_s
        told: dict[str, list[Answer]] = {}
        responses = []
        for turn in turns(request, self.how):
            response = ask(self.inner, turn.request, budget_s=_left(until))
            responses.append(response)
            for id, answer in turn.read(response).items():
                told.setdefault(id, []).append(answer)
        used = [response.usage for response in responses]
        usage = Usage(
            sum(one.input_tokens for one in used),
            sum(one.output_tokens for one in used),
        )
        answers = {id: _averaged(answers) for id, answers in told.items()}
        return Response(responses[0].model, answers, usage)

    def held_out(self, task: str) -> "Shuffled":
        """As `inner` is without that task."""
        return replace(self, inner=held_out(self.inner, task))

    def parts(self, request: Request) -> list[Request]:
        """What `inner` is asked."""
        if isinstance(self.inner, Orderless):
            return [request]
        return [turn.request for turn in turns(request, self.how)]

    def price(self, request: Request) -> float:
        """What asking in every order would cost, in dollars."""
        return math.fsum(price(self.inner, part) for part in self.parts(request))


def _names(order: Order, numbered: bool) -> Mapping[str, str]:
    """The options by the names that they are asked under, which sort as they stand."""
    width = len(str(len(order)))
    return {
        f"{n:0{width}} {option}" if numbered else option: option
        for n, option in enumerate(order, start=1)
    }


def _in_order(question: Question, names: Mapping[str, str]) -> Question:
    assert isinstance(question, Choice)
    rubrics = question.criteria
    return replace(question, criteria={n: rubrics[o] for n, o in names.items()})


def _renamed(answer: ChoiceAnswer, names: Mapping[str, str]) -> ChoiceAnswer:
    chances = {names[name]: p for name, p in answer.probabilities.items()}
    return replace(answer, choice=names[answer.choice], probabilities=chances)


def _averaged(answers: Sequence[Answer]) -> Answer:
    """The mean of a choice's answers; the only answer of anything else."""
    choices = [answer for answer in answers if isinstance(answer, ChoiceAnswer)]
    if len(choices) < 2:
        return answers[0]
    options = sorted({option for one in choices for option in one.probabilities})
    chances = {
        option: math.fsum(one.probabilities.get(option, 0.0) for one in choices)
        / len(choices)
        for option in options
    }
    likeliest = max(options, key=chances.__getitem__)
    return ChoiceAnswer(likeliest, chances, chances[likeliest])


def _left(until: float) -> float | None:
    if until == math.inf:
        return None
    if (left := until - time.monotonic()) <= 0:
        raise OracleError("the time was over before every order was asked")
    return left
