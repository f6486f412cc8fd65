"""
The oracle `openai`: any model behind an OpenAI-compatible chat endpoint.

The endpoint has to tell the log probabilities of the first token: OpenAI's own models
that do not reason, vLLM, llama.cpp and others do.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from stretto.canonical import Json, in_order
from stretto.errors import FormatError, OracleError
from stretto.files import Node, parse_json
from stretto.oracle.answer import (
    Answer,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    ScoreAnswer,
    Usage,
)
from stretto.oracle.cache import Cache
from stretto.oracle.cached import Cached
from stretto.oracle.http.endpoint import Endpoint, endpoint
from stretto.oracle.labels import (
    LETTERS,
    Asked,
    by_letter,
    chances,
    messages,
    yes_or_no,
)
from stretto.oracle.question import Choice, Noul, Question, Request, Score
from stretto.oracle.settings import OracleSettings

NAME = "openai"

KEY, BASE_URL = "OPENAI_API_KEY", "OPENAI_BASE_URL"
"""The variables of the key and of another server, as OpenAI's own clients read them."""

SERVER = "https://api.openai.com/v1"

FORM = "#labels-1"
"""Ends a model's name in requests: the way it is asked is part of an answer's key."""

MAX_TOKENS_TOLD = 20
"""Of how many first tokens the log probabilities are asked for."""

AT_ONCE = 8
"""How many questions of one request are asked at a time when somebody waits."""

NEGLIGIBLE = 0.01
"""A group of options less likely than this is not looked into; it is shared evenly."""


class _Told(NamedTuple):
    """What one reply told."""

    chances: list[float]
    model: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A chat model as a System-One model, one reply of one token to each question."""

    endpoint: Endpoint
    model: str
    name: str = NAME

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:
        """
        What the model makes of each question.

        Raises:
            OracleError: the endpoint does not answer, tells no log probabilities, or
                the model does not reply with a label.
        """
        return self.endpoint.guarded(
            budget_s, lambda until: self._response(request, until)
        )

    def _response(self, request: Request, until: float) -> Response:
        told: list[_Told] = []
        if not (name := request.model.removesuffix(FORM)):
            raise OracleError(
                "no model is named for the oracle openai to ask",
                hint="name it as the endpoint does: `--oracle-model NAME`",
            )

        def tell(asked: Asked) -> list[float]:
            told.append(self._told(name, asked, until))
            return told[-1].chances

        def answer(id: str) -> Answer:
            return _answer(request.state, request.questions[id], tell)

        ids = sorted(request.questions)
        if until == math.inf:
            answers = [answer(id) for id in ids]
        else:
            with ThreadPoolExecutor(AT_ONCE) as pool:
                answers = [*pool.map(answer, ids)]
        version = min(one.model for one in told)  # of several, the first by name
        return Response(version, dict(zip(ids, answers, strict=True)), _total(told))

    def _told(self, model: str, asked: Asked, until: float) -> _Told:
        body: dict[str, Json] = {
            "model": model,
            "messages": messages(asked),
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": MAX_TOKENS_TOLD,
        }
        data = in_order(body).encode(errors="replace")
        reply = self.endpoint.post(data, until)
        try:
            return _read(parse_json(reply, "the reply"), asked, model)
        except FormatError as cause:
            raise OracleError(str(cause), hint=cause.hint) from cause


def oracle(settings: OracleSettings) -> Cached:
    """
    The model of `--oracle-model`, behind the cache.

    Without one only requests that name a model are answered, as a flow's do.

    Raises:
        OracleError: the server's URL is none, or the roots to trust cannot be read.
    """
    base = settings.environ.get(BASE_URL)
    url = f"{(base or SERVER).rstrip('/')}/chat/completions"
    asked = endpoint(NAME, url, KEY, settings.environ, needs_key=not base)
    model = f"{settings.model.removesuffix(FORM)}{FORM}" if settings.model else ""
    return Cached(ChatModel(asked, model), Cache(settings.cache))


Tell = Callable[[Asked], list[float]]
"""Asks, and gives each label's probability."""


def _answer(state: Json, question: Question, tell: Tell) -> Answer:
    match question:
        case Noul(instructions, criteria):
            yes, _ = tell(yes_or_no(state, instructions, criteria or ()))
            return NoulAnswer(yes)
        case Choice(instructions, criteria):
            options = sorted(criteria.items())
            p = _of_many(state, instructions, options, tell)
            by_option = {name: p for (name, _), p in zip(options, p, strict=True)}
            first = max(by_option, key=by_option.__getitem__)
            return ChoiceAnswer(first, by_option, by_option[first])
        case Score(instructions, criteria):
            levels = [(f"level {n}", rubric) for n, rubric in enumerate(criteria)]
            p = tell(by_letter(state, instructions, levels))
            score = math.fsum(n * one for n, one in enumerate(p))
            by_level = {str(n): one for n, one in enumerate(p)}
            return ScoreAnswer(score, by_level, max(p))


def _of_many(
    state: Json, instructions: str, options: Sequence[tuple[str, str]], tell: Tell
) -> list[float]:
    """
    Each option's probability, where there may be more options than labels.

    Then they are asked for in two steps: which group of options the answer is in, and
    which of a group it is. An option's probability is the product of the two.
    """
    if len(options) <= len(LETTERS):
        return tell(by_letter(state, instructions, options))
    groups = [*_groups(options)]
    told = [("one of", "; ".join(": ".join(option) for option in g)) for g in groups]
    found: list[float] = []
    for p, group in zip(
        tell(by_letter(state, instructions, told)), groups, strict=True
    ):
        if p < NEGLIGIBLE:
            found += [p / len(group)] * len(group)
        else:
            inside = tell(by_letter(state, instructions, group))
            found += [p * one for one in inside]
    return found


def _groups(
    options: Sequence[tuple[str, str]],
) -> Iterator[Sequence[tuple[str, str]]]:
    """The options in order, in as few groups of nearly one size as labels allow."""
    n = math.ceil(len(options) / len(LETTERS))
    edges = [len(options) * i // n for i in range(n + 1)]
    for low, high in pairwise(edges):
        yield options[low:high]


def _read(node: Node, asked: Asked, model: str) -> _Told:
    choices = node["choices"].array()
    if not choices:
        node["choices"].wanted("an array of one")
    if (log_p := choices[0].get("logprobs")) is None:
        choices[0].fail(
            "tells no log probabilities",
            hint="the endpoint or the model does not support `logprobs`",
        )
    tokens = log_p["content"].array()
    if not tokens:
        log_p["content"].wanted("an array of one token")
    told = _tokens(tokens[0])
    version, usage = node.get("model"), node.get("usage")
    return _Told(
        chances(asked, told),
        model if version is None else version.text(),
        Usage() if usage is None else _usage(usage),
    )


def _total(told: Iterable[_Told]) -> Usage:
    used = [one.usage for one in told]
    return Usage(
        sum(usage.input_tokens for usage in used),
        sum(usage.output_tokens for usage in used),
    )


def _tokens(node: Node) -> Mapping[str, float]:
    """The first tokens told of, the one of the reply among them."""
    told = {
        n["token"].text(): n["logprob"].number() for n in node["top_logprobs"].array()
    }
    return told or {node["token"].text(): node["logprob"].number()}


def _usage(node: Node) -> Usage:
    counts = (node.get("prompt_tokens"), node.get("completion_tokens"))
    return Usage(*(0 if n is None else n.integer() for n in counts))
