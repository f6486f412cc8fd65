"""What an oracle is: whatever answers requests as a System-One model does."""

from typing import Protocol

from stretto.oracle.answer import Response
from stretto.oracle.question import Request


class Oracle(Protocol):
    """
    Answers one request at a time, in the thread that asks; several may ask at once.

    What an oracle gives is not trusted, and what it raises may be anything: `ask` in
    `stretto.oracle.ask` holds both to what is said here.
    """

    @property
    def name(self) -> str:
        """What it is called on the command line and in logs: `jev`, `local`, …"""

    @property
    def model(self) -> str:
        """The model that its requests name; it is part of their keys."""

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:
        """
        The answers to `request`.

        Args:
            budget_s: How many seconds it may take, retries included; past them it
                raises. None leaves it to the oracle.

        Raises:
            OracleError: there is no answer: no key, no network, too late, or not one
                to these questions.
            AnswerMissing: answers come from a folder, and this one is not there.
        """
