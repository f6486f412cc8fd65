"""An oracle made of a function, for tests, for examples, and for models in-process."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stretto.oracle.answer import Answer, Response
from stretto.oracle.question import Request


@dataclass(frozen=True, slots=True)
class ScriptedOracle:
    """
    Answers with what `answer` gives for a request: the answers by question's id.

    Several threads may call it at once.
    """

    answer: Callable[[Request], Mapping[str, Answer]]
    name: str = "scripted"
    model: str = "scripted"

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:  # noqa: ARG002
        """The function's answers, in the name of the model that was asked."""
        return Response(request.model, self.answer(request))
