"""Requests and responses as JSON: read with limits, written in the published order."""

from collections.abc import Mapping

from stretto.canonical import Json
from stretto.files import Node
from stretto.oracle.answer import (
    Answer,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    ScoreAnswer,
    Usage,
)
from stretto.oracle.question import (
    MAX_LEVELS,
    MAX_OPTIONS,
    Choice,
    Criteria,
    Noul,
    Question,
    Request,
    Score,
)

MAX_QUESTIONS = 1000
"""The most questions of one request, and answers of one response."""

MAX_TEXT = 20_000
"""The longest instructions and the longest rubric, in characters."""

MAX_NAME = 1000
"""The longest id, option and model's name, in characters."""


def read_request(node: Node) -> Request:
    """
    A request, from a file's node.

    Raises:
        FormatError: it does not have the shape, or is past a limit.
    """
    node.only("model", "state", "questions")
    asked = node["questions"]
    _at_most(asked, len(asked.fields()), MAX_QUESTIONS, "questions")
    questions = {_name(n, id): _read_question(n) for id, n in asked.items()}
    return Request(_text(node["model"], MAX_NAME), node["state"].value, questions)


def read_response(node: Node) -> Response:
    """
    A response, from a file's or a server's node.

    It has the shape; whether it answers a request, `check_response` says. Fields that
    nobody here reads are passed over.

    Raises:
        FormatError: it does not have the shape, or is past a limit.
    """
    given, usage = node["answers"], node.get("usage")
    _at_most(given, len(given.fields()), MAX_QUESTIONS, "answers")
    return Response(
        _text(node["model"], MAX_NAME),
        {_name(n, id): _read_answer(n) for id, n in given.items()},
        Usage() if usage is None else _read_usage(usage),
    )


def response_json(response: Response) -> dict[str, Json]:
    """A response, its answers by id."""
    answers, usage = response.answers, response.usage
    return {
        "model": response.model,
        "answers": {id: answer_json(answers[id]) for id in sorted(answers)},
        "usage": {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
        },
    }


def answer_json(answer: Answer) -> dict[str, Json]:
    """An answer, its type first."""
    match answer:
        case NoulAnswer(p):
            return {"type": "noul", "noul": float(p)}
        case ChoiceAnswer(choice, probabilities, confidence):
            return {
                "type": "choice",
                "choice": choice,
                "probabilities": _sorted(probabilities),
                "confidence": float(confidence),
            }
        case ScoreAnswer(score, probabilities, confidence, legend):
            return {
                "type": "score",
                "score": float(score),
                "probabilities": _sorted(probabilities),
                "confidence": float(confidence),
                "legend": legend,
            }


def _read_question(node: Node) -> Question:
    instructions = _text(node["instructions"], MAX_TEXT)
    match node["type"].text():
        case "noul":
            criteria = node.get("criteria")
            if criteria is None:
                return Noul(instructions)
            criteria.only("true", "false")
            texts = (_text(criteria[key], MAX_TEXT) for key in ("true", "false"))
            return Noul(instructions, Criteria(*texts))
        case "choice":
            options = node["criteria"]
            _at_most(options, len(options.fields()), MAX_OPTIONS, "options")
            rubrics = {_name(n, o): _text(n, MAX_TEXT) for o, n in options.items()}
            return Choice(instructions, rubrics)
        case "score":
            levels = node["criteria"].array()
            _at_most(node["criteria"], len(levels), MAX_LEVELS, "levels")
            return Score(instructions, tuple(_text(n, MAX_TEXT) for n in levels))
        case _:
            node["type"].wanted("noul, choice or score")


def _read_answer(node: Node) -> Answer:
    confidence = node.get("confidence")
    sure = 0.0 if confidence is None else confidence.number()
    match node["type"].text():
        case "noul":
            return NoulAnswer(node["noul"].number())
        case "choice":
            chosen = _text(node["choice"], MAX_NAME)
            return ChoiceAnswer(chosen, _probabilities(node), sure)
        case "score":
            legend = node.get("legend")
            return ScoreAnswer(
                node["score"].number(),
                _probabilities(node),
                sure,
                None if legend is None else legend.value,
            )
        case _:
            node["type"].wanted("noul, choice or score")


def _probabilities(node: Node) -> dict[str, float]:
    given = node["probabilities"]
    _at_most(given, len(given.fields()), MAX_OPTIONS, "options")
    return {_name(n, option): n.number() for option, n in given.items()}


def _read_usage(node: Node) -> Usage:
    counts = (node.get("input_tokens"), node.get("output_tokens"))
    return Usage(*(0 if n is None else n.integer() for n in counts))


def _name(node: Node, name: str) -> str:
    if len(name) > MAX_NAME:
        node.fail(f"has a name of {len(name)} characters, more than {MAX_NAME}")
    return name


def _text(node: Node, length: int) -> str:
    text = node.text()
    _at_most(node, len(text), length, "characters")
    return text


def _at_most(node: Node, found: int, most: int, things: str) -> None:
    if found > most:
        node.fail(f"has {found:,} {things}, more than {most:,}")


def _sorted(probabilities: Mapping[str, float]) -> dict[str, Json]:
    return {name: float(p) for name, p in sorted(probabilities.items())}
